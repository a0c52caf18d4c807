import { assert, describe, it } from "@effect/vitest"
import * as Forecast from "../../../core/gate/Forecast.ts"
import * as Gate from "../../../core/gate/Gate.ts"
import type * as Pace from "../../../core/gate/Pace.ts"
import { daily } from "../../support/fixtures.ts"

const hour = 3_600_000
const minute = 60_000

const gateOf = (pace: Pace.Pace, window = daily(9, 17)): Gate.Gate =>
  Gate.setPace(Gate.setWindow(Gate.open, window, { at: 0, by: "u" }), pace)

const queueOf = (waiting: number, more: Partial<Forecast.Queue> = {}): Forecast.Queue => ({
  waiting,
  atLeast: false,
  ahead: 0,
  running: 0,
  takenUntil: 0,
  durationMillis: null,
  deadlines: [],
  ...more
})

/** As where the workers are not known. */
const of = (gate: Gate.Gate, queue: Forecast.Queue, at: number) => Forecast.of(gate, queue, null, at)

const startOf = (gate: Gate.Gate, queue: Forecast.Queue, number: number, at: number) =>
  Forecast.startOf(gate, queue, null, number, at)?.at ?? null

describe("the forecast of a paced workflow", () => {
  it("leaves out the runs that end at their deadline, and says how many and when", () => {
    const gate = gateOf({ maxStartsPerMinute: 1, maxRunning: null })
    const deadlines = [
      { place: 1, at: 9 * hour },
      { place: 3, at: 9 * hour + 2 * minute },
      { place: 4, at: 9 * hour + minute }
    ]
    // The second and the third start at 09:00 and 09:01, the fourth would at 09:02.
    const queue = queueOf(5, { deadlines })
    const found = of(gate, queue, 7 * hour)
    assert.deepInclude(found, { waiting: 5, expiring: 2, firstExpiresAt: 9 * hour, firstStartAt: 9 * hour })
    assert.strictEqual(found.lastStartAt, startOf(gate, queue, 5, 7 * hour))
    assert.strictEqual(found.lastStartAt, startOf(gate, queueOf(3), 3, 7 * hour))
    const none = of(gate, queueOf(1, { deadlines: [{ place: 1, at: 8 * hour }] }), 7 * hour)
    assert.deepInclude(none, { expiring: 1, firstExpiresAt: 8 * hour, firstStartAt: null, lastStartAt: null, unfit: 0 })
  })

  it("spreads 4,000 held runs from the opening on: the last of them starts 40 minutes later", () => {
    const found = of(gateOf({ maxStartsPerMinute: 100, maxRunning: null }), queueOf(4_000), 7 * hour)
    assert.deepInclude(found, { waiting: 4_000, firstStartAt: 9 * hour, closesAt: 17 * hour, unfit: 0 })
    const after = (found.lastStartAt ?? 0) - 9 * hour
    assert.isAtLeast(after, 39.9 * minute)
    assert.isAtMost(after, 40.4 * minute)
  })

  it("says how many do not fit before the closing, and that these start at the openings after it", () => {
    const gate = gateOf({ maxStartsPerMinute: 1, maxRunning: null })
    const found = of(gate, queueOf(600), 7 * hour)
    assert.strictEqual(found.unfit, 600 - 479)
    const first = startOf(gate, queueOf(600), 600 - found.unfit, 7 * hour) ?? 0
    const second = startOf(gate, queueOf(600), 600 - found.unfit + 1, 7 * hour) ?? 0
    assert.isBelow(first, 17 * hour)
    assert.strictEqual(second, 33 * hour)
    assert.isAbove(found.lastStartAt ?? 0, 33 * hour)
  })

  it("counts how long runs take where their number is limited, and those in progress only now", () => {
    const gate = gateOf({ maxStartsPerMinute: null, maxRunning: 10 })
    const queue = queueOf(100, { running: 10, durationMillis: 10 * minute })
    assert.strictEqual(startOf(gate, queue, 10, 10 * hour), 10 * hour + 10 * minute)
    // At the opening none is in progress any more.
    assert.strictEqual(startOf(gate, queue, 10, 7 * hour), 9 * hour)
    assert.strictEqual(of(gate, queue, 16 * hour).unfit, 100 - 59)
    // A duration that is not known yet does not count.
    assert.strictEqual(of(gate, queueOf(100, { running: 10 }), 16 * hour).unfit, 0)
  })

  it("is empty where nothing waits, and names no instant behind a pause without an end", () => {
    const gate = gateOf({ maxStartsPerMinute: 1, maxRunning: null })
    assert.deepInclude(of(gate, queueOf(0), 10 * hour), { firstStartAt: null, lastStartAt: null, unfit: 0 })
    const paused = Gate.pause(gate, { at: 0, by: "u" }, { reason: "Stop", until: null })
    assert.deepInclude(of(paused, queueOf(3), 10 * hour), { firstStartAt: null, closesAt: null, unfit: 3 })
  })
})

describe("the forecast with known workers", () => {
  const gate = Gate.setWindow(Gate.open, daily(9, 17), { at: 0, by: "u" })
  const queue = queueOf(4_000, { durationMillis: 2 * minute })
  const workers = { capacity: 10, running: 0 }

  it("spreads the runs of a workflow without a pace over them, and says that they are the limit", () => {
    const found = Forecast.of(gate, queue, workers, 7 * hour)
    // 12 seconds for each behind the first ten: 2,409 fit into eight hours.
    assert.deepInclude(found, { firstStartAt: 9 * hour, limitedBy: "workers", workers, unfit: 4_000 - 2_409 })
    assert.deepStrictEqual(Forecast.startOf(gate, queue, workers, 11, 7 * hour), {
      at: 9 * hour + 12_000,
      limitedBy: "workers"
    })
    // The last one starts on the second day.
    assert.strictEqual(found.lastStartAt, 33 * hour + (4_000 - 2_409 - 10) * 12_000)
  })

  it("leaves out those that other workflows use, but always counts on one", () => {
    const busy = { capacity: 10, running: 8 }
    assert.deepStrictEqual(Forecast.startOf(gate, queue, busy, 3, 10 * hour), {
      at: 10 * hour + minute,
      limitedBy: "workers"
    })
    // Two of them are its own.
    assert.strictEqual(Forecast.startOf(gate, { ...queue, running: 2 }, busy, 2, 10 * hour)?.at, 10 * hour)
    const full = { capacity: 10, running: 10 }
    assert.strictEqual(Forecast.startOf(gate, queue, full, 2, 10 * hour)?.at, 10 * hour + 4 * minute)
  })

  it("names the limit of the pace where that is the lower one", () => {
    const paced = (pace: Pace.Pace) =>
      Forecast.of(gateOf(pace), queueOf(60, { durationMillis: minute }), workers, 7 * hour)
    assert.strictEqual(paced({ maxStartsPerMinute: 5, maxRunning: null }).limitedBy, "max_starts_per_minute")
    assert.strictEqual(paced({ maxStartsPerMinute: 5_000, maxRunning: 3 }).limitedBy, "max_running")
    assert.strictEqual(paced({ maxStartsPerMinute: 5_000, maxRunning: 30 }).limitedBy, "workers")
    assert.isNull(Forecast.of(gate, queueOf(3), workers, 7 * hour).limitedBy)
  })

  it("sees no start without a worker", () => {
    for (const one of [gate, Gate.open]) {
      const found = Forecast.of(one, queue, { capacity: 0, running: 0 }, 10 * hour)
      assert.deepInclude(found, { firstStartAt: null, lastStartAt: null, unfit: 4_000, limitedBy: "workers" })
    }
  })
})
