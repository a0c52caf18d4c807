import { randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Memory from "../../../adapters/memory/Memory.ts"
import { GateStore } from "../../../core/gate/GateStore.ts"
import { ZoneData } from "../../../core/gate/ZoneData.ts"
import { RunStore } from "../../../core/run/RunStore.ts"
import * as Transition from "../../../core/run/Transition.ts"
import { Signals } from "../../../core/runtime/Signals.ts"
import * as Firing from "../../../core/schedule/Firing.ts"
import { Schedules } from "../../../core/schedule/Schedules.ts"
import { Identifiers } from "../../../core/workspace/Identifiers.ts"
import { eventually } from "../../support/eventually.ts"
import { makeWorkflow, makeWorkspace } from "../../support/fixtures.ts"

const layer = Schedules.layer.pipe(
  Layer.provideMerge(Memory.layer),
  Layer.provideMerge(Layer.succeed(Identifiers, { uuid: Effect.sync(() => randomUUID()) }))
)

const setUp = Effect.gen(function* () {
  yield* GateStore
  const caller = yield* makeWorkspace()
  const { workflow } = yield* makeWorkflow(caller)
  yield* Effect.forkScoped(Firing.run())
  yield* Effect.yieldNow
  const body = { workflow_id: workflow.id, cron: "0 * * * *", time_zone: "UTC" }
  const { schedule } = yield* (yield* Schedules).create(caller, body)
  const runs = yield* RunStore
  const instants = Effect.map(runs.list(caller.workspaceId, { limit: 100 }), ({ runs: all }) =>
    all.map(({ options }) => options.schedule?.at).reverse()
  )
  /** Waits until the runs of these instants were submitted. */
  const reaches = (wanted: ReadonlyArray<number>) =>
    eventually(
      Effect.gen(function* () {
        while ((yield* instants).join() !== wanted.join()) yield* Effect.sleep("100 millis")
      })
    )
  return { caller, schedule, runs, instants, reaches, body, schedules: yield* Schedules }
})

const hour = 3_600_000

it.effect("the scheduler of schedules fires one that was created while it slept, and each hour again", () =>
  Effect.gen(function* () {
    const { caller, instants, reaches, runs } = yield* setUp
    yield* TestClock.adjust("59 minutes")
    assert.deepStrictEqual(yield* instants, [])
    yield* TestClock.adjust("2 minutes")
    yield* reaches([hour])
    const [run] = (yield* runs.list(caller.workspaceId, { limit: 1 })).runs
    if (run !== undefined) yield* runs.change(caller.workspaceId, run.id, (one, at) => Transition.interrupt(one, at))
    yield* TestClock.adjust("1 hour")
    yield* reaches([hour, 2 * hour])
  }).pipe(Effect.provide(layer), Effect.scoped)
)

it.effect("the scheduler of schedules notices the end of a run that a firing waits for", () =>
  Effect.gen(function* () {
    const { body, caller, reaches, runs, schedule, schedules } = yield* setUp
    yield* schedules.replace(caller, schedule.id, { ...body, overlap: "queue_one" })
    yield* TestClock.adjust("61 minutes")
    yield* reaches([hour])
    yield* TestClock.adjust("1 hour")
    const [run] = (yield* runs.list(caller.workspaceId, { limit: 1 })).runs
    if (run === undefined) return assert.fail("No run was submitted")
    yield* runs.change(caller.workspaceId, run.id, (one, at) => Transition.interrupt(one, at))
    yield* (yield* Signals).publish({ _tag: "ended", runId: run.id })
    yield* reaches([hour, 2 * hour])
  }).pipe(Effect.provide(layer), Effect.scoped)
)

it.effect("a scheduler that leaves schedules to another looks at what is due every two seconds at most", () =>
  Effect.gen(function* () {
    let looks = 0
    const zoneData = { decides: Effect.sync(() => ++looks === 0) }
    yield* Effect.gen(function* () {
      const { instants } = yield* setUp
      yield* TestClock.adjust("61 minutes")
      const before = looks
      for (let second = 0; second < 20; second++) yield* TestClock.adjust("1 second")
      assert.isAtLeast(looks, before + 5)
      assert.isAtMost(looks, before + 11)
      assert.deepStrictEqual(yield* instants, [])
    }).pipe(Effect.provideService(ZoneData, zoneData))
  }).pipe(Effect.provide(layer), Effect.scoped)
)
