/**
 * Conversion of texts to the values that HTML fields accept.
 */

/**
 * The value that a field of a type accepts for a text that a person would type there: `3/1/2026` and `1.3.2026` as
 * `2026-03-01`, `9:05 pm` as `21:05`, `1,234.50` as `1234.50`. `null` when the text has no known meaning.
 *
 * Slashes put the month first, unless that cannot be one; dots put the day first.
 */
export const forType = (type: string, text: string): string | null => {
  const plain = text.trim()
  switch (type) {
    case "date":
      return dateOf(plain)
    case "time":
      return timeOf(plain)
    case "datetime-local": {
      const [, date = "", time = ""] = /^(.+?)(?:T|,\s+|(?<!\s)\s+)(\d{1,2}:\d{2}.{0,40})$/i.exec(plain) ?? []
      const [day, hour] = [dateOf(date), timeOf(time)]
      return day === null || hour === null ? null : `${day}T${hour}`
    }
    case "month": {
      const [, month = "", year = ""] = /^(\d{1,2})[/.](\d{4})$/.exec(plain) ?? []
      if (/^\d{4}-\d{2}$/.test(plain)) return plain
      return year === "" || Number(month) > 12 ? null : `${year}-${month.padStart(2, "0")}`
    }
    case "number":
    case "range": {
      const number = plain.replace(/[\s'’]/g, "").replace(/,(?=\d{3}(\D|$))/g, "")
      return /^[-+]?(\d+(?:\.\d*)?|\.\d+)(e[-+]?\d+)?$/i.test(number) ? number.replace(/^\+/, "") : null
    }
    case "color": {
      const short = /^#?([\da-f])([\da-f])([\da-f])$/i.exec(plain)
      if (short !== null)
        return `#${short
          .slice(1)
          .map((digit) => digit.repeat(2))
          .join("")}`.toLowerCase()
      return /^#?[\da-f]{6}$/i.test(plain) ? `#${plain.replace("#", "")}`.toLowerCase() : null
    }
    default:
      return null
  }
}

/** A day as `2026-03-01`, of a text that means one. */
export const dateOf = (text: string): string | null => {
  const parts =
    /^(?<y>\d{4})[-/.](?<m>\d{1,2})[-/.](?<d>\d{1,2})$/.exec(text) ??
    /^(?<d>\d{1,2})\.\s?(?<m>\d{1,2})\.\s?(?<y>\d{4})$/.exec(text) ??
    /^(?<m>0?[1-9]|1[0-2])[/-](?<d>\d{1,2})[/-](?<y>\d{4})$/.exec(text) ??
    /^(?<d>\d{1,2})[/-](?<m>\d{1,2})[/-](?<y>\d{4})$/.exec(text) ??
    named(text)
  const { d = "", m = "", y = "" } = parts?.groups ?? {}
  const [day, month, year] = [Number(d), Number(m), Number(y)]
  const most = month === 2 ? (isLeap(year) ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > most) return null
  return `${y}-${m.padStart(2, "0")}-${d.padStart(2, "0")}`
}

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

/** `1 March 2026`, `Mar 1, 2026`. */
const named = (text: string): { readonly groups: Readonly<Record<string, string>> } | null => {
  const found =
    /^(?<d>\d{1,2})\.?\s+(?<name>[a-z]+)\.?,?\s+(?<y>\d{4})$/i.exec(text) ??
    /^(?<name>[a-z]+)\.?\s+(?<d>\d{1,2}),?\s+(?<y>\d{4})$/i.exec(text)
  const { d = "", name = "", y = "" } = found?.groups ?? {}
  const month = months.indexOf(name.slice(0, 3).toLowerCase()) + 1
  return month === 0 ? null : { groups: { d, m: String(month), y } }
}

/** A time as `21:05` or `21:05:30`, of a text that means one. */
export const timeOf = (text: string): string | null => {
  const found = /^(\d{1,2})(?::(\d{2}))?(?::(\d{2}))?\s*([ap])?\.?(?:m\.?)?$/i.exec(text)
  if (found === null || (found[2] === undefined && found[4] === undefined)) return null
  const [, hours = "", minutes = "00", seconds, half] = found
  const given = Number(hours)
  if (Number(minutes) > 59 || Number(seconds ?? 0) > 59) return null
  if (half !== undefined && (given < 1 || given > 12)) return null
  const hour = half === undefined ? given : (given % 12) + (half.toLowerCase() === "p" ? 12 : 0)
  if (hour > 23) return null
  return `${String(hour).padStart(2, "0")}:${minutes}${seconds === undefined ? "" : `:${seconds}`}`
}
