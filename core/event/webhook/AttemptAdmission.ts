/**
 * Decides which attempts a process makes now, so that no webhook and no workspace delays another.
 *
 * - A webhook has a circuit of its own: it opens by what its receiver answers, and rests while the receiver asks for it.
 * - An origin has one for all workspaces, which opens only where connections are refused: nothing else that the receiver of
 *   one workspace does says anything about that of another.
 * - A workspace takes a further place only while more places are free than it has. One alone has half of them, two have
 *   a third each, and there is always one for the next.
 */
import * as Circuit from "./Circuit.ts"
import * as Delivery from "./Delivery.ts"

export interface Options {
  /** How many attempts are in progress at once in this process. */
  readonly workers: number
  /** How many of them may be to one webhook. */
  readonly perWebhook: number
}

export interface Place {
  readonly workspaceId: string
  /** The registered webhook; `null` for the one that the submission of a run named, which its address identifies. */
  readonly webhookId: string | null
  readonly url: string
}

/** How long an attempt is put off to, or `null` when it may be made. */
export type PutOffUntil = number | null

export interface Admission {
  /** Asks to make an attempt. One that is admitted must be settled or released. */
  readonly ask: (place: Place, now: number) => PutOffUntil
  /** Records the outcome of an attempt. */
  readonly settle: (place: Place, outcome: Delivery.Outcome, at: number) => void
  /** Records the end of an attempt that had no outcome. */
  readonly release: (place: Place) => void
  /** Forgets what no longer decides anything. */
  readonly tidy: (now: number) => void
}

export const make = ({ perWebhook, workers }: Options): Admission => {
  const webhooks = circuits()
  const origins = circuits()
  const inFlight = new Map<string, number>()
  let free = workers

  const take = (workspaceId: string, places: number) => {
    free -= places
    const taken = (inFlight.get(workspaceId) ?? 0) + places
    if (taken === 0) inFlight.delete(workspaceId)
    else inFlight.set(workspaceId, taken)
  }

  return {
    ask: (place, now) => {
      const own = webhooks.of(webhookOf(place))
      const origin = origins.of(originOf(place))
      const atOrigin = Circuit.admit(origin, now, workers)
      const hasShare = (inFlight.get(place.workspaceId) ?? 0) < free
      const admission =
        hasShare && atOrigin._tag === "Admitted"
          ? Circuit.admit(own, now, perWebhook)
          : Circuit.putOff(own, Math.max(now, origin.openUntil ?? 0), now, perWebhook)
      webhooks.set(webhookOf(place), admission.circuit)
      if (admission._tag === "PutOff") return admission.until
      origins.set(originOf(place), atOrigin.circuit)
      take(place.workspaceId, 1)
      return null
    },
    settle: (place, outcome, at) => {
      take(place.workspaceId, -1)
      webhooks.change(webhookOf(place), (circuit) => settled(circuit, outcome, at))
      origins.change(originOf(place), (circuit) =>
        outcome._tag === "Refused"
          ? Circuit.released(circuit)
          : Circuit.settle(circuit, !isConnectionRefused(outcome), outcome.durationMillis, at)
      )
    },
    release: (place) => {
      take(place.workspaceId, -1)
      webhooks.change(webhookOf(place), Circuit.released)
      origins.change(originOf(place), Circuit.released)
    },
    tidy: (now) => {
      webhooks.tidy(now)
      origins.tidy(now)
    }
  }
}

/** A webhook whose address was changed begins anew. */
const webhookOf = ({ url, webhookId, workspaceId }: Place): string => `${webhookId ?? workspaceId} ${url}`

const originOf = ({ url }: Place): string => new URL(url).origin

const isConnectionRefused = (outcome: Delivery.Outcome): boolean =>
  outcome._tag === "Unreachable" && outcome.isConnectionRefused === true

/** A receiver that asks for time is healthy, and so is one that does not take this one delivery. */
const settled = (circuit: Circuit.Circuit, outcome: Delivery.Outcome, at: number): Circuit.Circuit => {
  if (outcome._tag === "Refused") return Circuit.released(circuit)
  if (outcome._tag === "Unreachable") return Circuit.settle(circuit, false, outcome.durationMillis, at)
  const { durationMillis, retryAfterMillis, status } = outcome
  const asksForTime = status === 429 || retryAfterMillis !== null
  const after = Circuit.settle(circuit, asksForTime || status < 500, durationMillis, at)
  return Circuit.resting(after, at + Math.min(retryAfterMillis ?? 0, Delivery.longestRetryAfter))
}

const circuits = () => {
  const known = new Map<string, Circuit.Circuit>()
  const of = (key: string) => known.get(key) ?? Circuit.closed
  return {
    of,
    set: (key: string, circuit: Circuit.Circuit) => void known.set(key, circuit),
    change: (key: string, by: (circuit: Circuit.Circuit) => Circuit.Circuit) => void known.set(key, by(of(key))),
    tidy: (now: number) => {
      for (const [key, circuit] of known) if (Circuit.isForgettable(circuit, now)) known.delete(key)
    }
  }
}
