/**
 * Converts times of day on dates of a zone to instants, across changes of its offset.
 *
 * - A time that the clocks skip counts at the first instant after the gap. Several skipped times, and a regular one at
 *   that instant, are one instant.
 * - A repeated time counts at its first occurrence.
 * - The times of an interval go by real time: skipped ones never come, and repeated ones count at each occurrence.
 *
 * Instants are epoch milliseconds.
 */
import * as CivilDate from "../window/calendar/CivilDate.ts"
import type { Zone } from "../window/calendar/Zone.ts"

export interface LocalTimes {
  readonly zone: Zone
  readonly onDate: (date: CivilDate.Parts) => boolean
  /** Minutes since midnight, ascending. */
  readonly times: ReadonlyArray<number>
  readonly isInterval: boolean
  /** The first and the last local time that count, in milliseconds as if they were UTC. */
  readonly first: number
  readonly last: number
}

const dayMillis = 86_400_000

/** The horizon of the search for the next instant: longer than the longest gap between dates of a calendar rule. */
export const horizonDays = 36_525

/** The date of an instant in a zone. */
export const dayAt = (zone: Zone, at: number): CivilDate.EpochDay =>
  Math.floor((at + zone.segmentAt(at).offset) / dayMillis)

/** The first instant after another; `null` when there is none within `horizonDays`. */
export const next = (plan: LocalTimes, after: number): number | null => {
  // Where clocks go back over midnight, a date continues after the next one has begun.
  const start = dayAt(plan.zone, after) - 1
  let last = start + horizonDays
  let found: number | null = null
  for (let date = CivilDate.parts(start); date.day <= last; date = CivilDate.following(date)) {
    if (!plan.onDate(date)) continue
    const first = instantsOf(plan, date.day).find((instant) => instant > after)
    if (first === undefined) continue
    if (found === null) last = date.day + 1
    found = Math.min(found ?? first, first)
  }
  return found
}

/** The last instant that is at or before `upTo` and after `after`; `null` when there is none. */
export const last = (plan: LocalTimes, upTo: number, after: number): number | null => {
  const start = dayAt(plan.zone, upTo) + 1
  let first = dayAt(plan.zone, after) - 1
  let found: number | null = null
  for (let day = start; day >= first; day--) {
    if (!plan.onDate(CivilDate.parts(day))) continue
    const latest = instantsOf(plan, day).findLast((instant) => instant <= upTo)
    if (latest === undefined || latest <= after) continue
    if (found === null) first = day - 1
    found = Math.max(found ?? latest, latest)
  }
  return found
}

/** Whether the plan has a date from `day` on, within `horizonDays`. */
export const hasDate = (plan: Pick<LocalTimes, "onDate">, day: CivilDate.EpochDay): boolean => {
  for (let date = CivilDate.parts(day); date.day <= day + horizonDays; date = CivilDate.following(date)) {
    if (plan.onDate(date)) return true
  }
  return false
}

/** The instants of the times of one date, ascending. Those of the dates that were asked for last are kept. */
const instantsOf = (plan: LocalTimes, day: CivilDate.EpochDay): ReadonlyArray<number> => {
  const known = kept.get(plan) ?? new Map<CivilDate.EpochDay, ReadonlyArray<number>>()
  const found = known.get(day) ?? findInstants(plan, day)
  if (known.size >= mostKept) known.clear()
  kept.set(plan, known.set(day, found))
  return found
}

const kept = new WeakMap<LocalTimes, Map<CivilDate.EpochDay, ReadonlyArray<number>>>()
const mostKept = 4

const findInstants = (plan: LocalTimes, day: CivilDate.EpochDay): ReadonlyArray<number> => {
  const { isInterval, zone } = plan
  const midnight = day * dayMillis
  const isWithin = (time: number) => {
    const local = midnight + time * 60_000
    return local >= plan.first && local <= plan.last
  }
  const times = plan.first <= midnight && plan.last >= midnight + dayMillis ? plan.times : plan.times.filter(isWithin)
  // No offset is a day or more.
  const segments = segmentsIn(zone, midnight - dayMillis, midnight + 2 * dayMillis)
  const [only, second] = segments
  if (only !== undefined && second === undefined) {
    const start = midnight - only.offset
    return times.map((time) => start + time * 60_000)
  }
  const instants = times.flatMap((time) => {
    const local = midnight + time * 60_000
    const passes = segments
      .filter(({ from, offset, until }) => local - offset >= from && local - offset < until)
      .map(({ offset }) => local - offset)
    if (isInterval) return passes
    if (passes.length > 0) return passes.slice(0, 1)
    // Skipped: the gap ends where the first segment begins whose local time is past it.
    const after = segments.find(({ from, offset }) => from + offset > local)
    return after === undefined ? [] : [after.from]
  })
  return [...new Set(instants)].sort((a, b) => a - b)
}

/** The segments of a zone that touch `[from, to]`, those with the same offset as one. */
const segmentsIn = (zone: Zone, from: number, to: number) => {
  let last = zone.segmentAt(from)
  const found = [last]
  while (last.until <= to) {
    const following = zone.segmentAt(last.until)
    const isSame = following.offset === last.offset
    last = isSame ? { ...last, until: following.until } : following
    found.splice(isSame ? -1 : found.length, isSame ? 1 : 0, last)
  }
  return found
}

/** An instant as local time with its offset: `2026-03-29T03:00:00+02:00`. */
export const shown = (zone: Zone, at: number): string => {
  const { offset } = zone.segmentAt(at)
  const total = Math.abs(Math.round(offset / 1_000))
  const [hours, minutes, seconds] = [Math.floor(total / 3_600), Math.floor(total / 60) % 60, total % 60]
  const two = (number: number) => String(number).padStart(2, "0")
  const local = new Date(at + offset).toISOString().slice(0, 19)
  return `${local}${offset < 0 ? "-" : "+"}${two(hours)}:${two(minutes)}${seconds === 0 ? "" : `:${two(seconds)}`}`
}
