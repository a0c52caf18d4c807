/**
 * The promises of every store of schedules: `ScheduleStore`, on the data of the stores of runs, workflows and gates. They
 * fire what is due as the scheduler does.
 *
 * They expect stores without schedules of others that are due.
 */
import { Clock, Duration, Effect, Fiber, References, Result } from "effect"
import * as Gate from "../../../../core/gate/Gate.ts"
import { GateStore } from "../../../../core/gate/GateStore.ts"
import { RunStore } from "../../../../core/run/RunStore.ts"
import * as Transition from "../../../../core/run/Transition.ts"
import { Signals } from "../../../../core/runtime/Signals.ts"
import * as Firing from "../../../../core/schedule/Firing.ts"
import * as RunSchedule from "../../../../core/schedule/RunSchedule.ts"
import { keptMillis, ScheduleStore } from "../../../../core/schedule/ScheduleStore.ts"
import { type StoredWorkflow, WorkflowStore } from "../../../../core/workflow/WorkflowStore.ts"
import { Identifiers } from "../../../../core/workspace/Identifiers.ts"
import type { RunId, WorkflowId } from "../../../../core/workspace/Ids.ts"
import type { WorkspaceStore } from "../../../../core/workspace/WorkspaceStore.ts"
import * as SteppingClock from "../../clocks/SteppingClock.ts"
import * as assert from "../Assertions.ts"
import * as Contract from "../Contract.ts"
import { beside, daily, makeWorkflow, makeWorkspace, newId, submission } from "../Fixtures.ts"

/** The ports that the promises are about. */
export type Stores = GateStore | RunStore | ScheduleStore | WorkflowStore | WorkspaceStore

const minute = 60_000

/** The time of every promise. */
const now = Date.parse("2026-01-12T10:00:00Z")

/** Fires what is due, with signals that nothing listens to and identifiers that sort by the order in which they were made. */
const tick = Effect.gen(function* () {
  const base = yield* newId
  yield* Firing.tick().pipe(
    Effect.provideService(Identifiers, { uuid: Effect.sync(() => beside(base)) }),
    Effect.provideService(Signals, { publish: () => Effect.void, subscribe: Effect.never })
  )
})

/** A schedule that fires at one instant, now by default, and was made an hour ago by default. */
const schedule = Effect.fnUntraced(function* (
  { workflow }: StoredWorkflow,
  terms: Partial<RunSchedule.Terms> = {},
  made = now - 60 * minute
) {
  const one = RunSchedule.make(
    {
      id: RunSchedule.ScheduleId.make(beside(workflow.workspaceId)),
      workspaceId: workflow.workspaceId,
      workflowId: workflow.id,
      createdBy: workflow.createdBy,
      terms: {
        name: "",
        timing: { kind: "cron", cron: "* * * * *", timeZone: "UTC" },
        input: {},
        overlap: "skip",
        catchUp: "all",
        catchUpLimit: 1_000,
        jitterSeconds: 0,
        startsAt: now,
        endsAt: now,
        ...terms
      }
    },
    Gate.open,
    made
  )
  yield* (yield* ScheduleStore).insert(one)
  return one
})

/** The runs that a schedule has submitted, oldest first. */
const runsOf = Effect.fnUntraced(function* ({ id, workspaceId }: RunSchedule.RunSchedule) {
  const listed = (yield* (yield* RunStore).list(workspaceId, { limit: 10_000 })).runs
  return listed.filter(({ options }) => options.schedule?.id === id).reverse()
})

const read = Effect.fnUntraced(function* ({ id, workspaceId }: RunSchedule.RunSchedule) {
  return (yield* (yield* ScheduleStore).get(workspaceId, id)).schedule
})

const outcomesOf = Effect.fnUntraced(function* ({ id }: RunSchedule.RunSchedule) {
  return (yield* (yield* ScheduleStore).firings(id, 100)).map(({ outcome }) => outcome)
})

/** How hard schedulers are killed while they fire. */
export interface Kills {
  readonly firings: number
  /** How often schedulers are killed at most, and after at most how many turns of the others. */
  readonly kills: number
  readonly turns: number
}

/** Tests at the time of every promise. */
const atNow = <A, E, R>(test: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => Effect.provideService(test, Clock.Clock, SteppingClock.make(now).clock))

const promise = <A, E>(title: string, test: () => Effect.Effect<A, E, Stores>) =>
  Contract.promise(`schedules ${title}`, atNow(Effect.suspend(test)))

const firing = ({ firings, kills: mostKills, turns }: Kills, runtime: Clock.Clock) => {
  /** A database whose connection was cut by a kill answers again after a moment. */
  const reachable = <A, E extends { readonly _tag: string }, R>(
    effect: Effect.Effect<A, E, R>,
    times = 200
  ): Effect.Effect<A, E, R> =>
    Effect.catch(effect, (error) =>
      error._tag === "StoreUnavailable" && times > 0
        ? Effect.andThen(runtime.sleep(Duration.millis(20)), reachable(effect, times - 1))
        : Effect.fail(error)
    )
  return Effect.gen(function* () {
    const caller = yield* makeWorkspace()
    const workflows = [yield* makeWorkflow(caller), yield* makeWorkflow(caller)]
    const perSchedule = 4
    const all = yield* Effect.forEach(Array.from({ length: firings / perSchedule }), (_, index) =>
      schedule(workflows[index % 2] ?? (workflows[0] as never), {
        // Firings that are replaced have been submitted, each once.
        overlap: "replace",
        startsAt: now - (perSchedule - 1) * minute,
        endsAt: now
      })
    )
    const left = Effect.gen(function* () {
      const { at } = yield* reachable((yield* ScheduleStore).nextDue)
      return at !== null && at <= now
    })
    // Killed after ever more turns, so that both sides of each transaction are met.
    let after = 3
    let kills = 0
    for (; kills < mostKills && (yield* left); kills++) {
      const first = yield* Effect.forkChild(Effect.ignore(tick))
      const second = yield* Effect.forkChild(Effect.ignore(tick))
      after = (after * 7 + 11) % turns
      for (let turn = 0; turn < after; turn++) yield* Effect.yieldNow
      yield* Fiber.interrupt(kills % 2 === 0 ? first : second)
      for (let turn = 0; turn < after; turn++) yield* Effect.yieldNow
      yield* Fiber.interruptAll([first, second])
    }
    assert.isAbove(kills, 1)
    yield* reachable(tick)
    const { runs: listed } = yield* (yield* RunStore).list(caller.workspaceId, { limit: 10_000 })
    const fired = listed.map(({ options }) => `${options.schedule?.id} ${options.schedule?.at}`)
    const wanted = all.flatMap(({ id }) =>
      Array.from({ length: perSchedule }, (_, index) => `${id} ${now - index * minute}`)
    )
    assert.deepStrictEqual(fired.toSorted(), wanted.toSorted())
  })
}

/** How hard schedulers are killed unless a caller says otherwise. */
const gently: Kills = { firings: 20, kills: 6, turns: 900 }

/**
 * The promise that every firing is submitted once although schedulers are killed in the middle of their transactions. It
 * waits on the clock of the runtime while a store whose connections a kill has cut is unavailable.
 */
const killed = (kills: Kills): Contract.ContractPromise<Stores> =>
  Contract.promise(
    `schedules fire ${kills.firings} times from two schedulers that are killed: none twice, none lost`,
    Effect.gen(function* () {
      const runtime = yield* Clock.Clock
      yield* atNow(firing(kills, runtime)).pipe(
        // Fibers take turns after every third step, so that kills meet the middle of what a store does.
        Effect.provideService(References.MaxOpsBeforeYield, 3)
      )
    })
  )

const others: ReadonlyArray<Contract.ContractPromise<Stores>> = [
  promise("that are due submit one run each, with their input, their id and the instant", () =>
    Effect.gen(function* () {
      const workflow = yield* makeWorkflow(yield* makeWorkspace())
      const one = yield* schedule(workflow, {
        input: { day: "{{ schedule.date }}", note: "at {{ schedule.time }} in {{ schedule.time_zone }}", n: 1 }
      })
      yield* tick
      yield* tick
      const [run, ...others] = yield* runsOf(one)
      assert.lengthOf(others, 0)
      assert.deepStrictEqual(run?.options.schedule, { id: one.id, at: now })
      const { run: kept } = yield* (yield* RunStore).get(one.workspaceId, run?.id as RunId)
      const iso = new Date(now).toISOString()
      assert.deepStrictEqual(kept.input, { day: iso.slice(0, 10), note: `at ${iso.slice(11, 16)} in UTC`, n: 1 })
      const after = yield* read(one)
      assert.deepStrictEqual([after.cursor, after.next, after.runs], [now, null, [kept.id]])
      assert.deepInclude((yield* (yield* ScheduleStore).firings(one.id, 9))[0], { instant: now, runId: kept.id })
    })
  ),
  promise("keep the firing of an instant that is caught up long afterwards", () =>
    Effect.gen(function* () {
      const workflow = yield* makeWorkflow(yield* makeWorkspace())
      const long = now - 2 * keptMillis
      const one = yield* schedule(workflow, { startsAt: long, endsAt: long }, long - minute)
      yield* tick
      assert.deepStrictEqual(yield* outcomesOf(one), ["submitted"])
    })
  ),
  promise("let a firing wait for the end of the run before it", () =>
    Effect.gen(function* () {
      const workflow = yield* makeWorkflow(yield* makeWorkspace())
      const one = yield* schedule(workflow, { overlap: "queue_one", startsAt: now - minute })
      yield* tick
      assert.deepStrictEqual(yield* outcomesOf(one), ["queued", "submitted"])
      assert.isTrue((yield* (yield* ScheduleStore).nextDue).waits)
      const [first] = yield* runsOf(one)
      yield* (yield* RunStore).change(one.workspaceId, first?.id as RunId, Transition.interrupt)
      yield* tick
      assert.deepStrictEqual(yield* outcomesOf(one), ["submitted", "submitted"])
      assert.deepStrictEqual(
        (yield* runsOf(one)).map(({ options }) => options.schedule?.at),
        [now - minute, now]
      )
      assert.isFalse((yield* (yield* ScheduleStore).nextDue).waits)
    })
  ),
  promise("stop the run that a firing replaces, together with its submission", () =>
    Effect.gen(function* () {
      const workflow = yield* makeWorkflow(yield* makeWorkspace())
      const one = yield* schedule(workflow, { overlap: "replace", startsAt: now - minute })
      yield* tick
      const [first, second] = yield* runsOf(one)
      assert.deepStrictEqual([first?.status, second?.status], ["execution.stopped", "execution.queued"])
      const { run } = yield* (yield* RunStore).get(one.workspaceId, first?.id as RunId)
      assert.include(run.errors[0]?.message, `Replaced by the next firing of schedule ${one.id}`)
    })
  ),
  promise("change nothing by a step that another one has overtaken", () =>
    Effect.gen(function* () {
      const store = yield* ScheduleStore
      const workflow = yield* makeWorkflow(yield* makeWorkspace())
      const before = yield* schedule(workflow)
      yield* store.change(before.workspaceId, before.id, ({ gate, schedule }, at) =>
        Result.succeed(RunSchedule.pause(schedule, gate, { at, by: schedule.createdBy, reason: null }))
      )
      const decided = RunSchedule.decide(before, Gate.open, [], now)
      assert.notStrictEqual(decided?.fire, null)
      const refused = yield* Effect.flip(
        store.commit({
          before,
          after: decided?.after ?? before,
          firings: [],
          submission: submission(workflow, { options: { schedule: { id: before.id, at: 0 } } }),
          replaces: [],
          why: ""
        })
      )
      assert.strictEqual(refused._tag, "ScheduleOutdated")
      assert.lengthOf(yield* runsOf(before), 0)
      yield* tick
      assert.lengthOf(yield* runsOf(before), 0)
    })
  ),
  promise("keep what could not be submitted as failed, and go on", () =>
    Effect.gen(function* () {
      const one = yield* schedule(yield* makeWorkflow(yield* makeWorkspace()), { input: { a: ["{{ nothing }}"] } })
      yield* tick
      assert.deepStrictEqual(yield* outcomesOf(one), ["failed"])
      const [firing] = yield* (yield* ScheduleStore).firings(one.id, 1)
      assert.include(
        firing?.reason ?? "",
        "run_input_variables.a.0: {{ nothing }} cannot be filled in: it has no value"
      )
      assert.isNull((yield* read(one)).next)
    })
  ),
  promise("follow an edit of the window that decides when they fire", () =>
    Effect.gen(function* () {
      const gates = yield* GateStore
      const workflow = yield* makeWorkflow(yield* makeWorkspace())
      const timing = { kind: "window_opening", timeZone: null } as const
      const one = yield* schedule(workflow, { timing, startsAt: null, endsAt: null })
      assert.isNull(one.next)
      yield* gates.change(one.workspaceId, one.workflowId, (gate, at) =>
        Result.succeed(Gate.setWindow(gate, daily(8, 18), { at, by: one.createdBy }))
      )
      yield* tick
      const opening = (yield* read(one)).next ?? 0
      assert.strictEqual(new Date(opening).getUTCHours(), 8)
      assert.isAbove(opening, now)
      assert.lengthOf(yield* runsOf(one), 0)
      yield* gates.change(one.workspaceId, one.workflowId, (gate, at) =>
        Result.succeed(Gate.removeWindow(gate, { at, by: one.createdBy }))
      )
      yield* tick
      assert.isNull((yield* read(one)).next)
    })
  ),
  promise("fire at the openings of each window that was in force, also when it was edited while no scheduler ran", () =>
    Effect.gen(function* () {
      const gates = yield* GateStore
      const workflow = yield* makeWorkflow(yield* makeWorkspace())
      const { id: workflowId, workspaceId, createdBy: by } = workflow.workflow
      const day = 86_400_000
      const opens = (hour: number, at: number) =>
        gates.change(workspaceId, workflowId, (gate) =>
          Result.succeed(Gate.setWindow(gate, daily(hour, 18), { at, by }))
        )
      const midnight = now - 10 * 60 * minute
      yield* opens(8, midnight - 4 * day)
      const timing = { kind: "window_opening", timeZone: null } as const
      const terms = { timing, startsAt: null, endsAt: null, overlap: "replace", jitterSeconds: 1 } as const
      const one = yield* schedule(workflow, terms, midnight - 3 * day)
      yield* opens(9, midnight - 2 * day)
      yield* opens(7, midnight - day)
      yield* opens(12, now - minute)
      yield* tick
      const fired = (yield* runsOf(one)).map(({ options }) => options.schedule?.at)
      const hours = (count: number) => count * 60 * minute
      assert.deepStrictEqual(fired, [
        midnight - 3 * day + hours(8),
        midnight - 2 * day + hours(9),
        midnight - day + hours(7),
        midnight + hours(7)
      ])
      assert.strictEqual((yield* read(one)).next, midnight + hours(12))
    })
  ),
  promise("keep a firing that is delayed when the window that decides them is edited", () =>
    Effect.gen(function* () {
      const gates = yield* GateStore
      const workflow = yield* makeWorkflow(yield* makeWorkspace())
      const { id: workflowId, workspaceId, createdBy: by } = workflow.workflow
      const set = (closesAt: number, at: number) =>
        gates.change(workspaceId, workflowId, (gate) =>
          Result.succeed(Gate.setWindow(gate, daily(8, closesAt), { at, by }))
        )
      const opening = now - 2 * 60 * minute
      yield* set(18, opening - minute)
      const terms = { timing: { kind: "window_opening", timeZone: null }, startsAt: null, endsAt: null } as const
      const jitterSeconds = 86_400
      let one = yield* schedule(workflow, { ...terms, jitterSeconds }, opening - 1)
      while (RunSchedule.firesAt(one, opening) <= now) {
        one = yield* schedule(workflow, { ...terms, jitterSeconds }, opening - 1)
      }
      yield* tick
      yield* set(17, now)
      yield* tick
      const due = { instant: opening, firesAt: RunSchedule.firesAt(one, opening) }
      assert.deepStrictEqual(RunSchedule.upcoming(yield* read(one)), due)
    })
  ),
  promise("record the firings that a change decides, and replace that of one that waited", () =>
    Effect.gen(function* () {
      const store = yield* ScheduleStore
      const workflow = yield* makeWorkflow(yield* makeWorkspace())
      const one = yield* schedule(workflow, { overlap: "queue_one", startsAt: now - minute, endsAt: null })
      yield* tick
      assert.deepStrictEqual(yield* outcomesOf(one), ["queued", "submitted"])
      yield* store.change(one.workspaceId, one.id, ({ gate, schedule }, at) =>
        Result.succeed(RunSchedule.pause(schedule, gate, { at, by: schedule.createdBy, reason: null }))
      )
      assert.deepStrictEqual(yield* outcomesOf(one), ["skipped", "submitted"])
      assert.deepStrictEqual((yield* read(one)).queued, [])
    })
  ),
  promise("are listed in pages, are another workspace's as if absent, and go with their workflow", () =>
    Effect.gen(function* () {
      const store = yield* ScheduleStore
      const caller = yield* makeWorkspace()
      const [workflow, other] = [yield* makeWorkflow(caller), yield* makeWorkflow(caller)]
      const all = yield* Effect.forEach([workflow, other, workflow, workflow], (one) => schedule(one, { endsAt: 0 }))
      const ids = all.map(({ id }) => id)
      const listed = Effect.fnUntraced(function* (filter: { after?: string; workflowId?: WorkflowId }) {
        return (yield* store.list(caller.workspaceId, { limit: 3, ...filter })).map((one) => one.schedule.id)
      })
      assert.deepStrictEqual(yield* listed({}), ids.slice(0, 3))
      assert.deepStrictEqual(yield* listed({ after: ids[2] ?? "" }), ids.slice(3))
      assert.deepStrictEqual(yield* listed({ workflowId: other.workflow.id }), ids.slice(1, 2))
      const stranger = yield* makeWorkspace()
      const [first, second] = all as [RunSchedule.RunSchedule, RunSchedule.RunSchedule]
      assert.strictEqual((yield* Effect.flip(store.get(stranger.workspaceId, first.id)))._tag, "ScheduleNotFound")
      assert.strictEqual((yield* Effect.flip(store.remove(stranger.workspaceId, first.id)))._tag, "ScheduleNotFound")
      assert.lengthOf(yield* store.list(stranger.workspaceId, { limit: 9 }), 0)
      assert.deepStrictEqual((yield* store.remove(caller.workspaceId, first.id)).schedule, first)
      yield* (yield* WorkflowStore).remove(caller.workspaceId, other.workflow.id)
      assert.strictEqual((yield* Effect.flip(store.get(caller.workspaceId, second.id)))._tag, "ScheduleNotFound")
      assert.strictEqual((yield* Effect.flip(store.insert(second)))._tag, "WorkflowNotFound")
      assert.deepStrictEqual(yield* listed({}), ids.slice(2))
    })
  )
]

/** What every implementation promises, with schedulers that are killed as hard as `kills` says. */
export const promisesUnder = (kills: Kills): ReadonlyArray<Contract.ContractPromise<Stores>> => [
  ...others,
  killed(kills)
]

/** What every implementation promises. */
export const promises: ReadonlyArray<Contract.ContractPromise<Stores>> = promisesUnder(gently)
