/**
 * Text for a terminal: tables, instants and lengths of time. Nothing that a user wrote can move the cursor.
 */

// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal would obey them.
const controls = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g

/** A text on one line, of at most `most` characters. */
export const cell = (text: string, most = Number.POSITIVE_INFINITY): string => {
  const letters = [...text.replace(controls, " ")]
  return letters.length <= most ? letters.join("") : `${letters.slice(0, most - 1).join("")}…`
}

/** Columns as wide as their widest cell, under their names. Nothing stands behind the last cell of a line. */
export const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const all = [head, ...rows.map((row) => row.map((one) => cell(one)))]
  const widths = head.map((_, at) => Math.max(...all.map((row) => [...(row[at] ?? "")].length)))
  return all
    .map((row) =>
      row
        .map((one, at) => one + " ".repeat((widths[at] ?? 0) - [...one].length))
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}

/** An instant in UTC, to the minute. */
export const instant = (iso: string | null): string => (iso === null ? "" : `${iso.slice(0, 16).replace("T", " ")}Z`)

/** An instant on the clocks of a zone, with its weekday. */
export const local = (iso: string, zone: string): string => {
  const parts = new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    weekday: "short",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23"
  }).formatToParts(new Date(iso))
  const of = (type: string) => parts.find((part) => part.type === type)?.value ?? ""
  return `${of("weekday")} ${of("year")}-${of("month")}-${of("day")} ${of("hour")}:${of("minute")}`
}

/** A length of time in its two largest units. */
export const lasted = (millis: number | null): string => {
  if (millis === null) return ""
  if (millis < 1_000) return `${millis} ms`
  const seconds = Math.floor(millis / 1_000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** A number with its digits in threes. */
export const number = (count: number): string => count.toLocaleString("en-US")

/** A count with the noun that it counts. */
export const counted = (count: number, noun: string): string => `${number(count)} ${noun}${count === 1 ? "" : "s"}`
