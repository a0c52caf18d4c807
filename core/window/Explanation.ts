/**
 * Says why a window is open or closed at an instant: the part of it that decides, in data and in words.
 */
import * as CivilDate from "./calendar/CivilDate.ts"
import * as Zone from "./calendar/Zone.ts"
import type * as DayPlan from "./DayPlan.ts"
import { Day } from "./Definition.ts"
import * as Schedule from "./Schedule.ts"

/** A part of the window that decides, such as `special_hours[2]`. */
export interface Decider {
  readonly path: string
  readonly label: string | null
}

export interface Explanation {
  readonly open: boolean
  readonly timeZone: string
  /** The version of the time zone data that decided, such as `2026a`; `null` where the runtime does not tell. */
  readonly tzData: string | null
  /** The local date, such as `2026-03-29`. */
  readonly localDate: string
  /** The local time to the millisecond, such as `02:30:00.000`. */
  readonly localTime: string
  readonly weekday: Day
  /** The level that rules the local date. */
  readonly level: DayPlan.Level
  /** The parts that open this instant; or else those that close the date; empty when nothing opens it. */
  readonly deciders: ReadonlyArray<Decider>
  /** All of it as one sentence. */
  readonly sentence: string
}

/** Explains the state of the window at `at`. */
export const explain = (schedule: Schedule.Schedule, at: number): Explanation => {
  const { day, time } = Schedule.localAt(schedule, at)
  const date = CivilDate.parts(day)
  const weekday = Day.literals[date.weekday] ?? "MONDAY"
  const ruling = schedule.plans.ruling(day)
  const open = Schedule.isOpen(schedule, at)
  const deciders = (open ? ruling.parts.filter((part) => part.start <= time && time < part.end) : ruling.closings).map(
    ({ path, label }) => ({ path, label })
  )
  const facts = {
    open,
    timeZone: schedule.window.time_zone,
    tzData: Zone.dataVersion,
    localDate: `${pad(date.year, 4)}-${pad(date.month)}-${pad(date.dayOfMonth)}`,
    localTime: clock(time),
    weekday,
    level: ruling.level,
    deciders
  }
  return { ...facts, sentence: sentence(facts) }
}

const sentence = (facts: Omit<Explanation, "sentence">): string => {
  const moment = `${facts.weekday} ${facts.localDate} ${facts.localTime} in ${facts.timeZone}`
  const names = facts.deciders.map(({ path, label }) => (label === null ? path : `${path} "${label}"`)).join(" and ")
  if (facts.open) return `Open on ${moment}, by ${names}`
  if (names !== "") return `Closed on ${moment}, by ${names}`
  const hours = {
    dated: "the dated special hours",
    recurring: "the recurring special hours",
    regular: "the regular hours"
  }
  return `Closed on ${moment}: ${hours[facts.level]} of that date do not include this time`
}

const clock = (time: number): string =>
  `${pad(Math.floor(time / 3_600_000))}:${pad(Math.floor(time / 60_000) % 60)}:${pad(Math.floor(time / 1_000) % 60)}.${pad(time % 1_000, 3)}`

const pad = (value: number, length = 2): string => String(value).padStart(length, "0")
