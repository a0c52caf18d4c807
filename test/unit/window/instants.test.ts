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

/** What was stored or sent, which nothing has validated or compiled. */
const raw = { ...schedule.window } as unknown as RunWindow.Schedule

type Ask = (at: number, of?: RunWindow.Schedule) => unknown

const asked: ReadonlyArray<readonly [string, Ask]> = [
  ["isOpen", (at, of = schedule) => RunWindow.isOpen(of, at)],
  ["state", (at, of = schedule) => RunWindow.state(of, at)],
  ["opening", (at, of = schedule) => RunWindow.opening(of, at)],
  ["openings", (at, of = schedule) => RunWindow.openings(of, at, 3)],
  ["explain", (at, of = schedule) => RunWindow.explain(of, at)],
  ["between", (at, of = schedule) => RunWindow.between(of, at, 0)],
  ["closedSince", (at, of = schedule) => RunWindow.closedSince(of, at)]
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

  it.each([
    ["a window that is not compiled", raw],
    ["nothing", null as unknown as RunWindow.Schedule]
  ])("refuses %s, and says what to call", (_what, of) => {
    assert.throws(() => ask(0, of), TypeError, "takes a compiled window: call RunWindow.compile")
  })

  it("takes every number of milliseconds that is an instant", () => {
    assert.doesNotThrow(() => ask(0))
    assert.doesNotThrow(() => ask(Date.UTC(2026, 0, 5, 8)))
  })
})

it.each([
  ["the result of validate", RunWindow.validate(schedule.window)],
  ["a window without hours", { time_zone: "UTC" }],
  ["nothing", undefined]
])("compile refuses %s", (_what, window) => {
  assert.throws(
    () => RunWindow.compile(window as never),
    TypeError,
    "takes the window in the success of RunWindow.validate"
  )
})
