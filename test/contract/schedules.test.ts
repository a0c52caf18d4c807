import { randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Clock, Effect, Fiber, type Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import * as Gate from "../../core/gate/Gate.ts"
import { GateStore } from "../../core/gate/GateStore.ts"
import { RunStore } from "../../core/run/RunStore.ts"
import * as Transition from "../../core/run/Transition.ts"
import { Signals } from "../../core/runtime/Signals.ts"
import * as Firing from "../../core/schedule/Firing.ts"
import * as RunSchedule from "../../core/schedule/RunSchedule.ts"
import { ScheduleStore } from "../../core/schedule/ScheduleStore.ts"
import { WorkflowStore } from "../../core/workflow/WorkflowStore.ts"
import { Identifiers } from "../../core/workspace/Identifiers.ts"
import type { Caller } from "../../core/workspace/Workspace.ts"
import type { WorkspaceStore } from "../../core/workspace/WorkspaceStore.ts"
import * as databases from "../support/databases.ts"
import { daily, makeWorkflow, makeWorkspace, submission } from "../support/fixtures.ts"
import { scale } from "../support/scale.ts"

const minute = 60_000

type Stores = GateStore | RunStore | ScheduleStore | WorkflowStore | WorkspaceStore

/** Signals that nothing listens to, and identifiers that sort by the order in which they were made. */
let made = 0
const services = {
  identifiers: Identifiers.of({
    uuid: Effect.sync(() => {
      const time = (Date.now() * 4_096 + (made++ % 4_096)).toString(16).padStart(15, "0")
      return `${time.slice(0, 8)}-${time.slice(8, 12)}-7${time.slice(12, 15)}-${randomUUID().slice(19)}`
    })
  }),
  signals: Signals.of({ publish: () => Effect.void, subscribe: Effect.never })
}

const tick = Firing.tick().pipe(
  Effect.provideService(Identifiers, services.identifiers),
  Effect.provideService(Signals, services.signals)
)

type Workflow = Effect.Success<ReturnType<typeof makeWorkflow>>

/** A schedule that fires at one instant, now unless said otherwise, and was made an hour before. */
const schedule = Effect.fnUntraced(function* (
  { workflow }: Workflow,
  terms: Partial<RunSchedule.Terms> = {},
  gate = Gate.open
) {
  const now = yield* Clock.currentTimeMillis
  const at = Math.floor(now / minute) * minute
  const one = RunSchedule.make(
    {
      id: RunSchedule.ScheduleId.make(yield* services.identifiers.uuid),
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
        startsAt: at,
        endsAt: at,
        ...terms
      }
    },
    gate,
    at - 60 * minute
  )
  yield* (yield* ScheduleStore).insert(one)
  return one
})

/** The runs that a schedule has submitted, oldest first. */
const runsOf = Effect.fnUntraced(function* ({ id, workspaceId }: RunSchedule.RunSchedule) {
  const runs = yield* RunStore
  const listed = (yield* runs.list(workspaceId, { limit: 10_000 })).runs
  return listed.filter(({ options }) => options.schedule?.id === id).reverse()
})

const read = Effect.fnUntraced(function* ({ id, workspaceId }: RunSchedule.RunSchedule) {
  return (yield* (yield* ScheduleStore).get(workspaceId, id)).schedule
})

const outcomesOf = Effect.fnUntraced(function* ({ id }: RunSchedule.RunSchedule) {
  return (yield* (yield* ScheduleStore).firings(id, 100)).map(({ outcome }) => outcome)
})

const interrupt = Effect.fnUntraced(function* ({ workspaceId }: RunSchedule.RunSchedule, id: never) {
  yield* (yield* RunStore).change(workspaceId, id, (locked, at) => Transition.interrupt(locked, at))
})

interface Scope {
  readonly firings: number
  /** How often schedulers are killed at most, and after how many turns of the others. */
  readonly kills: number
  readonly turns: number
}

/** A database whose connection was cut by a kill answers again after a moment. */
const reachable = <A, E extends { readonly _tag: string }, R>(
  effect: Effect.Effect<A, E, R>,
  times = 200
): Effect.Effect<A, E, R> =>
  Effect.catch(effect, (error) =>
    error._tag === "StoreUnavailable" && times > 0
      ? Effect.andThen(TestClock.withLive(Effect.sleep("20 millis")), reachable(effect, times - 1))
      : Effect.fail(error)
  )

const suite = <E>(name: string, layer: Layer.Layer<Stores, E>, { firings, kills: mostKills, turns }: Scope) =>
  it.layer(layer, { timeout: "60 seconds" })(`schedules (${name})`, (it) => {
    it.effect("that are due submit one run each, with their input, their id and the instant", () =>
      Effect.gen(function* () {
        const workflow = yield* makeWorkflow(yield* makeWorkspace())
        const one = yield* schedule(workflow, {
          input: { day: "{{ schedule.date }}", note: "at {{ schedule.time }} in {{ schedule.time_zone }}", n: 1 }
        })
        yield* tick
        yield* tick
        const [run, ...others] = yield* runsOf(one)
        assert.lengthOf(others, 0)
        const at = one.terms.startsAt ?? 0
        assert.deepStrictEqual(run?.options.schedule, { id: one.id, at })
        const { run: kept } = yield* (yield* RunStore).get(one.workspaceId, run?.id as never)
        const iso = new Date(at).toISOString()
        assert.deepStrictEqual(kept.input, { day: iso.slice(0, 10), note: `at ${iso.slice(11, 16)} in UTC`, n: 1 })
        const after = yield* read(one)
        assert.deepStrictEqual([after.cursor, after.next, after.runs], [at, null, [kept.id]])
        assert.deepInclude((yield* (yield* ScheduleStore).firings(one.id, 9))[0], { instant: at, runId: kept.id })
      })
    )

    it.effect(`fire ${firings} times from two schedulers that are killed: none twice, none lost`, () =>
      Effect.gen(function* () {
        const caller = yield* makeWorkspace()
        const workflows = [yield* makeWorkflow(caller), yield* makeWorkflow(caller)]
        const perSchedule = 4
        const now = Math.floor((yield* Clock.currentTimeMillis) / minute) * minute
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
          return at !== null && at <= (yield* Clock.currentTimeMillis)
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
    )

    it.effect("let a firing wait for the end of the run before it", () =>
      Effect.gen(function* () {
        const workflow = yield* makeWorkflow(yield* makeWorkspace())
        const at = Math.floor((yield* Clock.currentTimeMillis) / minute) * minute
        const one = yield* schedule(workflow, { overlap: "queue_one", startsAt: at - minute })
        yield* tick
        assert.deepStrictEqual(yield* outcomesOf(one), ["queued", "submitted"])
        assert.isTrue((yield* (yield* ScheduleStore).nextDue).waits)
        const [first] = yield* runsOf(one)
        yield* interrupt(one, first?.id as never)
        yield* tick
        assert.deepStrictEqual(yield* outcomesOf(one), ["submitted", "submitted"])
        assert.deepStrictEqual(
          (yield* runsOf(one)).map(({ options }) => options.schedule?.at),
          [at - minute, at]
        )
        assert.isFalse((yield* (yield* ScheduleStore).nextDue).waits)
      })
    )

    it.effect("stop the run that a firing replaces, together with its submission", () =>
      Effect.gen(function* () {
        const workflow = yield* makeWorkflow(yield* makeWorkspace())
        const at = Math.floor((yield* Clock.currentTimeMillis) / minute) * minute
        const one = yield* schedule(workflow, { overlap: "replace", startsAt: at - minute })
        yield* tick
        const [first, second] = yield* runsOf(one)
        assert.deepStrictEqual([first?.status, second?.status], ["execution.stopped", "execution.queued"])
        const { run } = yield* (yield* RunStore).get(one.workspaceId, first?.id as never)
        assert.include(run.errors[0]?.message, `Replaced by the next firing of schedule ${one.id}`)
      })
    )

    it.effect("change nothing by a step that another one has overtaken", () =>
      Effect.gen(function* () {
        const store = yield* ScheduleStore
        const workflow = yield* makeWorkflow(yield* makeWorkspace())
        const before = yield* schedule(workflow)
        yield* store.change(before.workspaceId, before.id, ({ schedule }, at) =>
          Result.succeed(RunSchedule.pause(schedule, { at, by: schedule.createdBy, reason: null }))
        )
        const decided = RunSchedule.decide(before, Gate.open, [], yield* Clock.currentTimeMillis)
        assert.isNotNull(decided?.fire)
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
    )

    it.effect("keep what could not be submitted as failed, and go on", () =>
      Effect.gen(function* () {
        const one = yield* schedule(yield* makeWorkflow(yield* makeWorkspace()), { input: { a: ["{{ nothing }}"] } })
        yield* tick
        assert.deepStrictEqual(yield* outcomesOf(one), ["failed"])
        const [firing] = yield* (yield* ScheduleStore).firings(one.id, 1)
        assert.include(firing?.reason, "run_input_variables.a.0: {{ nothing }} cannot be filled in: it has no value")
        assert.isNull((yield* read(one)).next)
      })
    )

    it.effect("follow an edit of the window that decides when they fire", () =>
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
        assert.isAbove(opening, yield* Clock.currentTimeMillis)
        assert.lengthOf(yield* runsOf(one), 0)
        yield* gates.change(one.workspaceId, one.workflowId, (gate, at) =>
          Result.succeed(Gate.removeWindow(gate, { at, by: one.createdBy }))
        )
        yield* tick
        assert.isNull((yield* read(one)).next)
      })
    )

    it.effect("are listed in pages, are another workspace's as if absent, and go with their workflow", () =>
      Effect.gen(function* () {
        const store = yield* ScheduleStore
        const caller: Caller = yield* makeWorkspace()
        const [workflow, other] = [yield* makeWorkflow(caller), yield* makeWorkflow(caller)]
        const all = yield* Effect.forEach([workflow, other, workflow, workflow], (one) => schedule(one, { endsAt: 0 }))
        const ids = all.map(({ id }) => id)
        const listed = Effect.fnUntraced(function* (filter: { after?: string; workflowId?: never }) {
          return (yield* store.list(caller.workspaceId, { limit: 3, ...filter })).map((one) => one.schedule.id)
        })
        assert.deepStrictEqual(yield* listed({}), ids.slice(0, 3))
        assert.deepStrictEqual(yield* listed({ after: ids[2] ?? "" }), ids.slice(3))
        assert.deepStrictEqual(yield* listed({ workflowId: other.workflow.id as never }), ids.slice(1, 2))
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
  })

suite("memory", databases.memory[0], { firings: 1_000, kills: 1_000, turns: 900 })
suite("embedded", databases.embedded[0], { firings: 20 * scale, kills: 6 * scale, turns: 20_000 })
suite("PostgreSQL", databases.postgres[0], { firings: 40 * scale, kills: 10 * scale, turns: 20_000 })
