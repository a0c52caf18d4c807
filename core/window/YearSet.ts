/**
 * Sets of the dates of one year.
 *
 * A set is twelve words, one for each month, in which bit 0 stands for the first of the month. Rules, special entries and
 * their precedence thereby become a handful of bit operations per year, whatever the number of dates.
 */
import * as CivilDate from "./CivilDate.ts"

/** A set of dates of a year that its holder knows. It never changes once it has been handed out. */
export type YearSet = Int32Array

export const empty: YearSet = new Int32Array(12)

/** The dates of a year from `from` to `to`, both included; either may lie outside the year. */
export const range = (year: number, from: CivilDate.EpochDay, to: CivilDate.EpochDay): YearSet => {
  const set = new Int32Array(12)
  addRange(set, year, from, to)
  return set
}

/** The dates of a year in all of the ranges, which are given by their first day and have the same length. */
export const ranges = (year: number, starts: ReadonlyArray<CivilDate.EpochDay>, length: number): YearSet => {
  const set = new Int32Array(12)
  for (const start of starts) addRange(set, year, start, start + length - 1)
  return set
}

export const fromMonths = (wordOf: (month: number) => number): YearSet => {
  const set = new Int32Array(12)
  for (let month = 1; month <= 12; month++) set[month - 1] = wordOf(month)
  return set
}

export const union = (sets: Iterable<YearSet>): YearSet => {
  const united = new Int32Array(12)
  for (const set of sets) for (let index = 0; index < 12; index++) united[index] = word(united, index) | word(set, index)
  return united
}

export const intersection = (one: YearSet, other: YearSet): YearSet =>
  one.map((bits, index) => bits & word(other, index))

export const difference = (one: YearSet, other: YearSet): YearSet =>
  one.map((bits, index) => bits & ~word(other, index))

export const isEmpty = (set: YearSet): boolean => set.every((bits) => bits === 0)

export const has = (set: YearSet, date: CivilDate.Parts): boolean =>
  ((word(set, date.month - 1) >> (date.dayOfMonth - 1)) & 1) === 1

export const size = (set: YearSet): number => {
  let total = 0
  for (let index = 0; index < 12; index++) total += bitCount(word(set, index))
  return total
}

/** The dates of a set, in order. */
export const days = (year: number, set: YearSet): ReadonlyArray<CivilDate.EpochDay> => {
  const found: Array<CivilDate.EpochDay> = []
  for (let index = 0; index < 12; index++) {
    const first = CivilDate.fromYmd(year, index + 1, 1)
    for (let bits = word(set, index); bits !== 0; bits &= bits - 1) found.push(first + 31 - Math.clz32(bits & -bits))
  }
  return found
}

/** The bits of a month of this length that are all set. */
export const wholeMonth = (length: number): number => 0x7f_ff_ff_ff >>> (31 - length)

/** The bit of a day of the month; none for a day that no month has. */
export const dayBit = (dayOfMonth: number): number => (dayOfMonth >= 1 && dayOfMonth <= 31 ? 1 << (dayOfMonth - 1) : 0)

const addRange = (set: Int32Array, year: number, from: CivilDate.EpochDay, to: CivilDate.EpochDay): void => {
  let first = CivilDate.fromYmd(year, 1, 1)
  if (to < first || from >= first + CivilDate.daysInYear(year)) return
  for (let month = 1; month <= 12; month++) {
    const length = CivilDate.daysInMonth(year, month)
    if (from < first + length && to >= first) {
      const skipped = Math.max(0, from - first)
      const kept = Math.min(length, to - first + 1)
      set[month - 1] = word(set, month - 1) | (wholeMonth(kept) & ~(skipped === 0 ? 0 : wholeMonth(skipped)))
    }
    first += length
  }
}

const word = (set: YearSet, index: number): number => set[index] ?? 0

const bitCount = (bits: number): number => {
  const pairs = bits - ((bits >>> 1) & 0x55_55_55_55)
  const fours = (pairs & 0x33_33_33_33) + ((pairs >>> 2) & 0x33_33_33_33)
  return Math.imul((fours + (fours >>> 4)) & 0x0f_0f_0f_0f, 0x01_01_01_01) >>> 24
}
