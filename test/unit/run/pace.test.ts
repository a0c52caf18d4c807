import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Pace from "../../../core/gate/Pace.ts"

const pace = (maxStartsPerMinute: number | null, maxRunning: number | null = null): Pace.Pace => ({
  maxStartsPerMinute,
  maxRunning
})

const fresh: Pace.Progress = { takenUntil: 0, running: 0 }

const noon = Date.UTC(2027, 0, 1, 12)

/** The instants of all starts of a workflow whose claims come at these instants, and start all that they may. */
const startsOf = (limits: Pace.Pace, claims: ReadonlyArray<number>): ReadonlyArray<number> => {
  let takenUntil = 0
  return claims.flatMap((at) => {
    const count = Pace.allowance(limits, { takenUntil, running: 0 }, at)
    takenUntil = Pace.afterStarts(limits, takenUntil, count, at)
    return Array.from({ length: count }, () => at)
  })
}

/** The highest number of starts in any 60 seconds. */
const mostInAMinute = (starts: ReadonlyArray<number>): number =>
  Math.max(0, ...starts.map((from) => starts.filter((at) => at >= from && at < from + 60_000).length))

describe("the pace of a workflow", () => {
  it.each([
    ["no pace", null, fresh, Infinity],
    ["one start a minute", pace(1), fresh, 1],
    ["sixty starts a minute, one at a time", pace(60), fresh, 1],
    ["six hundred starts a minute, three at a time", pace(600), fresh, 3],
    ["the highest rate, its share of a quarter of a second at a time", pace(10_000), fresh, 42],
    [
      "a minute that is taken for longer than a start may come early",
      pace(60),
      { ...fresh, takenUntil: noon + 251 },
      0
    ],
    ["a minute that is taken for as long as a start may come early", pace(60), { ...fresh, takenUntil: noon + 250 }, 1],
    ["two runs in progress of three", pace(null, 3), { ...fresh, running: 2 }, 1],
    ["more runs in progress than allowed, as after an edit", pace(null, 3), { ...fresh, running: 5 }, 0],
    ["both limits: the lower one counts", pace(600, 3), { ...fresh, running: 1 }, 2]
  ] as const)("allows what is left of it: %s", (_, limits, progress, allowed) => {
    assert.strictEqual(Pace.allowance(limits, progress, noon), allowed)
  })

  it("starts sixty a minute about one a second, the first one at once", () => {
    let [takenUntil, at] = [0, noon]
    const starts = Array.from({ length: 61 }, () => {
      at = Pace.nextStartAt(pace(60), takenUntil, at)
      takenUntil = Pace.afterStarts(pace(60), takenUntil, 1, at)
      return at - noon
    })
    assert.deepStrictEqual(starts.slice(0, 3), [0, 755, 1_760])
    assert.isAtLeast(starts[60] ?? 0, 60_000)
    assert.isAtMost(starts[60] ?? 0, 60_400)
  })

  it("counts no more what lies further ahead than a start could have taken it, as behind a clock that was set back", () => {
    assert.isAtMost(Pace.nextStartAt(pace(60), noon + 3_600_000, noon), noon + 1_005)
    assert.strictEqual(Pace.nextStartAt(null, noon + 3_600_000, noon), noon)
  })

  const gaps = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4_000 }))).check(
    Schema.isMinLength(1),
    Schema.isMaxLength(120)
  )
  const rate = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 400 }))

  it.prop(
    "has no 60 seconds with more starts than allowed, whenever claims come",
    [rate, gaps],
    ([rate, between]) => {
      let at = noon
      const starts = startsOf(
        pace(rate),
        between.map((gap) => {
          at += gap
          return at
        })
      )
      return mostInAMinute(starts) <= rate
    },
    { arbitrary: { runs: 100 } }
  )

  it.prop(
    "lets a start at the instant that it names, and none before",
    [rate, Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 90_000 }))],
    ([rate, taken]) => {
      const progress = { takenUntil: noon + taken, running: 0 }
      const next = Pace.nextStartAt(pace(rate), progress.takenUntil, noon)
      const early = next > noon && Pace.allowance(pace(rate), progress, next - 1) > 0
      // What lies too far ahead is judged once more at each instant.
      const isFar = progress.takenUntil > noon + 60_250 / rate + 251
      return isFar || (!early && Pace.allowance(pace(rate), progress, next) > 0)
    },
    { arbitrary: { runs: 100 } }
  )
})
