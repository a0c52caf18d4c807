/** How a site writes dates, such as `dd.MM.yyyy`, and the reading of such texts. */

type Part = "y" | "M" | "d" | "word"

interface Piece {
  readonly source: string
  readonly part: Part | null
}

const fields: Readonly<Record<string, Piece>> = {
  d: { part: "d", source: "\\d{1,2}" },
  dd: { part: "d", source: "\\d{2}" },
  M: { part: "M", source: "\\d{1,2}" },
  MM: { part: "M", source: "\\d{2}" },
  MMM: { part: "word", source: "\\p{L}{1,30}\\.?" },
  MMMM: { part: "word", source: "\\p{L}{1,30}" },
  yy: { part: "y", source: "\\d{2}" },
  yyyy: { part: "y", source: "\\d{4}" }
}

/** Maximum length of a text with a date, in characters. */
const maxText = 1_000

const pieces = (pattern: string): ReadonlyArray<Piece | string> =>
  (pattern.match(/([A-Za-z])\1*|\s+|[^A-Za-z\s]/g) ?? []).map((text) => {
    if (/^[A-Za-z]/.test(text)) return fields[text] ?? text
    const source = /\s/.test(text) ? "\\s{1,9}" : text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")
    return { part: null, source }
  })

/** Why a pattern cannot be used; `null` for one that can. */
export const wrong = (pattern: string): string | null => {
  const found = pieces(pattern)
  const unknown = found.find((piece) => typeof piece === "string")
  if (unknown !== undefined) return `"${unknown}" is no part of a date: expected ${Object.keys(fields).join(", ")}`
  const parts = found.flatMap((piece) => (typeof piece === "string" || piece.part === null ? [] : [piece.part]))
  const months = parts.filter((part) => part === "M" || part === "word").length
  const isWhole = parts.length === 3 && months === 1 && parts.includes("y") && parts.includes("d")
  return isWhole ? null : "Expected one day, one month and one year, such as dd.MM.yyyy"
}

/** The one date in a text as ISO 8601; `null` for a text with none, with several, or with a date that does not exist. */
export const read = (text: string, pattern: string, locale: string): string | null => {
  if (text.length > maxText) return null
  const found = pieces(pattern).filter((piece) => typeof piece !== "string")
  const parts = found.flatMap(({ part }) => (part === null ? [] : [part]))
  const source = found.map(({ part, source }) => (part === null ? source : `(${source})`)).join("")
  const matches = [...text.matchAll(new RegExp(`(?<![\\p{L}\\d])${source}(?![\\p{L}\\d])`, "gu"))]
  const dates = new Set(matches.map((match) => dateOf(parts, match.slice(1), locale)))
  const [date = null] = dates
  return dates.size === 1 ? date : null
}

const dateOf = (parts: ReadonlyArray<Part>, values: ReadonlyArray<string>, locale: string): string | null => {
  const valueOf = (part: Part) => values[parts.indexOf(part)] ?? ""
  const month = parts.includes("word") ? monthOf(valueOf("word"), locale) : Number(valueOf("M"))
  const [day, written] = [Number(valueOf("d")), valueOf("y")]
  const year = written.length === 4 ? Number(written) : Number(written) + (Number(written) < 69 ? 2000 : 1900)
  const instant = new Date(Date.UTC(2000, 0, 1))
  instant.setUTCFullYear(year, month - 1, day)
  const isReal = month > 0 && instant.getUTCMonth() === month - 1 && instant.getUTCDate() === day
  return isReal ? instant.toISOString().slice(0, 10) : null
}

/** The number of a month by its name or the first three letters or more of it; 0 for no month, and for two. */
const monthOf = (name: string, locale: string): number => {
  const plain = (text: string) => text.normalize("NFC").toLocaleLowerCase(locale).replace(/\.$/, "")
  const wanted = plain(name)
  const names = (style: "long" | "short") =>
    Array.from({ length: 12 }, (_, month) =>
      plain(
        new Intl.DateTimeFormat(locale, { month: style, day: "numeric", timeZone: "UTC" })
          .formatToParts(new Date(Date.UTC(2000, month, 1)))
          .find(({ type }) => type === "month")?.value ?? ""
      )
    )
  const [long, short] = [names("long"), names("short")]
  const exact = Math.max(long.indexOf(wanted), short.indexOf(wanted))
  if (exact >= 0) return exact + 1
  const like = long.flatMap((one, month) => (wanted.length >= 3 && one.startsWith(wanted) ? [month + 1] : []))
  return like.length === 1 ? (like[0] ?? 0) : 0
}
