/** Spans of time as a person writes them, such as `2 days 12 hours`. */

const units = [
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1]
] as const

/** The names that are read, in any case, also with an s. */
const known: Readonly<Record<string, number>> = {
  ...Object.fromEntries(units),
  ...{ w: 604_800, d: 86_400, h: 3_600, hr: 3_600, min: 60, m: 60, sec: 1, s: 1 }
}

/** A whole number of seconds in words: days, and not weeks, as the largest unit. */
export const spanWords = (seconds: number): string => {
  let rest = seconds
  const words = units.slice(1).flatMap(([name, length]) => {
    const count = Math.floor(rest / length)
    rest -= count * length
    return count === 0 ? [] : [`${count} ${name}${count === 1 ? "" : "s"}`]
  })
  return words.length === 0 ? "0 seconds" : words.join(" ")
}

/** The seconds of a span in words; a number alone is of seconds. `null` for a text that is none. */
export const secondsOf = (text: string): number | null => {
  const written = text.trim().toLowerCase()
  if (/^\d+$/.test(written)) return Number(written)
  if (!/^(\d+ *[a-z]+[ ,]*(and )?)+$/.test(written)) return null
  let sum = 0
  for (const [, count, name = ""] of written.matchAll(/(?<!\d)(\d+) *([a-z]+)/g)) {
    const length = known[name] ?? known[name.replace(/s$/, "")]
    if (length === undefined) return null
    sum += Number(count) * length
  }
  return sum
}
