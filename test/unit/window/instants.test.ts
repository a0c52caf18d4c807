import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as RunWindow from "../../../core/window/RunWindow.ts"

const schedule = RunWindow.compile(
  Result.getOrThrow(
    RunWindow.validate({
      time_zone: "Europe/Berlin",
      regular_hours: [
        {
          active_start_day: "MONDAY",
          active_start_time: { hours: 9 },
          active_end_day: "MONDAY",
          active_end_time: { hours: 17 }
        }
      ]
    })
  ).window
)

const asked: ReadonlyArray<readonly [string, (at: number) => unknown]> = [
  ["isOpen", (at) => RunWindow.isOpen(schedule, at)],
  ["state", (at) => RunWindow.state(schedule, at)],
  ["opening", (at) => RunWindow.opening(schedule, at)],
  ["openings", (at) => RunWindow.openings(schedule, at, 3)],
  ["explain", (at) => RunWindow.explain(schedule, at)],
  ["closedSince", (at) => RunWindow.closedSince(schedule, at)]
]

describe.each(asked)("%s", (_name, ask) => {
  it.each([
    ["NaN", Number.NaN, "it was given NaN"],
    ["a Date", new Date(0) as unknown as number, "it was given a Date: pass its getTime()"],
    ["a text", "2026-01-05" as unknown as number, "it was given string"],
    ["an instant beyond all dates", 9e15, "it was given 9000000000000000"],
    ["nothing", undefined as unknown as number, "it was given undefined"]
  ])("refuses %s for an instant, in a sentence that says what is taken", (_what, at, sentence) => {
    assert.throws(() => ask(at), RangeError, sentence)
    assert.throws(() => ask(at), "takes an instant in epoch milliseconds")
  })

  it("takes every number of milliseconds that is an instant", () => {
    assert.doesNotThrow(() => ask(0))
    assert.doesNotThrow(() => ask(Date.UTC(2026, 0, 5, 8)))
  })
})
