/**
 * The bounds of an event, which hold however large the inputs, the output or the errors of its run are.
 *
 * They apply to the log, streams and webhooks, and not to the record of the run. An event within the bounds is not
 * changed. A larger one keeps its kind: its fields are shortened or emptied, and `leftOut` names them.
 */
import type { Schema } from "effect"
import type { RunEvent } from "./RunEvent.ts"

/** The largest event, in bytes of its JSON in UTF-8. The addresses of artifacts, made when it is sent, are not counted. */
export const mostBytes = 1_048_576

/** The longest text of an event, in UTF-16 code units. Texts within JSON values of users are not counted. */
export const mostText = 65_536

/** The longest list of an event, in entries. */
export const mostEntries = 1_000

/** The largest metadata of a file, a picture or the webhook of a run, in bytes of its JSON in UTF-8. */
export const mostMetadata = 16_384

/** An event whose JSON has no more bytes than this is within every bound. */
const withinAll = 1_000

interface Limits {
  readonly text: number
  readonly entries: number
  /** Of one JSON value of a user, in bytes. */
  readonly json: number
}

/** An event is written with the first of these limits that makes it small enough. The last one fits every event. */
const ladder: ReadonlyArray<Limits> = [
  { text: mostText, entries: mostEntries, json: mostBytes },
  { text: mostText, entries: mostEntries, json: 262_144 },
  { text: 4_096, entries: 100, json: 65_536 },
  { text: 256, entries: 10, json: 4_096 }
]

/** The JSON values of users, by the names of their fields, and the replacements of those that are left out. */
const leftOutAs: ReadonlyMap<string, Schema.Json> = new Map<string, Schema.Json>([
  ["data", null],
  ["inputs", {}],
  ["schema", {}],
  ["metadata", {}]
])

/** The event within the bounds, unchanged if it fits. It is never refused, so that no end of a run is lost. */
export const bounded = (event: RunEvent): RunEvent => {
  if (fits(event, withinAll)) return event
  let shortened = event
  for (const limits of ladder) {
    shortened = within(event, limits)
    if (fits(shortened, mostBytes)) break
  }
  return shortened
}

/**
 * The metadata of a file or picture as it is kept. Metadata over its bound is replaced by a statement that says so: the
 * record of a run and the event of its end are made from that of its files.
 */
export const boundedMetadata = (metadata: Schema.JsonObject): Schema.JsonObject =>
  isMetadataWithin(metadata)
    ? metadata
    : { left_out: `The metadata has more than ${mostMetadata} bytes as JSON, the most that is kept` }

const within = (event: RunEvent, limits: Limits): RunEvent => {
  const leftOut: Array<string> = [...(event.leftOut ?? [])]
  let isWhole = true
  const fields = Object.entries(event).map(([name, value]) => {
    const kept = shorten(name, value, limits)
    if (kept !== value) isWhole = false
    if (kept !== value && !leftOut.includes(name)) leftOut.push(name)
    return [name, kept] as const
  })
  if (isWhole) return event
  // The fields of the same event, of the same types, which the type of `fromEntries` does not say.
  return { ...Object.fromEntries(fields), leftOut } as unknown as RunEvent
}

/** The value of a field, unchanged if it is within the limits. */
const shorten = (name: string, value: unknown, limits: Limits): unknown => {
  const emptied = leftOutAs.get(name)
  if (emptied !== undefined) return fits(value, limits.json) ? value : emptied
  if (typeof value === "string") return shortText(value, limits.text)
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) {
    const kept = value.slice(0, limits.entries).map((entry) => shorten("", entry, limits))
    return kept.length === value.length && kept.every((entry, index) => entry === value[index]) ? value : kept
  }
  const kept = Object.entries(value).map(([key, one]) => [key, shorten(key, one, limits), one] as const)
  return kept.every(([, after, before]) => after === before)
    ? value
    : Object.fromEntries(kept.map(([key, after]) => [key, after]))
}

/** The beginning of a text that is too long, and how many code units are left out. No surrogate pair is split. */
const shortText = (text: string, most: number): string => {
  if (text.length <= most) return text
  const last = most - longestNote
  const end = /[\uD800-\uDBFF]/.test(text.charAt(last - 1)) ? last - 1 : last
  return `${text.slice(0, end)}… (${text.length - end} more characters)`
}

/** The maximum length of the note on what is left out of a text, in code units. */
const longestNote = 32

/** Returns whether metadata is within its bound, in time that is bounded too. */
export const isMetadataWithin = (metadata: unknown): boolean => fits(metadata, mostMetadata)

/** Returns whether the JSON of a value has at most `most` bytes, in time that is bounded by `most`. */
const fits = (value: unknown, most: number): boolean => leastBytes(value, most) <= most && bytesOf(value) <= most

const encoder = new TextEncoder()
const isAscii = /^[\0-\x7f]*$/

const bytesOf = (value: unknown): number => {
  const text = JSON.stringify(value)
  return isAscii.test(text) ? text.length : encoder.encode(text).length
}

/** A lower bound of the bytes of the JSON of a value, counted until it is more than `enough`. */
const leastBytes = (value: unknown, enough: number): number => {
  let bytes = 0
  const open: Array<unknown> = [value]
  while (open.length > 0 && bytes <= enough) {
    const one = open.pop()
    if (typeof one === "string") bytes += one.length + 2
    else if (typeof one !== "object" || one === null) bytes += 1
    else if (Array.isArray(one)) {
      bytes += one.length + 1
      if (bytes <= enough) for (const entry of one) open.push(entry)
    } else {
      bytes += 1
      for (const key in one) {
        bytes += key.length + 4
        if (bytes > enough) break
        // Every object may be read by its own names.
        open.push((one as Readonly<Record<string, unknown>>)[key])
      }
    }
  }
  return bytes
}
