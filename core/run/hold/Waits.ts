/**
 * Why a waiting run has not started: the one answer that its record, lists, pages and commands show.
 *
 * Everything here is a function of its arguments; instants are epoch milliseconds.
 */
import { Schema } from "effect"
import type * as Forecast from "../../gate/Forecast.ts"
import type * as Gate from "../../gate/Gate.ts"
import type { Workers } from "../../gate/WorkerCapacity.ts"
import type { SpentLimit } from "../limit/NamedLimit.ts"
import * as Run from "../Run.ts"
import type * as Slots from "../Slots.ts"
import type { PlaceLimit } from "./PlaceLimit.ts"

/**
 * What a run waits for: its run window, the end of a manual pause, the delay before it is tried again, a credential that
 * other runs use, the sign-in of another run, a named limit, the pace of its workflow, or a free worker. `deadline`: it ends at that
 * instant without a start, as it cannot start before.
 */
export const WaitReason = Schema.Literals([
  "run_window",
  "manual",
  "retry_delay",
  "credential",
  "login",
  "limit",
  "pace",
  "capacity",
  "deadline"
])
export type WaitReason = typeof WaitReason.Type

/** One thing that a run waits for. */
export interface Wait {
  readonly reason: WaitReason
  /**
   * When it ends, for `pace` and `capacity` an estimate, for `limit` the next instant at which that may allow another start;
   * `null` where that is not in sight.
   */
  readonly until: number | null
  /** The alias of the credential, where it waits for one. */
  readonly credential: string | null
  /** The name of the limit, where it waits for a named one. */
  readonly name: string | null
  /** How many runs of its workflow start before it, where it waits for the pace or a worker and that is known. */
  readonly ahead: number | null
  /** The limit that keeps it from a place of a worker, where it waits for one and that is known. */
  readonly limit: PlaceLimit | null
}

/** What a start depends on besides the gate and credentials. */
export interface Demand {
  readonly queue: Forecast.Queue
  readonly workers: Workers | null
  /** What keeps the run from a place of a worker now, if nothing else keeps it. */
  readonly limit?: PlaceLimit | null
}

/** What a wait follows from at `at`. */
export interface Facts<R = Run.Run> {
  readonly run: R
  readonly gate: Gate.Gate
  /** The named limit or the credential that it would have to wait for if it were claimed now. */
  readonly awaited: Slots.Awaited | SpentLimit | null
  readonly at: number
}

/** Why a waiting run has not started, and when it can start. */
export interface Outlook {
  /** In the order in which they stand in its way; empty for a run that does not wait, or of a deleted workflow. */
  readonly waits: ReadonlyArray<Wait>
  /**
   * The earliest instant at which it can start, by the pace and the workers an estimate; `null` where none is in sight or
   * it does not wait.
   */
  readonly earliestStart: number | null
  /** What decides that it starts no earlier; `null` where it may start now. */
  readonly startsLater: WaitReason | null
  /** When it ends without a start, as it cannot start before by all that is known; `null` where it starts or has no end. */
  readonly expiresAt: number | null
}

const wait = (reason: WaitReason, more: Partial<Wait> = {}): Wait => ({
  reason,
  until: null,
  credential: null,
  name: null,
  ahead: null,
  limit: null,
  ...more
})

/** What stands in the way of a run now. A limit or a credential counts only for a run that nothing else keeps. */
export const present = ({
  at,
  awaited,
  gate,
  run
}: Facts<Pick<Run.Run, "status" | "notBefore" | "release">>): ReadonlyArray<Wait> => {
  if (!isWaiting(run.status)) return []
  if (!Run.mayStart(run, gate, at)) return Run.holds(run, gate, at).map(({ kind, until }) => wait(kind, { until }))
  if (run.notBefore > at) return [wait("retry_delay", { until: run.notBefore })]
  if (awaited !== null && "limit" in awaited) return [wait("limit", { name: awaited.limit, until: awaited.until })]
  if (awaited !== null) return [wait(awaited.isLogin ? "login" : "credential", { credential: awaited.alias })]
  return [wait("capacity")]
}

const isWaiting = Schema.is(Run.Waiting)

/** Why a run waits, and when it starts by all that is known. `demand` is `null` where neither pace nor workers are known. */
export const of = (facts: Facts, demand: Demand | null): Outlook => {
  const { at, gate, run } = facts
  const now = present(facts)
  const [first] = now
  if (first === undefined) return { waits: [], earliestStart: null, startsLater: null, expiresAt: null }
  if (first.credential !== null || first.name !== null) {
    return { waits: now, earliestStart: null, startsLater: first.reason, expiresAt: null }
  }
  const byTime = Run.earliestStart(run, gate, at)
  const deadline = Run.deadlineOf(run)
  const expires = (waits: ReadonlyArray<Wait>, at: number): Outlook => ({
    waits: [...waits, wait("deadline", { until: at })],
    earliestStart: null,
    startsLater: "deadline",
    expiresAt: at
  })
  if (deadline !== null && (byTime === null || byTime >= deadline)) return expires(now, deadline)
  const kept = now.filter(({ reason }) => reason !== "capacity")
  const limit = kept.length === 0 ? (demand?.limit ?? null) : null
  const likely =
    demand === null || byTime === null ? null : Run.likelyStart(run, gate, demand.queue, demand.workers, at)
  const isPutOff = demand !== null && byTime !== null && (likely === null || likely.at > byTime)
  const reason = isPutOff ? putOffBy(gate, demand.workers, likely) : "capacity"
  // A forecast knows all places together, and not those that its workspace may still have.
  if (limit === "workspace_runs" && reason === "capacity") {
    const share = wait("capacity", { limit, ahead: demand?.queue.ahead ?? null })
    return { waits: [share], earliestStart: null, startsLater: "capacity", expiresAt: null }
  }
  if (!isPutOff) {
    const waits = limit === null ? now : [wait("capacity", { limit })]
    return { waits, earliestStart: byTime, startsLater: kept[0]?.reason ?? null, expiresAt: null }
  }
  const until = likely?.at ?? null
  const places = reason === "capacity" && demand.workers?.capacity !== 0 ? ("concurrency" as const) : null
  const later = [...kept, wait(reason, { until, ahead: demand.queue.ahead, limit: places })]
  if (deadline !== null && (until === null || until >= deadline)) return expires(later, deadline)
  return { waits: later, earliestStart: until, startsLater: reason, expiresAt: null }
}

/** Whether the pace or the workers put a start off; one that is not in sight is put off by the workers if there are none. */
const putOffBy = (gate: Gate.Gate, workers: Workers | null, start: Forecast.Start | null): WaitReason => {
  if (start !== null) return start.limitedBy === "workers" ? "capacity" : "pace"
  return gate.pace === null || workers?.capacity === 0 ? "capacity" : "pace"
}
