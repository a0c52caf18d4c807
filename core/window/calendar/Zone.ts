/**
 * Time zones as offsets from UTC: which one holds at an instant, and for how long.
 *
 * Offsets come from the runtime's own copy of the IANA database, through `Temporal` or else `Intl`, or from the data that
 * replace it for the whole process. They are asked for once and kept, so that local time is an addition afterwards. Instants and offsets are in milliseconds.
 */
import * as CivilDate from "./CivilDate.ts"
import { zoneNames } from "./ZoneNames.ts"

/** Time zone data in place of those of the runtime. */
export interface Data {
  /** Such as `2026a`. */
  readonly version: string
  /** Where they are from, for people. */
  readonly source: string
  /** The offset of a zone at an instant, both in milliseconds; `null` for a zone that the data lack. */
  readonly offsetAt: (name: string) => ((at: number) => number) | null
}

let data: Data | null = null

/** The version of the data in use, such as `2026a`; `null` where the runtime does not tell, as in a browser. */
export let dataVersion: string | null =
  (globalThis as { readonly process?: { readonly versions?: { readonly tz?: string } } }).process?.versions?.tz ?? null

/** Where the data in use are from, for people. */
export let dataSource = "the runtime"

/**
 * Replaces the data of the runtime for this process. It is decided once, before any zone is used: windows and schedules
 * that were computed by other data would contradict the new ones, so that a later call is a defect.
 */
export const replaceData = (replacement: Data): void => {
  if (data !== null || zones.size > 0) throw new Error("Time zone data are replaced before the first use of a zone")
  data = replacement
  dataVersion = replacement.version
  dataSource = replacement.source
}

/** A stretch `[from, until)` of instants with one offset. A longer one may be given in pieces. */
export interface Segment {
  readonly from: number
  readonly until: number
  readonly offset: number
}

/** The zone with this name. */
export interface Zone {
  readonly name: string
  /** The segment that holds an instant. */
  readonly segmentAt: (at: number) => Segment
}

/** Returns whether a name is in the IANA database, and this runtime knows its rules. */
export const isKnown = (name: string): boolean => zoneNames.has(name) && offsetAt(name, 0) !== null

/** The zone of a name that `isKnown`. Zones are shared: what one schedule has asked for, the next one finds. */
export const get = (name: string): Zone => {
  const known = zones.get(name)
  if (known !== undefined) return known
  const zone = make(name)
  zones.set(name, zone)
  return zone
}

const zones = new Map<string, Zone>()

/** Two changes of offset are further apart than this in every zone of the database (the closest ever: 95 hours). */
const sampleMillis = 2 * 86_400_000

const chunkMillis = 32 * sampleMillis

/** How many chunks a zone keeps: enough for 70 years, so that nothing in use is thrown away. */
const maxChunks = 400

/** The first and last instants there are. */
const bound = 8_640_000_000_000_000

const make = (name: string): Zone => {
  const chunks = new Map<number, ReadonlyArray<Segment>>()
  let last: Segment = { from: 0, until: 0, offset: 0 }

  const chunk = (index: number): ReadonlyArray<Segment> => {
    const known = chunks.get(index)
    if (known !== undefined) return known
    const found = segments(name, index * chunkMillis, (index + 1) * chunkMillis)
    if (chunks.size >= maxChunks) chunks.clear()
    chunks.set(index, found)
    return found
  }

  return {
    name,
    segmentAt: (at) => {
      if (at >= last.from && at < last.until) return last
      const found = chunk(Math.floor(at / chunkMillis)).find((segment) => at < segment.until)
      if (found === undefined) throw new Error(`No offset of ${name} at ${at}`)
      last = found
      return found
    }
  }
}

const segments = (name: string, from: number, until: number): ReadonlyArray<Segment> => {
  const found: Array<Segment> = []
  let start = from
  let offset = requireOffset(name, from)
  for (let low = from; low < until; low += sampleMillis) {
    const after = requireOffset(name, low + sampleMillis)
    if (after === offset) continue
    const change = firstChange(name, low, low + sampleMillis, after)
    if (change < until) {
      found.push({ from: start, until: change, offset })
      start = change
      offset = after
    }
  }
  found.push({ from: start, until, offset })
  return found
}

/** The first instant in `(low, high]` with the offset that `high` has, when there is one change between them. */
const firstChange = (name: string, low: number, high: number, after: number): number => {
  let before = low
  let changed = high
  while (changed - before > 1) {
    const middle = Math.floor((before + changed) / 2)
    if (requireOffset(name, middle) === after) changed = middle
    else before = middle
  }
  return changed
}

const requireOffset = (name: string, at: number): number => {
  const offset = offsetAt(name, Math.min(Math.max(at, -bound), bound))
  if (offset === null) throw new Error(`The time zone ${name} was not checked before it was used`)
  return offset
}

/** The part of `Temporal` that is used. */
interface Temporal {
  readonly Instant: {
    readonly fromEpochMilliseconds: (at: number) => {
      readonly toZonedDateTimeISO: (zone: string) => { readonly offsetNanoseconds: number }
    }
  }
}

// A global that not every runtime has.
const temporal = (globalThis as { readonly Temporal?: Temporal }).Temporal

const offsetAt = (name: string, at: number): number | null => {
  if (data !== null) return data.offsetAt(name)?.(at) ?? null
  try {
    return temporal === undefined
      ? offsetByFormat(name, at)
      : temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(name).offsetNanoseconds / 1_000_000
  } catch {
    return null
  }
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** How the local time of a zone is written: `3/29/2026 A, 02:30:00`. Fails for a name that the runtime does not know. */
const formatOf = (name: string): Intl.DateTimeFormat => {
  const known = formats.get(name)
  if (known !== undefined) return known
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: name,
    calendar: "gregory",
    numberingSystem: "latn",
    hourCycle: "h23",
    era: "narrow",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric"
  })
  formats.set(name, format)
  return format
}

/**
 * The offset of a zone by the local time that the runtime writes. It is exact for every zone: the runtime writes the
 * offsets of all its time, also those with seconds.
 */
export const offsetByFormat = (name: string, at: number): number => {
  const written = formatOf(name).format(at)
  const [month, day, year, hour, minute, second] = (written.match(/\d+/g) ?? []).map(Number)
  if (
    month === undefined ||
    day === undefined ||
    year === undefined ||
    hour === undefined ||
    minute === undefined ||
    second === undefined
  ) {
    throw new Error(`The runtime does not write the local time of ${name} as it should`)
  }
  const local =
    CivilDate.fromYmd(written.includes("B") ? 1 - year : year, month, day) * 86_400 + hour * 3_600 + minute * 60
  return (local + second - Math.floor(at / 1_000)) * 1_000
}
