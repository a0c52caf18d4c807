/**
 * Dates of the proleptic Gregorian calendar, counted in days since 1970-01-01, without a time or a zone.
 */

/** Days since 1970-01-01; negative before. */
export type EpochDay = number

/** The parts of one date that rules ask for. Months count from 1, weekdays from Monday = 0. */
export interface Parts {
  readonly day: EpochDay
  readonly year: number
  readonly month: number
  readonly dayOfMonth: number
  readonly weekday: number
  readonly dayOfYear: number
}

export const isLeapYear = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)

export const daysInYear = (year: number): number => (isLeapYear(year) ? 366 : 365)

export const daysInMonth = (year: number, month: number): number =>
  month === 2 ? (isLeapYear(year) ? 29 : 28) : month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31

/** The day of a calendar date, which must exist. */
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
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  return {
    day,
    year,
    month,
    dayOfMonth: dayFromMarch - Math.floor((153 * monthFromMarch + 2) / 5) + 1,
    weekday: weekday(day),
    dayOfYear: day - fromYmd(year, 1, 1) + 1
  }
}

/** The date after another, without the arithmetic that `parts` needs. */
export const following = (date: Parts): Parts => {
  const endsMonth = date.dayOfMonth === daysInMonth(date.year, date.month)
  const endsYear = endsMonth && date.month === 12
  return {
    day: date.day + 1,
    year: endsYear ? date.year + 1 : date.year,
    month: endsYear ? 1 : endsMonth ? date.month + 1 : date.month,
    dayOfMonth: endsMonth ? 1 : date.dayOfMonth + 1,
    weekday: date.weekday === 6 ? 0 : date.weekday + 1,
    dayOfYear: endsYear ? 1 : date.dayOfYear + 1
  }
}

/** Monday is 0. */
export const weekday = (day: EpochDay): number => modulo(day + 3, 7)

/** Returns whether there is such a date, in the years 1 to 9999. */
export const exists = (year: number, month: number, dayOfMonth: number): boolean =>
  year >= 1 && year <= 9999 && month >= 1 && month <= 12 && dayOfMonth >= 1 && dayOfMonth <= daysInMonth(year, month)

/** The first day of the week that holds `day`, in weeks that begin at `weekStart`. */
export const startOfWeek = (day: EpochDay, weekStart: number): EpochDay => day - modulo(weekday(day) - weekStart, 7)

/**
 * The number of the week that holds a date, and how many weeks its week-year has.
 *
 * Weeks are those of ISO 8601, except that they begin at `weekStart`: the first week of a year is the first with four
 * days in it, so the first days of January can belong to the last week of the year before.
 */
export const weekOfYear = (date: Parts, weekStart: number): Week => {
  // Many rules are asked about one date after the other, so the last answer is kept.
  const known = lastWeeks[weekStart]
  if (known !== undefined && known.day === date.day) return known.week
  const week = findWeek(date, weekStart)
  lastWeeks[weekStart] = { day: date.day, week }
  return week
}

export interface Week {
  readonly week: number
  readonly weeks: number
}

const lastWeeks: Array<{ readonly day: EpochDay; readonly week: Week } | undefined> = []

const findWeek = (date: Parts, weekStart: number): Week => {
  const start = startOfWeek(date.day, weekStart)
  // The week-year is the year of the fourth day of the week.
  const fourth = start + 3
  const yearOf = (day: EpochDay) =>
    day < date.day - date.dayOfYear + 1
      ? date.year - 1
      : day > date.day - date.dayOfYear + daysInYear(date.year)
        ? date.year + 1
        : date.year
  const weekYear = yearOf(fourth)
  const first = firstWeek(weekYear, weekStart)
  return { week: (start - first) / 7 + 1, weeks: (firstWeek(weekYear + 1, weekStart) - first) / 7 }
}

const firstWeek = (year: number, weekStart: number): EpochDay => startOfWeek(fromYmd(year, 1, 4), weekStart)

export const modulo = (value: number, by: number): number => ((value % by) + by) % by
