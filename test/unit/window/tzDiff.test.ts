import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as TzDiff from "../../../core/window/exchange/TzDiff.ts"
import * as RunWindow from "../../../core/window/RunWindow.ts"

const valid = (time_zone: string) =>
  Result.getOrThrow(
    RunWindow.validate({
      time_zone,
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

const from = Date.parse("2026-10-20T00:00:00Z")
const workflow = (id: string, time_zone: string) => ({ id, name: `Workflow ${id}`, run_window: valid(time_zone) })
const made = TzDiff.record([workflow("a", "America/New_York"), workflow("b", "Europe/Berlin")], "2026b", from)

/** A record of New York as if it stayed in summer time, as a release could say that a law ends the change of clocks. */
const otherData = {
  ...made,
  workflows: made.workflows.map((one) =>
    one.id === "a"
      ? { ...one, openings: RunWindow.between(RunWindow.compile(valid("Etc/GMT+4")), from, made.until) }
      : one
  )
}

describe("openings with two versions of the time zone data", () => {
  it("differ in no workflow when the data are the same", () => {
    assert.deepStrictEqual(TzDiff.differences(made), [])
  })

  it("name the workflow that opens at another time, and the first such instant", () => {
    assert.deepStrictEqual(TzDiff.differences(otherData), [
      {
        id: "a",
        name: "Workflow a",
        time_zone: "America/New_York",
        at: Date.parse("2026-11-02T13:00:00Z"),
        open: false
      }
    ])
  })

  it("differ from the first opening on where this runtime does not know the zone", () => {
    const [first] = made.workflows
    const unknown = { ...first, id: "c", name: "C", run_window: { ...valid("UTC"), time_zone: "Mars/Base" } }
    const [found] = TzDiff.differences({ ...made, workflows: [{ ...unknown, openings: first?.openings ?? [] }] })
    assert.deepStrictEqual([found?.at, found?.open], [first?.openings[0]?.opensAt, false])
  })
})
