/**
 * Fires the schedules that are due: submits their runs, each instant once.
 *
 * Any number of processes may do this at once, and each may be killed at any point: the firing of an instant and the
 * submission of its run are one transaction. While no such process runs, firings are missed; the
 * catch-up policy of each schedule decides about them.
 */
import { Clock, Effect } from "effect"
import * as Gate from "../gate/Gate.ts"
import * as ZoneData from "../gate/ZoneData.ts"
import type { GatedRun } from "../run/RunStore.ts"
import * as Drafting from "../run/submit/Drafting.ts"
import * as Background from "../runtime/Background.ts"
import { Signals } from "../runtime/Signals.ts"
import * as Wake from "../runtime/Wake.ts"
import * as InputContract from "../workflow/contract/InputContract.ts"
import type { Problem } from "../workflow/Workflow.ts"
import { type RunTerms, WorkflowStore } from "../workflow/WorkflowStore.ts"
import type { RunId } from "../workspace/Ids.ts"
import * as InputTemplates from "./InputTemplates.ts"
import * as RunSchedule from "./RunSchedule.ts"
import { type Due, ScheduleStore, type Step } from "./ScheduleStore.ts"
import * as Timing from "./ScheduleTiming.ts"

/** How many schedules one read of the store returns, and how many of them are processed concurrently. */
const batch = 200
const atOnce = 4

/** The maximum number of reads of one tick, so that a schedule with many missed firings cannot prolong it. */
const mostLooks = 50

/** The longest sleep when the options say nothing. */
const longestSleep = 30_000

/** The interval of checks for the end of a run that a firing waits for, in case a signal is lost. */
const waitingSleep = 2_000

/** How often a submission is prepared again because the workflow was saved meanwhile. */
const mostVersions = 5

/** The run of a firing. Fails with the problems of its input. */
export const prepare = Effect.fnUntraced(function* (
  { gate, schedule }: Pick<Due, "gate" | "schedule">,
  instant: number,
  version: RunTerms
) {
  const { workflowId, workspaceId } = schedule
  const zone = Timing.zoneOf(schedule.terms.timing, gate.runWindow)
  const { input, problems } = yield* InputTemplates.render(schedule, zone, instant)
  const errors = yield* Drafting.checkInput(workspaceId, version, input)
  const all: ReadonlyArray<Problem> = problems.length > 0 ? problems : errors.map(InputContract.asProblem)
  if (all.length > 0) return yield* new RunSchedule.InvalidSchedule({ problems: all })
  const { draft } = yield* Drafting.make
  const { priority = 0, startWithinMinutes, tags = [] } = schedule.terms
  const now = yield* Clock.currentTimeMillis
  return yield* draft(version, {
    workspaceId,
    workflowId,
    input,
    options: { schedule: { id: schedule.id, at: instant } },
    trigger: "schedule",
    tags,
    priority,
    startBy: startWithinMinutes === undefined ? null : now + startWithinMinutes * 60_000
  })
})

/** The decision about one firing, for `submit`. */
export interface FiringPlan {
  readonly before: RunSchedule.RunSchedule
  /** Without the new run. */
  readonly after: RunSchedule.RunSchedule
  readonly instant: number
  readonly byHand: boolean
  readonly replaces: ReadonlyArray<RunId>
  /** The firings that get no run because of this one. */
  readonly others: RunSchedule.Decision["firings"]
  readonly now: number
}

/** Submits the run of a firing together with the change of its schedule; fails with the problems of its input. */
export const submit = Effect.fnUntraced(function* (gate: Gate.Gate, planned: FiringPlan) {
  const { after, before, byHand, instant, now, others, replaces } = planned
  const store = yield* ScheduleStore
  const workflows = yield* WorkflowStore
  const attempt = Effect.fnUntraced(function* (version: RunTerms) {
    const submission = yield* prepare({ schedule: before, gate }, instant, version)
    const step: Step = {
      before,
      after: { ...after, runs: [...after.runs, submission.id] },
      firings: [
        ...others.map((settled) => ({ ...settled, runId: null })),
        { instant, byHand, decidedAt: now, outcome: "submitted", runId: submission.id, reason: null }
      ],
      submission,
      replaces,
      why: `Replaced by the next firing of schedule ${before.id}`
    }
    return yield* store.commit(step)
  })
  // The version may be outdated; the store then refuses it, and the latest one is read again.
  const recent = yield* workflows.recentTerms(before.workspaceId, before.workflowId)
  const latest = Effect.gen(function* () {
    const { canary, version } = yield* workflows.get(before.workspaceId, before.workflowId)
    return yield* attempt({ ...version, canary })
  }).pipe(Effect.retry({ times: mostVersions, while: (error) => error._tag === "VersionOutdated" }))
  const submitted = yield* attempt(recent).pipe(
    Effect.catchTags({ VersionOutdated: () => latest, InvalidSchedule: () => latest })
  )
  yield* announce(submitted, replaces)
  return submitted
})

const announce = Effect.fnUntraced(function* (submitted: GatedRun | null, replaced: ReadonlyArray<RunId>) {
  const signals = yield* Signals
  for (const runId of replaced) yield* signals.publish({ _tag: "ended", runId })
  if (submitted === null) return
  yield* signals.publish({ _tag: Gate.mayStart(submitted.gate, submitted.run.createdAt) ? "work" : "due" })
  yield* signals.publish({ _tag: "events" })
})

/** Performs one step of a schedule; returns whether there was one. */
const settle = Effect.fnUntraced(
  function* ({ former, gate, open, schedule: before }: Due) {
    const store = yield* ScheduleStore
    const now = yield* Clock.currentTimeMillis
    const decision = RunSchedule.decide(before, gate, open, now, former)
    if (decision === null) return false
    const { after, fire, firings, replaces } = decision
    const step = { before, after, submission: null, replaces: [], why: "" }
    if (fire === null) {
      yield* store.commit({ ...step, firings: firings.map((firing) => ({ ...firing, runId: null })) })
      return true
    }
    const failed = (reason: string) =>
      store.commit({
        ...step,
        // The run that would have been replaced continues, and what waits for its end.
        after: { ...after, runs: open, queued: replaces.length > 0 ? before.queued : after.queued },
        firings: [
          {
            instant: fire,
            byHand: false,
            decidedAt: now,
            outcome: "failed",
            runId: null,
            reason: reason.slice(0, mostReason)
          }
        ]
      })
    yield* submit(gate, { before, after, instant: fire, byHand: false, replaces, others: firings, now }).pipe(
      Effect.catchTags({
        InvalidSchedule: ({ message }) => failed(`The run could not be submitted: ${message}`),
        FieldsTooLarge: ({ message }) => failed(`The run could not be submitted: ${message}`)
      })
    )
    return true
  },
  // Another process was faster, or the workflow is gone.
  Effect.catchTags({
    ScheduleOutdated: () => Effect.succeed(true),
    VersionOutdated: () => Effect.succeed(true),
    WorkflowNotFound: () => Effect.succeed(false),
    FieldsTooLarge: () => Effect.succeed(false)
  })
)

/** How many characters of a reason are kept. */
const mostReason = 2_000

/** A defect of one schedule must not keep the others from firing. */
const settleAlone = (due: Due) =>
  settle(due).pipe(
    Effect.catchDefect((defect) =>
      Effect.as(Effect.logError(`Could not fire schedule ${due.schedule.id}`, defect), false)
    )
  )

/** Fires everything that is due at this instant. */
export const tick = Effect.fn("Firing.tick")(function* () {
  const store = yield* ScheduleStore
  for (let look = 0; look < mostLooks; look++) {
    const due = yield* store.due(batch)
    const done = yield* Effect.forEach(due, settleAlone, { concurrency: atOnce })
    if (!done.includes(true)) break
  }
})

/** Fires schedules without end, as they are due. It sleeps for 30 s at most unless the options say otherwise. */
export const run = ({ longestSleepMillis = longestSleep }: Wake.Polling = {}) => running(longestSleepMillis)

const running = Effect.fn("Firing.run")(function* (longestSleepMillis: number) {
  const store = yield* ScheduleStore
  let waits = false
  const wake = yield* Wake.onSignal(({ _tag }) => _tag === "due" || (waits && _tag === "ended"))
  const tickThenSleep = Effect.gen(function* () {
    const began = yield* Clock.currentTimeMillis
    const decides = yield* Effect.flatMap(ZoneData.ZoneData, (zoneData) => zoneData.decides)
    if (decides) yield* tick()
    const next = yield* store.nextDue
    waits = next.waits
    const now = yield* Clock.currentTimeMillis
    const left = Math.min((next.at ?? Number.POSITIVE_INFINITY) - now, waits ? waitingSleep : longestSleepMillis)
    // What is still due failed: retry after a pause, also after a clock was set back. Check less often what another
    // process has taken.
    yield* wake.sleep(now < began ? waitingSleep : Math.max(left, decides ? shortestSleep : waitingSleep))
  })
  return yield* Effect.forever(tickThenSleep.pipe(Background.round("fire schedules")))
}, Effect.scoped)

/** The shortest pause between two ticks, in milliseconds. */
const shortestSleep = 20
