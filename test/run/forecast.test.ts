import { assert, describe, it } from "@effect/vitest"
import * as Forecast from "../../core/gate/Forecast.ts"
import * as Gate from "../../core/gate/Gate.ts"
import type * as Pace from "../../core/gate/Pace.ts"
import { daily } from "../support/fixtures.ts"

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
  ...more
})

describe("the forecast of a paced workflow", () => {
  it("spreads 4,000 held runs from the opening on: the last of them starts 40 minutes later", () => {
    const found = Forecast.of(gateOf({ maxStartsPerMinute: 100, maxRunning: null }), queueOf(4_000), 7 * hour)
    assert.deepInclude(found, { waiting: 4_000, firstStartAt: 9 * hour, closesAt: 17 * hour, unfit: 0 })
    const after = (found.lastStartAt ?? 0) - 9 * hour
    assert.isAtLeast(after, 39.9 * minute)
    assert.isAtMost(after, 40.4 * minute)
  })

  it("says how many do not fit before the closing, and that these start at the openings after it", () => {
    const gate = gateOf({ maxStartsPerMinute: 1, maxRunning: null })
    const found = Forecast.of(gate, queueOf(600), 7 * hour)
    assert.strictEqual(found.unfit, 600 - 479)
    const first = Forecast.startOf(gate, queueOf(600), 600 - found.unfit, 7 * hour) ?? 0
    const second = Forecast.startOf(gate, queueOf(600), 600 - found.unfit + 1, 7 * hour) ?? 0
    assert.isBelow(first, 17 * hour)
    assert.strictEqual(second, 33 * hour)
    assert.isAbove(found.lastStartAt ?? 0, 33 * hour)
  })

  it("counts how long runs take where their number is limited, and those in progress only now", () => {
    const gate = gateOf({ maxStartsPerMinute: null, maxRunning: 10 })
    const queue = queueOf(100, { running: 10, durationMillis: 10 * minute })
    assert.strictEqual(Forecast.startOf(gate, queue, 10, 10 * hour), 10 * hour + 10 * minute)
    // At the opening none is in progress any more.
    assert.strictEqual(Forecast.startOf(gate, queue, 10, 7 * hour), 9 * hour)
    assert.strictEqual(Forecast.of(gate, queue, 16 * hour).unfit, 100 - 59)
    // A duration that is not known yet does not count.
    assert.strictEqual(Forecast.of(gate, queueOf(100, { running: 10 }), 16 * hour).unfit, 0)
  })

  it("is empty where nothing waits, and names no instant behind a pause without an end", () => {
    const gate = gateOf({ maxStartsPerMinute: 1, maxRunning: null })
    assert.deepInclude(Forecast.of(gate, queueOf(0), 10 * hour), { firstStartAt: null, lastStartAt: null, unfit: 0 })
    const paused = Gate.pause(gate, { at: 0, by: "u" }, { reason: "Stop", until: null })
    assert.deepInclude(Forecast.of(paused, queueOf(3), 10 * hour), { firstStartAt: null, closesAt: null, unfit: 3 })
  })
})
