/** Counts the steps of checking a window; runs in a thread of `steps.ts`. */
import { Result } from "effect"
import * as RunWindow from "../../core/window/RunWindow.ts"
import { steps } from "./StepsThread.ts"

/** The steps of checking a special date that recurs from the first day of a year, and the paths of its problems. */
export const checking = (recurrence: string, year: number) => {
  const window = {
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
  }
  const validate = () => RunWindow.validate(window, { now: 0 })
  // The first check compiles what all of them need.
  const checked = validate()
  const [count = 0] = steps(validate)
  return { count, refused: Result.isFailure(checked) ? checked.failure.issues.map(({ path }) => path) : [] }
}
