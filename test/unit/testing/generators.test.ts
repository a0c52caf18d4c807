import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Result } from "effect"
import fc from "fast-check"
import * as RunWindow from "../../../core/window/RunWindow.ts"
import { isOpen as slowlyOpen } from "../../kit/windows/ReferenceWindow.ts"
import * as Testing from "../../kit/windows/WindowGenerators.ts"

const options = (runs: number) => ({ arbitrary: { runs, size: 20 } })

const sampled = Effect.runSync(
  Effect.orDie(Arbitrary.sampleEffect(Testing.runWindow, { count: 600, size: 20, seed: "windows" }))
)

describe("generated windows", () => {
  it("have every zone, field and kind of rule in reach", () => {
    const entries = sampled.flatMap(({ special_hours = [] }) => special_hours)
    const rules = entries.flatMap(({ recurrence = [] }) => recurrence)
    assert.isAbove(new Set(sampled.map(({ time_zone }) => time_zone)).size, 150)
    assert.isTrue(sampled.some(({ regular_hours }) => regular_hours.length === 0))
    assert.isTrue(entries.some(({ label }) => label !== undefined))
    assert.isTrue(entries.some(({ end_date, start_date }) => start_date !== undefined && end_date === undefined))
    for (const part of [
      ...["FREQ=DAILY", "FREQ=WEEKLY", "FREQ=MONTHLY", "FREQ=YEARLY", "INTERVAL=", "WKST=", "COUNT=", "UNTIL="],
      ...["BYMONTH=", "BYMONTHDAY=", "BYYEARDAY=", "BYWEEKNO=", "BYDAY=", "BYSETPOS="]
    ]) {
      assert.isTrue(
        rules.some((rule) => rule.includes(part)),
        part
      )
    }
  })

  it.effect("shrink to the plainest window that still fails", () =>
    Effect.gen(function* () {
      const result = yield* Arbitrary.checkEffect(
        Testing.runWindow,
        ({ special_hours = [] }) => special_hours.every(({ active }) => !active),
        { seed: "shrinking", runs: 200 }
      )
      if (result._tag !== "Falsified") return assert.fail("An active entry was never generated")
      const { special_hours = [], time_zone } = result.shrunkInput
      assert.deepStrictEqual([time_zone, special_hours.length], ["UTC", 1])
    })
  )

  it("are the same for fast-check, and shrink there too", () => {
    const windows: fc.Arbitrary<RunWindow.RunWindow> = Testing.fastCheck(fc, Testing.generated.runWindow)
    fc.assert(
      fc.property(windows, (window) => Result.isSuccess(RunWindow.validate(window))),
      { numRuns: 100 }
    )
    const { counterexample } = fc.check(
      fc.property(windows, ({ special_hours = [] }) => special_hours.length < 2),
      { seed: 1 }
    )
    assert.deepStrictEqual([counterexample?.[0].time_zone, counterexample?.[0].special_hours?.length], ["UTC", 2])
  })

  it.prop(
    "that are invalid are refused at the path of their problem",
    [Testing.invalidRunWindow],
    ([{ path, window }]) => {
      const refused = RunWindow.validate(window)
      if (Result.isSuccess(refused)) return assert.fail("It was accepted")
      assert.include(
        refused.failure.issues.map((issue) => issue.path),
        path
      )
    },
    options(200)
  )

  it.prop(
    "agree with the slow reference about the changes of the clocks of New York",
    [Testing.runWindow, Testing.instantNearChange("America/New_York", Date.UTC(2026, 0), Date.UTC(2028, 0))],
    ([window, at]) => {
      const local = { ...window, time_zone: "America/New_York" }
      const schedule = RunWindow.compile(Result.getOrThrow(RunWindow.validate(local)).window)
      assert.strictEqual(RunWindow.isOpen(schedule, at), slowlyOpen(local, at))
    },
    options(200)
  )
})
