/**
 * Sends the events of a run again, on request.
 */
import { Clock, Effect, type Schema } from "effect"
import * as Permissions from "../../workspace/Permissions.ts"
import type { Caller } from "../../workspace/Workspace.ts"
import type { Links } from "../EventJson.ts"
import type { Entry } from "../EventLog.ts"
import { Deliveries } from "./Deliveries.ts"
import * as Delivery from "./Delivery.ts"
import * as DeliveryAttempt from "./DeliveryAttempt.ts"
import * as Target from "./Target.ts"
import { WebhookStore } from "./Webhook.ts"

/** The result of one event and one target. */
export interface ReplayResult {
  readonly event: string
  readonly url: string
  readonly outcome: Delivery.Outcome
}

/** A run with its events, oldest first. */
export type Subject = Pick<Entry, "workspaceId" | "workflowId" | "runId"> & {
  readonly webhook: Schema.Json | null
  readonly events: ReadonlyArray<Pick<Entry, "sequence" | "runId" | "at" | "event">>
}

/** The maximum concurrency, and the time limit for all together. */
const concurrency = 16
const budget = 60_000

/**
 * Sends all events of a run to all targets that they have now, once each, without regard to order and to circuits, and
 * returns the result of each in the order of the events. A message that was not sent within a minute is refused. A
 * delivery that had not arrived before and does now counts as delivered. The caller must be able to edit.
 */
export const replay = Effect.fn("Replay.replay")(function* (
  caller: Pick<Caller, "role">,
  subject: Subject,
  links: Links
) {
  yield* Permissions.require(caller, "edit")
  const deliveries = yield* Deliveries
  const registered = yield* (yield* WebhookStore).list(subject.workspaceId)
  const known = new Map(
    (yield* deliveries.ofRun(subject.workspaceId, subject.runId)).map((delivery) => [
      key(delivery.logged.sequence, delivery),
      delivery
    ])
  )
  const { metadata } = Target.runWebhookOf(subject.webhook)
  const deadline = (yield* Clock.currentTimeMillis) + budget

  const sendings = subject.events.flatMap((logged) =>
    Target.targetsOf({ ...subject, ...logged }, registered).map((target) => ({ logged, target }))
  )
  return yield* Effect.forEach(
    sendings,
    Effect.fnUntraced(function* ({ logged, target }) {
      const now = yield* Clock.currentTimeMillis
      const delivery = known.get(key(logged.sequence, target))
      const options = { validity: target.validity, ...(metadata === undefined ? {} : { metadata }) }
      const message = DeliveryAttempt.messageAt(logged, links, options, now)
      const identity = { id: delivery?.id ?? `replay-${logged.sequence}`, attempt: (delivery?.attempts ?? 0) + 1 }
      const outcome = yield* DeliveryAttempt.send(target, message, identity).pipe(
        Effect.timeoutOrElse({
          duration: Math.max(0, deadline - now),
          orElse: () => Effect.succeed<Delivery.Outcome>(tooLate)
        })
      )
      if (delivery !== undefined && outcome._tag === "Answered" && Delivery.isDelivered(outcome)) {
        const { durationMillis, status } = outcome
        yield* deliveries.delivered(subject.workspaceId, delivery.id, { responseStatus: status, durationMillis })
      }
      return { event: logged.event.event, url: target.url, outcome } satisfies ReplayResult
    }),
    { concurrency }
  )
})

const tooLate: Delivery.Outcome = { _tag: "Refused", reason: `Not sent within ${budget / 1_000} seconds` }

const key = (sequence: number, { webhookId }: { readonly webhookId: string | null }) => `${sequence} ${webhookId}`
