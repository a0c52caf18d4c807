/**
 * An oracle for schedules, independent of the code under test: it walks over every minute of a stretch of time, reads
 * the wall clock of each from `Intl`, and looks at each text of a cron expression by itself.
 */

const names = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]
const minute = 60_000

const formats = new Map<string, Intl.DateTimeFormat>()

/** The offset of a zone at an instant, in milliseconds, as `Intl` writes it. */
export const offsetAt = (zone: string, at: number): number => {
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset", hour: "numeric" })
  formats.set(zone, format)
  const text = format.formatToParts(at).find(({ type }) => type === "timeZoneName")?.value ?? ""
  const [, sign, hours = "0", minutes = "0", seconds = "0"] = /GMT([+-])(\d+):(\d+)(?::(\d+))?/.exec(text) ?? []
  const size = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000
  return sign === "-" ? -size : size
}

/** The instants in `(from, until)` at which the clocks of a zone change, to the minute. */
export const changesOf = (zone: string, from: number, until: number): ReadonlyArray<number> => {
  const found: Array<number> = []
  const step = 14 * 86_400_000
  for (let low = from; low < until; low += step) {
    const before = offsetAt(zone, low)
    if (offsetAt(zone, low + step) === before) continue
    let [first, last] = [low, low + step]
    while (last - first > minute) {
      const middle = first + Math.floor((last - first) / minute / 2) * minute
      if (offsetAt(zone, middle) === before) first = middle
      else last = middle
    }
    found.push(last)
  }
  return found
}

/** Whether a field of numbers, `*`, ranges, lists and steps holds a value. */
const holds = (field: string, value: number, minimum: number): boolean =>
  field.split(",").some((item) => {
    const [range = "", step = "1"] = item.split("/")
    if (range === "*") return (value - minimum) % Number(step) === 0
    const [first = "", last = item.includes("/") ? "99" : first] = range.split("-")
    return value >= Number(first) && value <= Number(last) && (value - Number(first)) % Number(step) === 0
  })

/** Whether a wall clock, given as if it were UTC, is one of an expression. */
export const matches = (cron: string, local: number): boolean => {
  const [minutes = "", hours = "", days = "", months = "", weekdays = ""] = cron.split(" ")
  const date = new Date(local)
  if (!holds(minutes, date.getUTCMinutes(), 0) || !holds(hours, date.getUTCHours(), 0)) return false
  if (!holds(months, date.getUTCMonth() + 1, 1)) return false
  const inMonth = (at: number) => new Date(at).getUTCMonth() === date.getUTCMonth()
  const day = days.split(",").some((item) => {
    if (!item.startsWith("L")) return holds(item, date.getUTCDate(), 1)
    const after = Number(item.slice(2)) + 1
    return !inMonth(local + after * 86_400_000) && inMonth(local + (after - 1) * 86_400_000)
  })
  const week = weekdays.split(",").some((item) => {
    const name = names[date.getUTCDay()]
    const [of, nth] = item.split("#")
    if (nth !== undefined) return of === name && Math.floor((date.getUTCDate() - 1) / 7) + 1 === Number(nth)
    if (/^[A-Z]{3}L$/.test(item)) return item.startsWith(String(name)) && !inMonth(local + 7 * 86_400_000)
    if (/^[A-Z]{3}$/.test(item)) return item === name
    return holds(item, date.getUTCDay(), 0) || (date.getUTCDay() === 0 && holds(item, 7, 0))
  })
  if (days.startsWith("*") || weekdays.startsWith("*")) return day && week
  return day || week
}

/**
 * The instants of `matching` wall clocks in `[from, until)`, minute by minute. Skipped ones count once at the first
 * instant after the gap, and repeated ones at the first pass; those of an interval count as they are shown.
 */
export const instantsOf = (
  zone: string,
  matching: (local: number) => boolean,
  isInterval: boolean,
  [from, until]: readonly [number, number]
): ReadonlyArray<number> => {
  const found: Array<number> = []
  // Further back than any change of clocks reaches: what was shown before is not new.
  let offset = offsetAt(zone, from - 2 * 86_400_000)
  let shown = Number.NEGATIVE_INFINITY
  let changes = false
  for (let at = from - 2 * 86_400_000; at < until; at += minute) {
    const before = offset
    // Asking costs more than all else: a quarter of an hour that begins and ends alike is not asked about in between.
    if (at % (15 * minute) === 0) changes = offsetAt(zone, at + 15 * minute) !== offsetAt(zone, at)
    if (changes || at % (15 * minute) === 0) offset = offsetAt(zone, at)
    const local = at + offset
    let fires = matching(local) && (isInterval || local > shown)
    for (let skipped = at + before; skipped < local && !isInterval; skipped += minute) fires ||= matching(skipped)
    if (fires && at >= from) found.push(at)
    shown = Math.max(shown, local)
  }
  return found
}
