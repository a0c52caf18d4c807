/** How fast windows answer, against a plain implementation and an established library. */
import { Result } from "effect"
import OpeningHours from "opening_hours"
import * as RunWindow from "../../core/window/RunWindow.ts"
import * as PlainWindow from "./PlainWindow.ts"
import { median, millis, perSecond, type Row, rate } from "./Row.ts"

const weekdays = ["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY"] as const

const typical: RunWindow.RunWindow = {
  time_zone: "America/New_York",
  regular_hours: weekdays.map((day) => ({
    active_start_day: day,
    active_start_time: { hours: 9 },
    active_end_day: day,
    active_end_time: { hours: 17 }
  })),
  special_hours: [
    { active: false, start_date: { year: 2026, month: 12, day: 25 } },
    {
      active: false,
      recurrence: "FREQ=YEARLY;BYMONTH=7;BYMONTHDAY=4",
      recurrence_start: { year: 2020, month: 7, day: 4 }
    }
  ]
}

/** Closed for longer than is looked ahead, with as many entries as are allowed. */
const worst: RunWindow.RunWindow = {
  ...typical,
  special_hours: Array.from({ length: 500 }, (_, index) => ({
    active: false,
    recurrence: index === 499 ? "FREQ=DAILY" : `FREQ=MONTHLY;BYMONTHDAY=${(index % 28) + 1};BYDAY=MO,TU,WE,TH,FR`,
    recurrence_start: { year: 2020, month: 1, day: 1 }
  }))
}

const compile = (window: RunWindow.RunWindow) => RunWindow.compile(Result.getOrThrow(RunWindow.validate(window)).window)

/** Instants over a year, in an order that no cache of the last answer helps with. */
const from = Date.UTC(2026, 0, 1)
const instants = Array.from({ length: 4_096 }, (_, index) => from + ((index * 2_654_435_761) % 31_536_000) * 1_000)
const instant = (index: number): number => instants[index & 4_095] ?? from

export const window = async (): Promise<ReadonlyArray<Row>> => {
  const schedule = compile(typical)
  const plain = PlainWindow.make(typical)
  const isOpen = perSecond((index) => RunWindow.isOpen(schedule, instant(index)))
  const state = perSecond((index) => RunWindow.state(schedule, instant(index)))
  const plainState = perSecond((index) => plain.state(instant(index)))
  // The library knows no zones: it is asked in the zone of the host, and for the hours that it can say.
  const hours = new OpeningHours("Mo-Fr 09:00-17:00; Dec 25 off; Jul 04 off", null)
  const libraryState = perSecond((index) => {
    const at = new Date(instant(index))
    return hours.getState(at) ? null : hours.getNextChange(at)
  })
  const first = median(
    Array.from({ length: 15 }, () => {
      const fresh = compile(worst)
      const began = performance.now()
      RunWindow.state(fresh, from)
      return performance.now() - began
    })
  )
  const heavy = compile(worst)
  const again = 1_000 / perSecond((index) => RunWindow.state(heavy, from + (index % 1_000)))
  return [
    {
      name: "isOpen, typical window",
      value: rate(isOpen),
      reference: "2,000,000/s",
      ratio: isOpen / 2e6,
      target: "≥ 1",
      ok: isOpen >= 2e6
    },
    {
      name: "state, typical window",
      value: rate(state),
      reference: "200,000/s",
      ratio: state / 2e5,
      target: "≥ 1",
      ok: state >= 2e5
    },
    {
      name: "state, against Temporal + rrule",
      value: rate(state),
      reference: rate(plainState),
      ratio: state / plainState,
      target: "≥ 50",
      ok: state / plainState >= 50
    },
    {
      name: "state, against opening_hours",
      value: rate(state),
      reference: rate(libraryState),
      ratio: state / libraryState,
      target: "≥ 1",
      ok: state > libraryState
    },
    {
      name: "worst legal window, first answer",
      value: millis(first),
      reference: "2 ms",
      ratio: first / 2,
      target: "≤ 1",
      ok: first <= 2
    },
    {
      name: "worst legal window, after that",
      value: millis(again),
      reference: "2 ms",
      ratio: again / 2,
      target: "≤ 1",
      ok: again <= 2
    }
  ]
}
