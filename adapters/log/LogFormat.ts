/** The formats of log lines. An entry is one line, except for the cause in `pretty`. */
import { Cause, Formatter, Logger, References } from "effect"

/** Whether a value is a JSON scalar. */
const isScalar = (value: unknown): boolean =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean" || value === null

/** Any entry as one object. */
const jsonOfAny = Logger.map(Logger.formatStructured, ({ annotations, cause, level, message, timestamp }) =>
  Formatter.formatJson({ time: timestamp, level: level.toLowerCase(), message, ...annotations, cause })
)

/**
 * One object, with the fields of the entry beside `time`, `level` and `message`. Entries with only scalars, such as
 * those of requests and runs, take a fifth of the time of others.
 */
const json = Logger.make<unknown, string>((entry) => {
  const annotations = entry.fiber.getRef(References.CurrentLogAnnotations)
  const message = Array.isArray(entry.message) && entry.message.length === 1 ? entry.message[0] : entry.message
  if (typeof message !== "string" || entry.cause.reasons.length > 0 || !Object.values(annotations).every(isScalar)) {
    return jsonOfAny.log(entry)
  }
  return JSON.stringify({
    time: entry.date.toISOString(),
    level: entry.logLevel.toLowerCase(),
    message,
    ...annotations
  })
})

const isPlain = (text: string): boolean => /^[\w.:/*@+-]+$/.test(text)

// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal would obey them.
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

const shown = (value: unknown): string => {
  const text = typeof value === "string" ? value : (Formatter.formatJson(value) ?? "")
  return isPlain(text) ? text : JSON.stringify(text)
}

/** The time of day, the level, the message and the fields, for a person at a terminal. */
const pretty = Logger.map(
  Logger.make<unknown, Logger.Options<unknown>>((entry) => entry),
  (entry) => {
    const { annotations, level, message, timestamp } = Logger.formatStructured.log(entry)
    const fields = Object.entries(annotations).map(([name, value]) => ` ${name}=${shown(value)}`)
    const words = typeof message === "string" ? message : Formatter.formatJson(message)
    const cause = entry.cause.reasons.length > 0 ? `\n${Cause.pretty(entry.cause)}` : ""
    return `${timestamp.slice(11, 23)} ${level.padEnd(5)} ${words}${fields.join("")}${cause}`.replace(controls, "")
  }
)

/** The forms by their names. */
export const formatters: Readonly<Record<string, Logger.Logger<unknown, string>>> = {
  logfmt: Logger.formatLogFmt,
  json,
  pretty
}
