/**
 * Time zone files (TZif, RFC 9636), as a system's `zoneinfo` folder holds one for each zone.
 */
import * as CivilDate from "./CivilDate.ts"

/** The offset from UTC at an instant, both in milliseconds. */
export type OffsetAt = (at: number) => number

/** Reads a file; `null` for bytes that are none. */
export const parse = (bytes: Uint8Array): OffsetAt | null => {
  try {
    return offsets(bytes)
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

const headerLength = 44

const offsets = (bytes: Uint8Array): OffsetAt | null => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length < headerLength || text(bytes, 0, 4) !== "TZif") return null
  const isLong = text(bytes, 4, 5) >= "2"
  const start = isLong ? headerLength + blockLength(counts(view, 0), 4) : 0
  if (isLong && text(bytes, start, start + 4) !== "TZif") return null
  const count = counts(view, start)
  const size = isLong ? 8 : 4
  const times = start + headerLength
  const kinds = times + count.times * size
  const types = kinds + count.times
  const changes = Array.from({ length: count.times }, (_, index) => ({
    at: (isLong ? Number(view.getBigInt64(times + index * 8)) : view.getInt32(times + index * 4)) * 1_000,
    offset: view.getInt32(types + view.getUint8(kinds + index) * 6) * 1_000
  }))
  const first = view.getInt32(types) * 1_000
  const end = start + headerLength + blockLength(count, size)
  const footer = isLong ? text(bytes, end + 1, bytes.indexOf(10, end + 1)) : ""
  const after = footer === "" ? null : ruleOf(footer)
  if (footer !== "" && after === null) return null
  const last = changes.at(-1)
  return (at) => {
    if (last === undefined || at >= last.at) return after === null ? (last?.offset ?? first) : after(at)
    let [low, high] = [0, changes.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((changes[middle]?.at ?? 0) <= at) low = middle + 1
      else high = middle
    }
    return low === 0 ? first : (changes[low - 1]?.offset ?? first)
  }
}

const text = (bytes: Uint8Array, from: number, to: number): string => String.fromCharCode(...bytes.subarray(from, to))

const counts = (view: DataView, start: number) => {
  const [isUtc = 0, isStandard = 0, leaps = 0, times = 0, types = 0, characters = 0] = [20, 24, 28, 32, 36, 40].map(
    (at) => view.getUint32(start + at)
  )
  return { isUtc, isStandard, leaps, times, types, characters }
}

const blockLength = ({ characters, isStandard, isUtc, leaps, times, types }: ReturnType<typeof counts>, size: number) =>
  times * (size + 1) + types * 6 + characters + leaps * (size + 4) + isStandard + isUtc

const name = "(?:[A-Za-z]{3,}|<[A-Za-z0-9+-]+>)"
const hours = "[+-]?\\d{1,3}(?::\\d{1,2}){0,2}"
const date = `(?:M\\d+\\.\\d\\.\\d|J?\\d+)(?:/${hours})?`
const form = new RegExp(`^${name}(${hours})(?:${name}(${hours})?,(${date}),(${date}))?$`)

/** A rule as POSIX writes it in `TZ`, such as `CET-1CEST,M3.5.0,M10.5.0/3`; `null` for another text. */
const ruleOf = (text: string): OffsetAt | null => {
  const found = form.exec(text)
  if (found === null) return null
  const [, standardText = "", summerText, begins, ends] = found
  const standard = -secondsOf(standardText) * 1_000
  if (begins === undefined || ends === undefined) return () => standard
  const summer = summerText === undefined ? standard + 3_600_000 : -secondsOf(summerText) * 1_000
  return (at) => {
    const { year } = CivilDate.parts(Math.floor((at + standard) / dayMillis))
    const from = changeIn(year, begins) - standard
    const until = changeIn(year, ends) - summer
    const isSummer = from < until ? at >= from && at < until : !(at >= until && at < from)
    return isSummer ? summer : standard
  }
}

const dayMillis = 86_400_000

const secondsOf = (text: string): number => {
  const [hours = 0, minutes = 0, seconds = 0] = text.replace(/^[+-]/, "").split(":").map(Number)
  return (text.startsWith("-") ? -1 : 1) * (hours * 3_600 + minutes * 60 + seconds)
}

/** The local time of a change in a year, as if it were UTC. */
const changeIn = (year: number, text: string): number => {
  const [day = "", time = "2"] = text.split("/")
  return dayIn(year, day) * dayMillis + secondsOf(time) * 1_000
}

const dayIn = (year: number, text: string): CivilDate.EpochDay => {
  const newYear = CivilDate.fromYmd(year, 1, 1)
  const [, month, week, weekday] = (/^M(\d+)\.(\d)\.(\d)$/.exec(text) ?? []).map(Number)
  if (month !== undefined && week !== undefined && weekday !== undefined) {
    const first = CivilDate.fromYmd(year, month, 1)
    const days = CivilDate.modulo(weekday - 1 - CivilDate.weekday(first), 7) + (week - 1) * 7
    return first + (days < CivilDate.daysInMonth(year, month) ? days : days - 7)
  }
  // `J60` is 1 March in every year; a number without J counts 29 February.
  const number = Number(text.replace("J", ""))
  if (!text.startsWith("J")) return newYear + number
  return newYear + number - 1 + (CivilDate.isLeapYear(year) && number >= 60 ? 1 : 0)
}
