/**
 * Whatever other workspaces submit, the run of one more starts within a bound: with `P` places and `N` workspaces that wait,
 * after at most `ceil(N / P)` times the longest duration of a run.
 */
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import * as Memory from "../../../adapters/memory/Memory.ts"
import { Executor } from "../../../core/run/Executor.ts"
import { RunStore } from "../../../core/run/RunStore.ts"
import * as Worker from "../../../core/run/Worker.ts"
import { Signals } from "../../../core/runtime/Signals.ts"
import type { RunId } from "../../../core/workspace/Ids.ts"
import { makeWorkflow, makeWorkspace, submission } from "../../support/fixtures.ts"
import { scale } from "../../support/scale.ts"

const minute = 60_000
/** The longest duration of a run. */
const longest = 30 * minute
/** How long a worker sleeps at most before it looks for work. */
const look = 10_000

const whole = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const History = Schema.Struct({
  places: whole(2, 4),
  /** What the others submit: who, by which of its workflows, when, how many, how urgent, and how long each takes, in minutes. */
  submissions: Schema.Array(
    Schema.Struct({
      workspace: whole(0, 6),
      workflow: whole(0, 3),
      at: whole(0, 90),
      count: whole(1, 12),
      priority: whole(0, 100),
      minutes: whole(1, 30)
    })
  ).check(Schema.isMinLength(4), Schema.isMaxLength(14)),
  /** When the last workspace submits its run. */
  at: whole(1, 90)
})
type History = typeof History.Type

/** How long the run of the last workspace waits, and the most places that a workspace had at once. */
const waited = Effect.fnUntraced(function* (history: History, limited: boolean) {
  const store = yield* RunStore
  const signals = yield* Signals
  const durations = new Map<string, number>()
  const running = new Map<string, number>()
  const started = new Map<RunId, number>()
  let now = 0
  let most = 0
  const executor = Executor.of({
    execute: ({ run }) =>
      Effect.gen(function* () {
        started.set(run.id, now)
        const count = (running.get(run.workspaceId) ?? 0) + 1
        running.set(run.workspaceId, count)
        most = Math.max(most, count)
        yield* Effect.sleep(durations.get(run.id) ?? minute)
        running.set(run.workspaceId, (running.get(run.workspaceId) ?? 0) - 1)
        return { _tag: "Success", data: {} } as const
      })
  })
  const working = Worker.run({
    name: "w",
    capacity: history.places,
    ...(limited ? { workspaceRuns: (places: number) => Effect.succeed(places - 1) } : {}),
    leaseMillis: 30_000,
    graceMillis: 0
  }).pipe(Effect.provideService(Executor, executor))
  yield* Effect.forkScoped(working)
  const callers = yield* Effect.forEach(Array.from({ length: 8 }), () => makeWorkspace())
  const workflows = yield* Effect.forEach(callers, (caller) =>
    Effect.forEach(Array.from({ length: 4 }), () => makeWorkflow(caller))
  )
  const submit = Effect.fnUntraced(function* (workspace: number, workflow: number, minutes: number, priority = 0) {
    const made = workflows[workspace]?.[workflow]
    if (made === undefined) return assert.fail("No such workflow")
    const sent = submission(made, { priority })
    durations.set(sent.id, minutes * minute)
    yield* store.submit(sent)
    return sent.id
  })
  let last: RunId | null = null
  for (let at = 0; at <= 90 || (last !== null && !started.has(last)); at++) {
    if (at > 600) break
    for (const one of history.submissions.filter((each) => each.at === at)) {
      for (let turn = 0; turn < one.count; turn++) yield* submit(one.workspace, one.workflow, one.minutes, one.priority)
    }
    if (at === history.at) last = yield* submit(7, 0, 1)
    yield* signals.publish({ _tag: "work" })
    for (let part = 0; part < 6; part++) {
      yield* TestClock.adjust(look)
      now += look
    }
  }
  return { millis: (last === null ? Infinity : (started.get(last) ?? Infinity)) - history.at * minute, most }
})

const simulated = (history: History, limited = true) =>
  Effect.scoped(waited(history, limited)).pipe(Effect.provide(Layer.fresh(Memory.layer)))

const boundOf = ({ places, submissions }: History): number =>
  Math.ceil((new Set(submissions.map(({ workspace }) => workspace)).size + 1) / places) * longest + 2 * look

/** Each of six workspaces fills the service before the last one comes. */
const crowded: History = {
  places: 2,
  submissions: Array.from({ length: 12 }, (_, index) => ({
    workspace: index % 6,
    workflow: index < 6 ? 0 : 1,
    at: 0,
    count: 12,
    priority: 100,
    minutes: 30
  })),
  at: 1
}

describe("turns between workspaces", () => {
  it.effect.prop(
    "start the run of any workspace within the bound, and leave a place free of each other one",
    [Arbitrary.schema(History)],
    ([history]) =>
      Effect.gen(function* () {
        const { millis, most } = yield* simulated(history)
        assert.isAtMost(millis, boundOf(history))
        assert.isAtMost(most, history.places - 1)
      }),
    { arbitrary: { runs: 15 * Math.ceil(scale), size: 30 } }
  )

  it.effect("hold when all others are there first", () =>
    Effect.gen(function* () {
      assert.isAtMost((yield* simulated(crowded)).millis, boundOf(crowded))
    })
  )

  it.effect("leave no place free without the limit, so that a run waits for one of another workspace", () =>
    Effect.gen(function* () {
      const greedy: History = { ...crowded, submissions: crowded.submissions.map((one) => ({ ...one, workspace: 0 })) }
      assert.isAtMost((yield* simulated(greedy)).millis, 2 * look)
      assert.isAbove((yield* simulated(greedy, false)).millis, 20 * minute)
    })
  )
})
