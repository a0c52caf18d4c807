import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Memory from "../../../adapters/memory/Memory.ts"
import type * as Forecast from "../../../core/gate/Forecast.ts"
import * as Gate from "../../../core/gate/Gate.ts"
import * as PlaceLimit from "../../../core/run/hold/PlaceLimit.ts"
import * as Waits from "../../../core/run/hold/Waits.ts"
import { holdsOf } from "../../../core/run/list/RunFilter.ts"
import type * as Run from "../../../core/run/Run.ts"
import type * as Slots from "../../../core/run/Slots.ts"
import * as Transition from "../../../core/run/Transition.ts"
import { daily, makeWorkspace, stored, submission } from "../../support/fixtures.ts"

const caller = Effect.runSync(makeWorkspace().pipe(Effect.provide(Memory.layer)))
const hour = 3_600_000
const queued: Run.Run = { ...Transition.submit(submission(stored(caller)), Gate.open, 0).run, expiresAt: null }
const actor = { at: 0, by: "u" }
const closed = Gate.setWindow(Gate.open, daily(9, 17), actor)
const paused = (gate: Gate.Gate) => Gate.pause(gate, actor, { reason: "Repairs", until: null })
const busy: Slots.Awaited = { alias: "SITE", isLogin: false }

const queue: Forecast.Queue = {
  waiting: 5,
  atLeast: false,
  ahead: 2,
  running: 0,
  takenUntil: 0,
  durationMillis: 60_000,
  deadlines: []
}
const workers = (capacity: number, running: number): Waits.Demand => ({ queue, workers: { capacity, running } })

const of = (
  {
    awaited = null,
    gate = Gate.open,
    run = {}
  }: { gate?: Gate.Gate; awaited?: Slots.Awaited | null; run?: Partial<Run.WaitingRun> },
  demand: Waits.Demand | null = null
) => Waits.of({ run: { ...queued, ...run } as Run.Run, gate, awaited, at: 0 }, demand)

const said = (found: Waits.Outlook) => [
  found.waits.map(({ reason, until }) => [reason, until]),
  found.earliestStart,
  found.startsLater
]

describe("why a run waits", () => {
  it("is a closed window and a pause before everything else, each with its end", () => {
    assert.deepStrictEqual(said(of({ gate: closed, awaited: busy })), [
      [["run_window", 9 * hour]],
      9 * hour,
      "run_window"
    ])
    assert.deepStrictEqual(said(of({ gate: paused(closed) })), [
      [
        ["run_window", 9 * hour],
        ["manual", null]
      ],
      null,
      "run_window"
    ])
  })

  it("is a busy credential or the sign-in of another run although workers are free, and no start is in sight", () => {
    const free = workers(4, 1)
    assert.deepStrictEqual(said(of({ awaited: busy }, free)), [[["credential", null]], null, "credential"])
    const signing = of({ awaited: { alias: "SITE", isLogin: true } }, free)
    assert.deepStrictEqual(said(signing), [[["login", null]], null, "login"])
    assert.strictEqual(signing.waits[0]?.credential, "SITE")
  })

  it("is the delay of a retry before a credential", () => {
    assert.deepStrictEqual(said(of({ awaited: busy, run: { notBefore: 500 } })), [
      [["retry_delay", 500]],
      500,
      "retry_delay"
    ])
  })

  it("is the pace or the number of workers where that puts the start off, with the runs before it", () => {
    assert.deepStrictEqual(said(of({}, workers(4, 0))), [[["capacity", null]], 0, null])
    const late = of({}, workers(1, 0))
    assert.deepStrictEqual(said(late), [[["capacity", 120_000]], 120_000, "capacity"])
    assert.strictEqual(late.waits[0]?.ahead, 2)
    assert.deepStrictEqual(said(of({}, workers(0, 0))), [[["capacity", null]], null, "capacity"])
    const paced = Gate.setPace(closed, { maxStartsPerMinute: 1, maxRunning: null })
    const held = of({ gate: paced }, { queue, workers: null })
    const start = held.earliestStart
    assert.isAbove(start ?? 0, 9 * hour)
    const waits = [
      ["run_window", 9 * hour],
      ["pace", start]
    ]
    assert.deepStrictEqual<unknown>(said(held), [waits, start, "pace"])
  })

  it("is the places of its workspace where those are all in use, whatever the forecast, unless the pace keeps it", () => {
    const share = { ...workers(4, 3), limit: "workspace_runs" } as const
    for (const demand of [share, { ...workers(1, 0), limit: "workspace_runs" } as const]) {
      const held = of({}, demand)
      assert.deepStrictEqual(said(held), [[["capacity", null]], null, "capacity"])
      assert.deepInclude(held.waits[0], { ahead: 2, limit: "workspace_runs" })
    }
    assert.deepStrictEqual(said(of({ gate: closed }, share)), [[["run_window", 9 * hour]], 9 * hour, "run_window"])
    const paced = Gate.setPace(Gate.open, { maxStartsPerMinute: 1, maxRunning: null })
    assert.strictEqual(of({ gate: paced }, share).startsLater, "pace")
    assert.strictEqual(of({}, workers(1, 0)).waits[0]?.limit, "concurrency")
    assert.strictEqual(of({}, { ...workers(4, 0), limit: "concurrency" }).waits[0]?.limit, "concurrency")
    assert.isNull(of({}, workers(0, 0)).waits[0]?.limit)
    const early = of({ run: { startBy: 60_000 } }, share)
    assert.deepStrictEqual([early.waits.map(({ reason }) => reason), early.expiresAt], [["capacity"], null])
  })

  it("is that of the limit which each worker with a free place has reached for its workspace", () => {
    const limitOf = (...used: ReadonlyArray<readonly [runs: number, own: number]>) =>
      PlaceLimit.of(
        used.map((_, at) => ({ name: `w${at}`, capacity: 4, workspaceRuns: 3 })),
        [{ worker: "gone", runs: 9, own: 0 }, ...used.map(([runs, own], at) => ({ worker: `w${at}`, runs, own }))]
      )
    assert.isNull(limitOf())
    assert.isNull(limitOf([3, 2]))
    assert.isNull(limitOf([3, 3], [0, 0]))
    assert.strictEqual(limitOf([3, 3]), "workspace_runs")
    assert.strictEqual(limitOf([3, 3], [4, 0]), "workspace_runs")
    assert.strictEqual(limitOf([4, 3]), "concurrency")
    assert.isNull(PlaceLimit.of([{ name: "w", capacity: 1, workspaceRuns: 1 }], []))
  })

  it("is its deadline where that comes before its start: then it does not say that it will start", () => {
    const early = { startBy: 8 * hour }
    assert.deepStrictEqual(said(of({ gate: closed, run: early })), [
      [
        ["run_window", 9 * hour],
        ["deadline", 8 * hour]
      ],
      null,
      "deadline"
    ])
    assert.deepStrictEqual(said(of({ gate: closed, run: { startBy: 10 * hour } })), [
      [["run_window", 9 * hour]],
      9 * hour,
      "run_window"
    ])
    // A run that has started before may start again after it.
    const again = { ...early, startedAt: 0, status: "execution.requeued" } as const
    assert.strictEqual(of({ gate: closed, run: again }).earliestStart, 9 * hour)
  })

  it("is nothing for a run that does not wait or whose workflow is deleted", () => {
    const none = [[], null, null]
    const ended = { ...queued, status: "execution.success", startedAt: 0, endedAt: 0, lease: null } as const
    assert.deepStrictEqual(said(Waits.of({ run: ended, gate: Gate.open, awaited: null, at: 0 }, null)), none)
    assert.deepStrictEqual(said(of({ gate: Gate.remove(Gate.open, 0) })), none)
  })

  it("is its deadline where it cannot start before, and then it has no start", () => {
    const held = of({ gate: closed, run: { startBy: 8 * hour } })
    assert.deepStrictEqual(said(held), [
      [
        ["run_window", 9 * hour],
        ["deadline", 8 * hour]
      ],
      null,
      "deadline"
    ])
    assert.strictEqual(held.expiresAt, 8 * hour)
    assert.isNull(of({ gate: closed, run: { startBy: 10 * hour } }).expiresAt)
    assert.strictEqual(of({ gate: paused(Gate.open), run: { startBy: hour } }).expiresAt, hour)
    const busyWorkers = of({ run: { startBy: 60_000 } }, workers(1, 1))
    assert.deepStrictEqual([busyWorkers.earliestStart, busyWorkers.expiresAt], [null, 60_000])
    assert.isNull(of({ run: { startBy: 60_000, startedAt: 0 } }, workers(1, 1)).expiresAt)
  })

  it("is the same in lists, by their names", () => {
    const listed = (facts: { gate?: Gate.Gate; awaited?: Slots.Awaited | null; run?: Partial<Run.WaitingRun> }) =>
      holdsOf({
        run: { ...queued, ...facts.run } as Run.Run,
        gate: facts.gate ?? Gate.open,
        awaited: facts.awaited ?? null,
        at: 0
      })
    assert.deepStrictEqual(listed({ gate: paused(closed), awaited: busy }), ["run_window", "manual"])
    assert.deepStrictEqual(listed({ awaited: busy }), ["credential"])
    assert.deepStrictEqual(listed({ awaited: { ...busy, isLogin: true } }), ["credential"])
    assert.deepStrictEqual(listed({}), ["capacity"])
    assert.deepStrictEqual(listed({ run: { notBefore: 500 } }), [])
  })
})
