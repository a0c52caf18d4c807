/**
 * A run window drawn as the seven days that begin today, by the clocks of its time zone. A function of its arguments.
 */
import * as CivilDate from "../../../../core/window/calendar/CivilDate.ts"
import * as RunWindow from "../../../../core/window/RunWindow.ts"
import * as Schedule from "../../../../core/window/Schedule.ts"

const quarter = 900_000
const halfHour = 2 * quarter
const hour = 2 * halfHour
const days = 7

const weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]

interface Day {
  /** Whether the window is open and whether it is closed within each half hour; neither in an hour that is skipped. */
  readonly cells: ReadonlyArray<{ open: boolean; closed: boolean }>
  readonly offsets: Array<number>
}

const signs = { open: "█", closed: "·", both: "▌", skipped: " " } as const

/** How the day changes the clocks, in words; empty on most days. */
const changeOf = ({ offsets: [first = 0, ...rest] }: Day): string => {
  const moved = (rest.at(-1) ?? first) - first
  if (moved === 0) return ""
  const minutes = Math.abs(moved) / 60_000
  const length = minutes % 60 === 0 ? `${minutes / 60} h` : `${minutes} min`
  return `  * clocks go ${moved > 0 ? "forward" : "back"} ${length}`
}

const two = (value: number): string => String(value).padStart(2, "0")

const dateOf = (day: number): string => {
  const { dayOfMonth, month, year } = CivilDate.parts(day)
  return `${weekdays[CivilDate.weekday(day)]} ${year}-${two(month)}-${two(dayOfMonth)}`
}

const sample = (schedule: RunWindow.Schedule, at: number): ReadonlyMap<number, Day> => {
  const today = Schedule.localAt(schedule, at).day
  const found = new Map<number, Day>()
  // A day before and a day after: no offset is larger.
  const from = Math.floor(at / quarter) * quarter - 25 * hour
  for (let one = from; one < from + (days + 2) * 25 * hour; one += quarter) {
    const { day, offset, time } = Schedule.localAt(schedule, one)
    if (day < today || day >= today + days) continue
    const of = found.get(day) ?? {
      cells: Array.from({ length: 48 }, () => ({ open: false, closed: false })),
      offsets: []
    }
    found.set(day, of)
    of.offsets.push(offset)
    const cell = of.cells[Math.floor(time / halfHour)]
    if (cell !== undefined) cell[RunWindow.isOpen(schedule, one) ? "open" : "closed"] = true
  }
  return found
}

/** The week of a window from `at` on, a line a day and a sign for each half hour, with days that change the clocks. */
export const draw = (window: RunWindow.ValidRunWindow, at: number): string => {
  const schedule = RunWindow.compile(window)
  const hours = Array.from({ length: 8 }, (_, n) => two(n * 3).padEnd(6)).join("")
  const lines = [...sample(schedule, at)].map(([day, of]) => {
    const drawn = of.cells.map(({ closed, open }) =>
      open ? (closed ? signs.both : signs.open) : closed ? signs.closed : signs.skipped
    )
    return `${dateOf(day)}  ${drawn.join("")}${changeOf(of)}`
  })
  return [
    `${window.time_zone.padEnd(14)}  ${hours}`.trimEnd(),
    ...lines,
    `${signs.open} open  ${signs.closed} closed  ${signs.both} partly`
  ].join("\n")
}
