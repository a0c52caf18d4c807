import { assert, it } from "@effect/vitest"
import { Result } from "effect"
import * as RunWindow from "../../../core/window/RunWindow.ts"
import { leastMillis } from "../../support/processorTime.ts"

const windowOf = (recurrence: string, year: number) => ({
  time_zone: "Europe/Berlin",
  regular_hours: [],
  special_hours: [
    {
      active: true,
      active_start_time: { hours: 1 },
      active_end_time: { hours: 2 },
      recurrence,
      recurrence_start: { year, month: 1, day: 1 }
    }
  ]
})

const everyDay = "FREQ=YEARLY;BYMONTH=1,2,3,4,5,6,7,8,9,10,11,12;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYSETPOS=366;COUNT=9999"

it("a rule that is counted by position from the year 1 is refused at its path, and takes no time", () => {
  const validate = () => RunWindow.validate(windowOf(everyDay, 1), { now: 0 })
  const checked = validate()
  assert.isTrue(Result.isFailure(checked))
  if (Result.isFailure(checked)) {
    assert.deepStrictEqual(
      checked.failure.issues.map(({ path }) => path),
      ["special_hours[0].recurrence"]
    )
  }
  assert.isBelow(leastMillis(50, validate), 50)
})

it("the same rule is taken from a recent start", () => {
  assert.isTrue(Result.isSuccess(RunWindow.validate(windowOf(everyDay, 1990), { now: 0 })))
})
