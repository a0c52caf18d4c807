/**
 * The plan of each date: in which stretches of its wall-clock time runs may start, and which parts of the window say so.
 *
 * Dated special entries take precedence over recurring ones, and both over the weekly hours. Levels never mix: a date with a
 * matching special entry has nothing of the weekly hours, the part of an overnight period that came over midnight
 * included. Times of day are milliseconds since local midnight.
 */
import { Result } from "effect"
import * as CivilDate from "./calendar/CivilDate.ts"
import * as Recurrence from "./calendar/Recurrence.ts"
import * as RecurrenceRule from "./calendar/RecurrenceRule.ts"
import { type CalendarDate, Day, type RunWindow, type SpecialHours, type Time } from "./Definition.ts"

export const dayMillis = 86_400_000

/** Disjoint stretches `[start, end)` in order, flat: start, end, start, end … */
export type OpenIntervals = ReadonlyArray<number>

export type Level = "dated" | "recurring" | "regular"

/** A stretch of a date as one part of the window gives it, before stretches are merged. */
export interface Part {
  /** The path of the part in the window, such as `regular_hours[0]`. */
  readonly path: string
  readonly label: string | null
  readonly start: number
  readonly end: number
}

/** The rule that decides a date. `closings` are the entries that close all of it; they leave nothing of `parts`. */
export interface DayRule {
  readonly level: Level
  readonly parts: ReadonlyArray<Part>
  readonly closings: ReadonlyArray<Pick<Part, "path" | "label">>
}

export interface DayPlans {
  /** The stretches of a date in which runs may start. */
  readonly stretches: (day: CivilDate.EpochDay) => OpenIntervals
  /** The rule that decides a date, for explanations. Slower than `stretches`. */
  readonly ruling: (day: CivilDate.EpochDay) => DayRule
}

interface Entry {
  readonly path: string
  readonly label: string | null
  readonly active: boolean
  readonly start: number
  readonly end: number
  readonly prefilter: Recurrence.DatePrefilter
  readonly matches: (date: CivilDate.Parts) => boolean
}

interface Special {
  readonly level: "dated" | "recurring"
  readonly entries: ReadonlyArray<Entry>
}

/** How many plans are cached: the 400 days of the horizon, and a margin. */
const maxKept = 1_024

/** The plans of a valid window. */
export const make = (window: RunWindow): DayPlans => {
  const entries = (window.special_hours ?? []).map(toEntry)
  const dated = entries.filter((_, index) => window.special_hours?.[index]?.start_date !== undefined)
  const recurring = entries.filter((_, index) => window.special_hours?.[index]?.recurrence !== undefined)
  const own = byWeekday(window, ownPart)
  const over = byWeekday(window, partOverMidnight)
  const merged = own.map((parts) => merge(parts))
  const mergedWithNight = own.map((parts, weekday) => merge([...parts, ...at(over, weekday - 1)]))

  const specials = new Map<CivilDate.EpochDay, Special | null>()
  const special = (day: CivilDate.EpochDay): Special | null => {
    const known = specials.get(day)
    if (known !== undefined) return known
    const date = CivilDate.parts(day)
    const found = matching("dated", dated, date) ?? matching("recurring", recurring, date)
    if (specials.size >= maxKept) specials.clear()
    specials.set(day, found)
    return found
  }

  const kept = new Map<CivilDate.EpochDay, OpenIntervals>()
  const stretches = (day: CivilDate.EpochDay): OpenIntervals => {
    if (entries.length === 0) return at(mergedWithNight, CivilDate.weekday(day))
    const known = kept.get(day)
    if (known !== undefined) return known
    const ruling = special(day)
    const plan =
      ruling === null
        ? at(special(day - 1) === null ? mergedWithNight : merged, CivilDate.weekday(day))
        : ruling.entries.every((entry) => entry.active)
          ? merge(ruling.entries)
          : []
    if (kept.size >= maxKept) kept.clear()
    kept.set(day, plan)
    return plan
  }

  const ruling = (day: CivilDate.EpochDay): DayRule => {
    const found = special(day)
    if (found !== null) {
      const closings = found.entries.filter((entry) => !entry.active)
      return { level: found.level, parts: found.entries.filter((entry) => entry.active), closings }
    }
    const weekday = CivilDate.weekday(day)
    const night = special(day - 1) === null ? at(over, weekday - 1) : []
    return { level: "regular", parts: [...at(own, weekday), ...night], closings: [] }
  }

  return { stretches, ruling }
}

/** Returns whether a time of day lies in one of the stretches. */
export const contains = (stretches: OpenIntervals, time: number): boolean => {
  for (let index = 0; index < stretches.length; index += 2) {
    if (time < at(stretches, index)) return false
    if (time < at(stretches, index + 1)) return true
  }
  return false
}

const matching = (level: Special["level"], entries: ReadonlyArray<Entry>, date: CivilDate.Parts): Special | null => {
  let found: Array<Entry> | null = null
  for (const entry of entries) {
    if (!Recurrence.passes(entry.prefilter, date) || !entry.matches(date)) continue
    if (found === null) found = [entry]
    else found.push(entry)
  }
  return found === null ? null : { level, entries: found }
}

const toEntry = (entry: SpecialHours, index: number): Entry => ({
  path: `special_hours[${index}]`,
  label: entry.label ?? null,
  active: entry.active,
  start: entry.active_start_time === undefined ? 0 : millisOf(entry.active_start_time),
  end: entry.active_end_time === undefined ? 0 : millisOf(entry.active_end_time),
  prefilter: seriesOf(entry)?.prefilter ?? Recurrence.openPrefilter,
  matches: matcher(entry)
})

const matcher = (entry: SpecialHours): ((date: CivilDate.Parts) => boolean) => {
  if (entry.start_date !== undefined) {
    const from = epochDay(entry.start_date)
    const to = epochDay(entry.end_date ?? entry.start_date)
    return (date) => date.day >= from && date.day <= to
  }
  return seriesOf(entry)?.has ?? (() => false)
}

/** The series of a recurring entry. Kept with the entry, since a series with COUNT remembers how far it has counted. */
export const seriesOf = (entry: SpecialHours): Recurrence.Series | null => {
  if (entry.recurrence === undefined || entry.recurrence_start === undefined) return null
  const known = allSeries.get(entry)
  if (known !== undefined) return known
  const rule = Result.getOrThrow(RecurrenceRule.parse(entry.recurrence))
  const series = Recurrence.series(rule, epochDay(entry.recurrence_start))
  allSeries.set(entry, series)
  return series
}

const allSeries = new WeakMap<SpecialHours, Recurrence.Series>()

/** The parts that the periods give to the weekday they start on (Monday = 0), or to the one after. */
const byWeekday = (
  window: RunWindow,
  part: (
    period: RunWindow["regular_hours"][number],
    place: { readonly path: string; readonly label: null }
  ) => Part | null
): ReadonlyArray<ReadonlyArray<Part>> =>
  Day.literals.map((day) =>
    window.regular_hours.flatMap((period, index) =>
      period.active_start_day === day ? (part(period, { path: `regular_hours[${index}]`, label: null }) ?? []) : []
    )
  )

const ownPart: Parameters<typeof byWeekday>[1] = (period, place) => ({
  ...place,
  start: millisOf(period.active_start_time),
  end: isOvernight(period) ? dayMillis : millisOf(period.active_end_time)
})

const partOverMidnight: Parameters<typeof byWeekday>[1] = (period, place) =>
  isOvernight(period) ? { ...place, start: 0, end: millisOf(period.active_end_time) } : null

const isOvernight = (period: RunWindow["regular_hours"][number]): boolean =>
  period.active_start_day !== period.active_end_day

const merge = (parts: ReadonlyArray<{ readonly start: number; readonly end: number }>): OpenIntervals => {
  const merged: Array<number> = []
  for (const { start, end } of [...parts].sort((a, b) => a.start - b.start)) {
    const last = merged.at(-1)
    if (end <= start) continue
    if (last !== undefined && start <= last) merged[merged.length - 1] = Math.max(last, end)
    else merged.push(start, end)
  }
  return merged
}

/** An element that is known to exist; negative positions count from the end. */
const at = <A>(list: ReadonlyArray<A>, index: number): A => {
  const found = index < 0 ? list.at(index) : list[index]
  if (found === undefined) throw new Error(`No element ${index} among ${list.length}`)
  return found
}

const millisOf = (time: Time): number => (time.hours * 60 + (time.minutes ?? 0)) * 60_000

export const epochDay = (date: CalendarDate): CivilDate.EpochDay => CivilDate.fromYmd(date.year, date.month, date.day)
