import { assert, it } from "@effect/vitest"
import { Result } from "effect"
import { parseInstant } from "../../../apps/api/http/body/Query.ts"
import { evaluateLine } from "../../../apps/cli/handlers/Window.ts"
import * as ScheduleBody from "../../../core/schedule/ScheduleBody.ts"
import * as InstantText from "../../../core/window/calendar/InstantText.ts"

const right: ReadonlyArray<readonly [string, string]> = [
  ["2026-01-31T08:00:00Z", "2026-01-31T08:00:00.000Z"],
  ["2026-01-31T08:00Z", "2026-01-31T08:00:00.000Z"],
  ["2026-01-31T08:00:00.5+01:00", "2026-01-31T07:00:00.500Z"],
  ["2026-01-31T08:00:00-0330", "2026-01-31T11:30:00.000Z"],
  ["2028-02-29T23:59:59Z", "2028-02-29T23:59:59.000Z"]
]

const wrong = [
  "",
  "10/04/2026",
  "2026-10-04",
  "2026-10-04T08:00:00",
  "2026-10-04 08:00:00Z",
  "2027-02-30T08:00:00Z",
  "2027-02-29T08:00:00Z",
  "2027-13-01T08:00:00Z",
  "2027-00-10T08:00:00Z",
  "2027-04-31T08:00:00+02:00",
  "2027-01-01T24:00:00Z",
  "2027-01-01T08:60:00Z",
  "2027-01-01T08:00:60Z",
  "2027-01-01T08:00:00+25:00",
  "2027-01-01T08:00:00+01:60",
  "1767225600000"
]

it("an instant has a date and a time that exist, and an offset", () => {
  for (const [text, instant] of right) {
    assert.strictEqual(new Date(InstantText.parse(text) ?? Number.NaN).toISOString(), instant, text)
  }
  for (const text of wrong) assert.isNull(InstantText.parse(text), text)
})

it("an instant that does not exist is refused wherever one is sent, at its path", () => {
  const window = {
    time_zone: "UTC",
    regular_hours: [
      {
        active_start_day: "MONDAY",
        active_start_time: { hours: 8 },
        active_end_day: "MONDAY",
        active_end_time: { hours: 9 }
      }
    ]
  }
  const body = { workflow_id: "019a0000-0000-7000-8000-000000000001", cron: "0 7 * * *", time_zone: "UTC" }
  for (const text of wrong) {
    assert.match(String(evaluateLine({ id: 1, at: text, window }).error), /^at: Expected an instant/, text)
    // A date alone begins in UTC in filters.
    if (text !== "2026-10-04") assert.isNull(parseInstant(text), text)
    for (const name of ["starts_at", "ends_at"]) {
      const read = ScheduleBody.read({ ...body, [name]: text }, Date.parse("2026-01-01T00:00:00Z"))
      const paths = Result.isFailure(read) ? read.failure.problems.map(({ path }) => path) : []
      assert.deepStrictEqual(paths, [name], text)
    }
  }
  for (const date of ["2027-02-30", "2027-13-01", "10/04/2026"]) assert.isNull(parseInstant(date), date)
  assert.strictEqual(parseInstant("2028-02-29"), Date.parse("2028-02-29T00:00:00Z"))
})
