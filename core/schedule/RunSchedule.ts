/**
 * Schedules, which submit runs of a workflow at given times, and the decisions about a schedule at an instant.
 *
 * The past of a schedule is its cursor and its delayed firings: each instant of its timing up to the cursor is decided or
 * among the delayed ones, and none after it is decided. A decision is a function of the schedule, the gate of its workflow,
 * its runs that have not ended and the instant; stores apply it in one transaction with the submission that it requests.
 * Each instant gets one record: a run, or why there is none.
 *
 * Instants are epoch milliseconds.
 */
import { Effect, Schema } from "effect"
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

/** A firing that is not decided yet, and the instant at which it is due. */
export const Delayed = Schema.Struct({ instant: Schema.Finite, firesAt: Schema.Finite })
export type Delayed = typeof Delayed.Type

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
  /** The cursor: each instant of the timing up to it is decided or delayed. It is ahead of time where jitter mixes firings. */
  cursor: Schema.Finite,
  /** The first instant of the timing after the cursor; `null` when none is known. */
  next: Schema.NullOr(Schema.Finite),
  /** Firings up to the cursor that are not decided: their delay has not ended, or they are caught up. */
  delayed: Schema.Array(Delayed).pipe(Schema.withDecodingDefaultKey(Effect.succeed([]))),
  /** Until when firings were due that the catch-up policy has been applied to: those that are left are submitted. */
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

/** The firing that is due before all others; `null` when none is known. */
export const upcoming = (schedule: Pick<RunSchedule, "id" | "terms" | "delayed" | "next">): Delayed | null => {
  const { delayed, next } = schedule
  const first = next === null ? null : { instant: next, firesAt: firesAt(schedule, next) }
  return delayed.reduce((found, one) => (found === null || inOrder(one, found) < 0 ? one : found), first)
}

/** The order in which firings are due. */
const inOrder = (one: Delayed, other: Delayed): number => one.firesAt - other.firesAt || one.instant - other.instant

/** The next instant at which a schedule must be examined; `null` where time alone changes nothing. */
export const dueAt = (schedule: RunSchedule): number | null =>
  schedule.paused === null ? (upcoming(schedule)?.firesAt ?? null) : null

/** Whether firings wait for the end of a run. */
export const waits = (schedule: RunSchedule): boolean => schedule.paused === null && schedule.queued.length > 0

/** Whether the window of its workflow was edited since the next instant was found. */
export const isOutdated = (schedule: RunSchedule, gate: Gate): boolean =>
  schedule.windowRevision !== null && schedule.windowRevision !== gate.windowRevision

/**
 * The schedule with the fields derived from its terms, its cursor, its delayed firings and the window. Instants that come
 * before the first firing that is due are among the delayed ones, so that `upcoming` is due before all others.
 */
const aimed = (schedule: RunSchedule, gate: Gate, cursor: number, delayed: ReadonlyArray<Delayed>): RunSchedule => {
  const instants = instantsOf(schedule, gate)
  const ahead = [...delayed]
  let [last, next] = [cursor, instants.next(cursor)]
  let dueFirst = ahead.reduce((least, one) => Math.min(least, one.firesAt), Number.POSITIVE_INFINITY)
  while (schedule.terms.jitterSeconds > 0 && schedule.paused === null && next !== null && next < dueFirst) {
    const one = { instant: next, firesAt: firesAt(schedule, next) }
    dueFirst = Math.min(dueFirst, one.firesAt)
    const following = instants.next(next)
    if (following === null || following >= dueFirst) break
    ahead.push(one)
    last = next
    next = following
  }
  return {
    ...schedule,
    cursor: last,
    next,
    delayed: ahead,
    windowRevision: schedule.terms.timing.kind === "window_opening" ? gate.windowRevision : null
  }
}

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
      delayed: [],
      caughtUpTo: null,
      queued: [],
      runs: [],
      windowRevision: null
    },
    gate,
    at,
    []
  )

/** How many instants are looked at that passed since the last decision: all of a day's jitter, and two limits more. */
const mostPassed = 1_440 + 2 * mostQueued

/** What happened to an instant that gets no run, or not yet. */
type Settled = Omit<Firing, "runId">

/** A schedule after a decision, and the instants that it decided, each with its reason. */
export interface Changed {
  readonly schedule: RunSchedule
  readonly firings: ReadonlyArray<Settled>
}

/** The firings of a stretch of the past that are not decided. */
interface Passed {
  readonly cursor: number
  /** In the order in which they are due. */
  readonly firings: ReadonlyArray<Delayed>
  /** The last instant of those that are too many to decide, all of them earlier; `null` where there are none. */
  readonly before: number | null
}

/** The firings that are not decided, of instants up to `at`: the latest `mostPassed`. */
const passed = (schedule: RunSchedule, gate: Gate, at: number): Passed => {
  const instants = instantsOf(schedule, gate)
  const known = new Set(schedule.delayed.map(({ instant }) => instant))
  // A clock that was set back must not fire again what is decided: the last decided instant bounds the cursor.
  let decided: number | null = schedule.cursor
  while (decided !== null && decided > at && known.has(decided)) decided = instants.last(decided - 1, at)
  const cursor = Math.max(at, decided ?? at)
  const since: Array<Delayed> = []
  let before = instants.last(cursor, schedule.cursor)
  for (; before !== null && since.length < mostPassed; before = instants.last(before - 1, schedule.cursor)) {
    since.push({ instant: before, firesAt: firesAt(schedule, before) })
  }
  const all = [...schedule.delayed.filter(({ instant }) => instant <= cursor), ...since].sort(
    (one, other) => one.instant - other.instant
  )
  const last = all.slice(0, -mostPassed).at(-1)?.instant ?? before
  return { cursor, firings: all.slice(-mostPassed).sort(inOrder), before: last }
}

const recordOf = (instant: number, decidedAt: number, outcome: FiringOutcome, reason: string): Settled => ({
  instant,
  byHand: false,
  decidedAt,
  outcome,
  reason
})

/** One record for all firings up to an instant that are too many to have their own. */
const tooMany = (upTo: number | null, now: number): ReadonlyArray<Settled> => {
  const reason = `Missed, with each earlier firing that has no record: no scheduler had submitted them by ${iso(now)}`
  return upTo === null ? [] : [recordOf(upTo, now, "missed", reason)]
}

/** The records of instants without a run, of which the latest have their own and all others one. */
const recorded = (
  { before }: Passed,
  firings: ReadonlyArray<Delayed>,
  now: number,
  record: (one: Delayed) => Settled
): ReadonlyArray<Settled> => {
  const ordered = firings.toSorted((one, other) => one.instant - other.instant)
  const rest = ordered.slice(0, -mostQueued).at(-1)?.instant ?? before
  return [...tooMany(rest, now), ...ordered.slice(-mostQueued).map(record)]
}

const iso = (at: number): string => new Date(at).toISOString()

/** Whether a firing is late, and the catch-up policy has not been applied to it. */
const isMissed = ({ caughtUpTo }: RunSchedule, { firesAt }: Delayed, now: number): boolean =>
  firesAt < now - graceMillis && (caughtUpTo === null || firesAt > caughtUpTo)

/**
 * Decides about what was missed up to `now`. All other firings of instants up to `now` are delayed ones of the result,
 * whose cursor is `now`, and which is still to be aimed.
 */
const settled = (schedule: RunSchedule, gate: Gate, now: number): Changed => {
  const { catchUp, catchUpLimit } = schedule.terms
  const found = passed(schedule, gate, now)
  const { caughtUpTo } = schedule
  const due = found.firings.filter(
    (firing) => firing.firesAt <= now && (caughtUpTo === null || firing.firesAt > caughtUpTo)
  )
  const kept = catchUp === "none" ? 0 : catchUp === "last" ? 1 : catchUpLimit
  const missed = due.slice(0, Math.max(0, due.length - kept)).filter((one) => isMissed(schedule, one, now))
  const which =
    kept === 0
      ? "missed firings are not caught up"
      : kept === 1
        ? "only the last firing is caught up"
        : `only the last ${kept} firings are caught up`
  const firings = recorded(found, missed, now, ({ firesAt, instant }) => {
    const reason = `Missed: it was due at ${iso(firesAt)}, no scheduler had submitted it by ${iso(now)}, and ${which}`
    return recordOf(instant, now, "missed", reason)
  })
  const isApplied = due.some((one) => isMissed(schedule, one, now))
  const delayed = found.firings.filter((firing) => !missed.includes(firing))
  return {
    schedule: { ...schedule, cursor: found.cursor, delayed, caughtUpTo: isApplied ? now : caughtUpTo },
    firings
  }
}

/** Whether two terms have the same instants and delays. */
const haveSameTiming = (one: Terms, other: Terms): boolean => timingText(one) === timingText(other)

const timingText = ({ endsAt, jitterSeconds, startsAt, timing }: Terms): string =>
  JSON.stringify([
    // The zone of a timing that the window decides is the one in which times are shown.
    timing.kind === "window_opening" ? timing.kind : Object.entries(timing).toSorted(([a], [b]) => (a < b ? -1 : 1)),
    startsAt,
    endsAt,
    jitterSeconds
  ])

/**
 * Replaces the terms. Terms with the same timing move no firing. Otherwise the firings of instants up to `at` happen as the
 * former terms say, and those after it as the new ones.
 */
export const edit = (schedule: RunSchedule, terms: Terms, gate: Gate, at: number): Changed => {
  if (haveSameTiming(schedule.terms, terms)) {
    return { schedule: changed({ ...schedule, terms }, at), firings: [] }
  }
  if (schedule.paused !== null) {
    const cursor = Math.max(at, schedule.cursor)
    return { schedule: changed(aimed({ ...schedule, terms }, gate, cursor, []), at), firings: [] }
  }
  const found = passed(schedule, gate, at)
  return {
    schedule: changed(aimed({ ...schedule, terms }, gate, found.cursor, found.firings), at),
    firings: tooMany(found.before, at)
  }
}

/** Stops firing until it is resumed. Firings that wait, and those that were not submitted yet, are recorded as skipped. */
export const pause = (schedule: RunSchedule, gate: Gate, paused: typeof Paused.Type): Changed => {
  if (schedule.paused !== null) return { schedule: changed({ ...schedule, paused }, paused.at), firings: [] }
  const { at } = paused
  const found = passed(schedule, gate, at)
  const waiting = schedule.queued.map((instant) =>
    recordOf(instant, at, "skipped", "The schedule was paused while the firing waited for the end of an earlier run")
  )
  const others = recorded(found, found.firings, at, (one) => {
    const due = `it was due at ${iso(one.firesAt)}`
    return isMissed(schedule, one, at)
      ? recordOf(
          one.instant,
          at,
          "missed",
          `Missed: ${due}, and no scheduler had submitted it when the schedule was paused`
        )
      : recordOf(one.instant, at, "skipped", `The schedule was paused before the firing was submitted: ${due}`)
  })
  const after = aimed({ ...schedule, paused, queued: [], caughtUpTo: null }, gate, found.cursor, [])
  return { schedule: changed(after, at), firings: [...waiting, ...others] }
}

/** Fires again, at instants after `at`: those of the pause are not caught up. */
export const resume = (schedule: RunSchedule, gate: Gate, at: number): Changed => ({
  schedule:
    schedule.paused === null
      ? schedule
      : changed(aimed({ ...schedule, paused: null }, gate, Math.max(at, schedule.cursor), []), at),
  firings: []
})

/** A window that the workflow of a schedule had, and the instant at which another one took its place. */
export interface FormerWindow {
  readonly window: Gate["runWindow"]
  readonly until: number
}

/** The windows of which each but the last was replaced by the one after it. */
export const formerWindows = (
  windows: ReadonlyArray<{ readonly window: Gate["runWindow"]; readonly setAt: number | null }>
): ReadonlyArray<FormerWindow> =>
  windows.slice(0, -1).map(({ window }, index) => ({ window, until: windows[index + 1]?.setAt ?? 0 }))

/**
 * The schedule after the edits of its window: the openings of each window up to its end count, and those of the present one
 * after that. `former` are the windows since the one that `windowRevision` names, oldest first, as far as they are known.
 */
export const follow = (
  schedule: RunSchedule,
  gate: Gate,
  former: ReadonlyArray<FormerWindow>,
  now: number
): Changed => {
  let left = schedule
  const firings: Array<Settled> = []
  for (const { until, window } of former) {
    const at = Math.max(schedule.cursor, Math.min(until, now))
    const found = schedule.paused === null ? passed(left, { ...gate, runWindow: window }, at) : null
    left = { ...left, cursor: found?.cursor ?? at, delayed: found?.firings ?? [] }
    if (found !== null) firings.push(...tooMany(found.before, at))
  }
  // Of a window that is not among them, only the opening that was found beforehand is known.
  const set = Math.min(gate.windowSet?.at ?? 0, now)
  const { cursor, delayed, next } = left
  if (cursor >= set) return { schedule: aimed(left, gate, cursor, delayed), firings }
  const isKnown = former.length === 0 && left.paused === null && next !== null && next <= set
  const known = isKnown ? [...delayed, { instant: next, firesAt: firesAt(left, next) }] : delayed
  return { schedule: aimed(left, gate, set, known), firings }
}

/** What to do about a schedule now. */
export interface Decision {
  readonly after: RunSchedule
  /** The instants that get no run, and why. */
  readonly firings: ReadonlyArray<Settled>
  /** The instant whose run is to be submitted; `null` for none. */
  readonly fire: number | null
  /** The runs that are stopped for it. */
  readonly replaces: ReadonlyArray<RunId>
}

/**
 * Decides about at most one firing that gets a run, and about those that were missed; `null` when there is nothing to do at
 * `now`. `open` are the runs of the schedule that have not ended, and `former` the windows as `follow` takes them.
 */
export const decide = (
  before: RunSchedule,
  gate: Gate,
  open: ReadonlyArray<RunId>,
  now: number,
  former: ReadonlyArray<FormerWindow> = []
): Decision | null => {
  const schedule: RunSchedule = { ...changed(before, before.updatedAt), runs: open }
  if (isOutdated(schedule, gate)) {
    const followed = follow(schedule, gate, former, now)
    return { after: followed.schedule, firings: followed.firings, fire: null, replaces: [] }
  }
  const [first, ...later] = schedule.queued
  if (waits(schedule) && first !== undefined && open.length === 0) {
    return { after: { ...schedule, queued: later }, firings: [], fire: first, replaces: [] }
  }
  const due = upcoming(schedule)
  if (schedule.paused !== null || due === null || due.firesAt > now) return null
  const { firings, schedule: left } = isMissed(schedule, due, now)
    ? settled(schedule, gate, now)
    : { schedule, firings: [] }
  if (firings.length > 0) {
    return { after: aimed(left, gate, left.cursor, left.delayed), firings, fire: null, replaces: [] }
  }
  const others = left.delayed.filter(({ instant }) => instant !== due.instant)
  const cursor = others.length === left.delayed.length ? due.instant : left.cursor
  return overlap(aimed(left, gate, cursor, others), due.instant, now)
}

/** Applies the overlap policy to an instant. */
const overlap = (schedule: RunSchedule, instant: number, now: number): Decision => {
  const { queued, runs, terms } = schedule
  const without = (outcome: FiringOutcome, reason: string, after: RunSchedule): Decision => ({
    after,
    firings: [recordOf(instant, now, outcome, reason)],
    fire: null,
    replaces: []
  })
  if (runs.length === 0 && queued.length === 0) return { after: schedule, firings: [], fire: instant, replaces: [] }
  const [run] = runs
  const busy = run === undefined ? "Earlier firings wait" : `Run ${run} of an earlier firing has not ended`
  switch (terms.overlap) {
    case "skip":
      return without("skipped", busy, schedule)
    case "queue_one":
      return queued.length > 0
        ? without("skipped", `${busy}, and another firing waits for that`, schedule)
        : without("queued", busy, { ...schedule, queued: [instant] })
    case "queue_all":
      return queued.length >= mostQueued
        ? without("skipped", `${busy}, and ${mostQueued} firings wait for that`, schedule)
        : without("queued", busy, { ...schedule, queued: [...queued, instant] })
    case "replace":
      return {
        after: { ...schedule, queued: [], runs: [] },
        firings: queued.map((one) => recordOf(one, now, "skipped", `Replaced by the firing of ${iso(instant)}`)),
        fire: instant,
        replaces: runs
      }
  }
}
