/**
 * Dates of the proleptic Gregorian calendar, counted in days since 1970-01-01, without a time or a zone.
 */

/** Days since 1970-01-01; negative before. */
export type EpochDay = number

/** The parts of one date that a rule may ask for. Months count from 1, weekdays from Monday = 0. */
export interface Parts {
  readonly day: EpochDay
  readonly year: number
  readonly month: number
  readonly dayOfMonth: number
  readonly weekday: number
}

/** The years in which windows may name dates. */
export const years = { first: 1, last: 9999 } as const

export const isLeapYear = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)

export const daysInYear = (year: number): number => (isLeapYear(year) ? 366 : 365)

export const daysInMonth = (year: number, month: number): number =>
  month === 2 ? (isLeapYear(year) ? 29 : 28) : month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31

/** Tells whether there is such a date, in `years`. */
export const exists = (date: { readonly year: number; readonly month: number; readonly day: number }): boolean =>
  date.year >= years.first &&
  date.year <= years.last &&
  date.month >= 1 &&
  date.month <= 12 &&
  date.day >= 1 &&
  date.day <= daysInMonth(date.year, date.month)

/** The day of a calendar date, which must exist. */
export const epochDay = (date: { readonly year: number; readonly month: number; readonly day: number }): EpochDay =>
  fromYmd(date.year, date.month, date.day)

/** `epochDay` of a date that is given by its numbers. */
export const fromYmd = (year: number, month: number, dayOfMonth: number): EpochDay => {
  // Years that begin in March put the leap day last, and eras of 400 years repeat exactly.
  const y = month <= 2 ? year - 1 : year
  const era = Math.floor(y / 400)
  const yearOfEra = y - era * 400
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + dayOfMonth - 1
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear
  return era * 146_097 + dayOfEra - 719_468
}

export const parts = (day: EpochDay): Parts => {
  const shifted = day + 719_468
  const era = Math.floor(shifted / 146_097)
  const dayOfEra = shifted - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1_460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365
  )
  const dayFromMarch = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const monthFromMarch = Math.floor((5 * dayFromMarch + 2) / 153)
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
  return {
    day,
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    dayOfMonth: dayFromMarch - Math.floor((153 * monthFromMarch + 2) / 5) + 1,
    weekday: weekday(day)
  }
}

/** Monday is 0. */
export const weekday = (day: EpochDay): number => modulo(day + 3, 7)

/** The first day of the week that holds `day`, in weeks that begin at `weekStart`. */
export const startOfWeek = (day: EpochDay, weekStart: number): EpochDay => day - modulo(weekday(day) - weekStart, 7)

/**
 * The first day of week 1 of a year, in weeks that begin at `weekStart`.
 *
 * As in ISO 8601, week 1 is the first that has four days in the year: it may begin in the December before, and the first
 * days of January may belong to the last week of the year before.
 */
export const firstWeek = (year: number, weekStart: number): EpochDay => startOfWeek(fromYmd(year, 1, 4), weekStart)

/** A date as ISO 8601 writes it, such as `2026-03-29`. */
export const isoDate = (day: EpochDay): string => {
  const { dayOfMonth, month, year } = parts(day)
  const signed = year < 0 || year > years.last
  const digits = String(Math.abs(year)).padStart(signed ? 6 : 4, "0")
  return `${signed ? (year < 0 ? "-" : "+") : ""}${digits}-${twoDigits(month)}-${twoDigits(dayOfMonth)}`
}

const twoDigits = (value: number): string => String(value).padStart(2, "0")

/** The remainder that is never negative. */
export const modulo = (value: number, by: number): number => ((value % by) + by) % by
