/**
 * Schedules, which submit runs of a workflow at given times, and the decisions about a schedule at an instant.
 *
 * The cursor of a schedule is the instant up to which its timing is processed. Later instants are in the future, or were
 * missed. A decision is a function of the schedule, the gate of its workflow, its runs that have not ended
 * and the instant; stores apply it in one transaction with the submission that it requests.
 *
 * Instants are epoch milliseconds.
 */
import { Schema } from "effect"
import type { Gate } from "../gate/Gate.ts"
import { inOneSentence } from "../window/Problems.ts"
import { RunWindowIssue } from "../window/RunWindow.ts"
import { RunId, UserId, WorkflowId, WorkspaceId } from "../workspace/Ids.ts"
import * as Timing from "./ScheduleTiming.ts"

export const ScheduleId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("ScheduleId"))
export type ScheduleId = typeof ScheduleId.Type

/**
 * What happens to a firing while an earlier run of the schedule has not ended: it is skipped, it waits if no other
 * firing waits, it waits behind all others, or it stops the earlier run.
 */
export const Overlap = Schema.Literals(["skip", "queue_one", "queue_all", "replace"])
export type Overlap = typeof Overlap.Type

/** Which firings are caught up that were missed because no scheduler ran: none, the last one, or all up to a limit. */
export const CatchUp = Schema.Literals(["none", "last", "all"])
export type CatchUp = typeof CatchUp.Type

/** The fields of a schedule that a user sets. */
export const Terms = Schema.Struct({
  name: Schema.String,
  timing: Timing.Timing,
  /** As it was sent: texts in it may hold templates. */
  input: Schema.JsonObject,
  /** The tags of each run. */
  tags: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The priority of each run, 0 if omitted. */
  priority: Schema.optionalKey(Schema.Int),
  /** How long after its submission each run may start at the latest, in minutes. If omitted, without limit. */
  startWithinMinutes: Schema.optionalKey(Schema.Int),
  overlap: Overlap,
  catchUp: CatchUp,
  catchUpLimit: Schema.Int,
  jitterSeconds: Schema.Int,
  /** The first and the last instant at which it may fire. */
  startsAt: Schema.NullOr(Schema.Finite),
  endsAt: Schema.NullOr(Schema.Finite)
})
export type Terms = typeof Terms.Type

export const Paused = Schema.Struct({ at: Schema.Finite, by: UserId, reason: Schema.NullOr(Schema.String) })

export const RunSchedule = Schema.Struct({
  id: ScheduleId,
  workspaceId: WorkspaceId,
  workflowId: WorkflowId,
  terms: Terms,
  createdAt: Schema.Finite,
  createdBy: UserId,
  updatedAt: Schema.Finite,
  /** Grows by one with every change, so that a decision about an earlier state is noticed. */
  revision: Schema.Int,
  paused: Schema.NullOr(Paused),
  /** The cursor: everything up to this instant is processed. */
  cursor: Schema.Finite,
  /** The next instant of the timing; `null` when none is known. */
  next: Schema.NullOr(Schema.Finite),
  /** Until when missed firings are caught up that a limit has been applied to. */
  caughtUpTo: Schema.NullOr(Schema.Finite),
  /** The instants of firings that wait for the end of an earlier run, in order. */
  queued: Schema.Array(Schema.Finite),
  /** The runs that it has submitted and that had not ended when it last looked. */
  runs: Schema.Array(RunId),
  /** The revision of the run window that `next` follows from; `null` for a timing that no window decides. */
  windowRevision: Schema.NullOr(Schema.Int)
})
export type RunSchedule = typeof RunSchedule.Type

/** The result of one instant of a schedule. */
export const FiringOutcome = Schema.Literals(["submitted", "queued", "skipped", "missed", "failed"])
export type FiringOutcome = typeof FiringOutcome.Type

export interface Firing {
  readonly instant: number
  /** Whether a person asked for it. */
  readonly byHand: boolean
  readonly decidedAt: number
  readonly outcome: FiringOutcome
  readonly runId: RunId | null
  readonly reason: string | null
}

/** Raised for a schedule that does not exist in the workspace. */
export class ScheduleNotFound extends Schema.TaggedError<ScheduleNotFound>()("ScheduleNotFound", {
  scheduleId: Schema.String
}) {
  override get message() {
    return `Schedule "${this.scheduleId}" not found in this workspace`
  }
}

/** Raised for an invalid schedule. It lists every problem at its path. */
export class InvalidSchedule extends Schema.TaggedError<InvalidSchedule>()("InvalidSchedule", {
  problems: Schema.Array(RunWindowIssue)
}) {
  override get message() {
    return inOneSentence(this.problems)
  }
}

/** The lateness up to which a firing counts as on time, in milliseconds. */
export const graceMillis = 60_000

/** How many firings may wait for the end of earlier runs. */
export const mostQueued = 1_000

/** The delay of a firing: a whole number of milliseconds below the jitter, always the same for one firing. */
export const jitterMillis = (id: string, jitterSeconds: number, instant: number): number => {
  if (jitterSeconds === 0) return 0
  let hash = 0x811c9dc5
  for (const character of `${id} ${instant}`) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39)
  return Math.floor((((hash ^ (hash >>> 15)) >>> 0) / 4_294_967_296) * jitterSeconds * 1_000)
}

/** The instant at which the firing of an instant is due. */
export const firesAt = ({ id, terms }: Pick<RunSchedule, "id" | "terms">, instant: number): number =>
  instant + jitterMillis(id, terms.jitterSeconds, instant)

/** The instants of a schedule, within its start and end. */
export const instantsOf = ({ terms }: Pick<RunSchedule, "terms">, gate: Gate): Timing.Instants => {
  const { endsAt, startsAt, timing } = terms
  const all = Timing.instants(timing, gate.runWindow)
  const first = startsAt === null ? Number.NEGATIVE_INFINITY : startsAt - 1
  const end = endsAt ?? Number.POSITIVE_INFINITY
  return {
    next: (after) => {
      const found = after >= end ? null : all.next(Math.max(after, first))
      return found === null || found > end ? null : found
    },
    last: (upTo, after) => all.last(Math.min(upTo, end), Math.max(after, first))
  }
}

/** The next instant at which a schedule must be examined; `null` where time alone changes nothing. */
export const dueAt = (schedule: RunSchedule): number | null =>
  schedule.paused !== null || schedule.next === null ? null : firesAt(schedule, schedule.next)

/** Whether firings wait for the end of a run. */
export const waits = (schedule: RunSchedule): boolean => schedule.paused === null && schedule.queued.length > 0

/** Whether the window of its workflow was edited since the next instant was found. */
export const isOutdated = (schedule: RunSchedule, gate: Gate): boolean =>
  schedule.windowRevision !== null && schedule.windowRevision !== gate.windowRevision

/** The schedule with the fields derived from its terms, its cursor and the window. */
const aimed = (schedule: RunSchedule, gate: Gate, cursor: number): RunSchedule => ({
  ...schedule,
  cursor,
  next: instantsOf(schedule, gate).next(cursor),
  windowRevision: schedule.terms.timing.kind === "window_opening" ? gate.windowRevision : null
})

const changed = (schedule: RunSchedule, at: number): RunSchedule => ({
  ...schedule,
  updatedAt: at,
  revision: schedule.revision + 1
})

/** A new schedule. It fires at instants after `at`. */
export const make = (
  made: Pick<RunSchedule, "id" | "workspaceId" | "workflowId" | "terms" | "createdBy">,
  gate: Gate,
  at: number
): RunSchedule =>
  aimed(
    {
      ...made,
      createdAt: at,
      updatedAt: at,
      revision: 1,
      paused: null,
      cursor: at,
      next: null,
      caughtUpTo: null,
      queued: [],
      runs: [],
      windowRevision: null
    },
    gate,
    at
  )

/** Replaces the terms. Firings that were due and have not fired are dropped. */
export const edit = (schedule: RunSchedule, terms: Terms, gate: Gate, at: number): RunSchedule =>
  changed(aimed({ ...schedule, terms, caughtUpTo: null }, gate, Math.max(at, schedule.cursor)), at)

/** Stops firing until it is resumed. Firings that wait are dropped. */
export const pause = (schedule: RunSchedule, paused: typeof Paused.Type): RunSchedule =>
  changed({ ...schedule, paused, queued: [] }, paused.at)

/** Fires again, at instants after `at`: those of the pause are not caught up. */
export const resume = (schedule: RunSchedule, gate: Gate, at: number): RunSchedule =>
  schedule.paused === null
    ? schedule
    : changed(aimed({ ...schedule, paused: null, caughtUpTo: null }, gate, Math.max(at, schedule.cursor)), at)

/** What to do about a schedule now. */
export interface Decision {
  readonly after: RunSchedule
  /** The instants that get no run, and why. */
  readonly firings: ReadonlyArray<Omit<Firing, "runId">>
  /** The instant whose run is to be submitted; `null` for none. */
  readonly fire: number | null
  /** The runs that are stopped for it. */
  readonly replaces: ReadonlyArray<RunId>
}

/**
 * Decides about at most one firing; `null` when there is nothing to do at `now`. `open` are the runs of the schedule
 * that have not ended.
 */
export const decide = (before: RunSchedule, gate: Gate, open: ReadonlyArray<RunId>, now: number): Decision | null => {
  const schedule: RunSchedule = { ...changed(before, before.updatedAt), runs: open }
  if (isOutdated(schedule, gate)) {
    const cursor = Math.max(schedule.cursor, Math.min(gate.windowSet?.at ?? 0, now))
    return { after: aimed(schedule, gate, cursor), firings: [], fire: null, replaces: [] }
  }
  const [first, ...later] = schedule.queued
  if (waits(schedule) && first !== undefined && open.length === 0) {
    return { after: { ...schedule, queued: later }, firings: [], fire: first, replaces: [] }
  }
  const { next } = schedule
  if (schedule.paused !== null || next === null || firesAt(schedule, next) > now) return null
  const isLate = firesAt(schedule, next) < now - graceMillis
  // Store the limit, so that the missed firings are counted once and not again for each of them.
  const counted = isLate ? { ...schedule, caughtUpTo: Math.max(schedule.caughtUpTo ?? now, now) } : schedule
  return (isLate ? leaveMissed(schedule, next, gate, now) : null) ?? overlap(aimed(counted, gate, next), next, now)
}

/** Skips the missed firings that are not caught up; `null` where `next` is caught up. */
const leaveMissed = (schedule: RunSchedule, next: number, gate: Gate, now: number): Decision | null => {
  const { caughtUpTo, cursor, terms } = schedule
  if (caughtUpTo !== null && next <= caughtUpTo) return null
  const instants = instantsOf(schedule, gate)
  const since = `no scheduler ran since ${new Date(firesAt(schedule, next)).toISOString()}`
  const leaveUpTo = (upTo: number, reason: string): Decision => ({
    after: { ...aimed(schedule, gate, upTo), caughtUpTo: now },
    firings: [{ instant: upTo, byHand: false, decidedAt: now, outcome: "missed", reason }],
    fire: null,
    replaces: []
  })
  if (terms.catchUp === "none") {
    const late = latestDue(schedule, instants, now - graceMillis) ?? next
    return leaveUpTo(late, `Missed, and not caught up: ${since}`)
  }
  const kept = terms.catchUp === "last" ? 1 : terms.catchUpLimit
  let oldest = latestDue(schedule, instants, now) ?? next
  for (let count = 1; count < kept && oldest > next; count++) oldest = instants.last(oldest - 1, cursor) ?? next
  if (oldest <= next) return null
  const which = kept === 1 ? "only the last firing is" : `only the last ${kept} firings are`
  return leaveUpTo(instants.last(oldest - 1, cursor) ?? next, `Missed: ${since}, and ${which} caught up`)
}

/** The latest instant that is due at `now`. */
const latestDue = (schedule: RunSchedule, instants: Timing.Instants, now: number): number | null => {
  let found = instants.last(now, schedule.cursor)
  while (found !== null && firesAt(schedule, found) > now) found = instants.last(found - 1, schedule.cursor)
  return found
}

/** Applies the overlap policy to an instant. */
const overlap = (schedule: RunSchedule, instant: number, now: number): Decision => {
  const { queued, runs, terms } = schedule
  const outcome = (outcome: FiringOutcome, reason: string, after: RunSchedule): Decision => ({
    after,
    firings: [{ instant, byHand: false, decidedAt: now, outcome, reason }],
    fire: null,
    replaces: []
  })
  if (runs.length === 0 && queued.length === 0) return { after: schedule, firings: [], fire: instant, replaces: [] }
  const [run] = runs
  const busy = run === undefined ? "Earlier firings wait" : `Run ${run} of an earlier firing has not ended`
  switch (terms.overlap) {
    case "skip":
      return outcome("skipped", busy, schedule)
    case "queue_one":
      return queued.length > 0
        ? outcome("skipped", `${busy}, and another firing waits for that`, schedule)
        : outcome("queued", busy, { ...schedule, queued: [instant] })
    case "queue_all":
      return queued.length >= mostQueued
        ? outcome("skipped", `${busy}, and ${mostQueued} firings wait for that`, schedule)
        : outcome("queued", busy, { ...schedule, queued: [...queued, instant] })
    case "replace":
      return { after: { ...schedule, queued: [], runs: [] }, firings: [], fire: instant, replaces: runs }
  }
}
