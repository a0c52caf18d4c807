/** Reads `Retry-After`, as RFC 9110 defines it, and also fractions of a second, which some services send. */
import type { IncomingHttpHeaders } from "node:http"

/**
 * How long the sender of an answer asks to be left alone, in milliseconds: 0 for an instant that has passed, `null` where the
 * header is absent or is neither a number of seconds nor a date of HTTP. A date is compared with the `Date` of the answer, and
 * with `now` where there is none, so that clocks may differ.
 */
export const retryAfterMillis = (headers: IncomingHttpHeaders, now: number): number | null => {
  const given = headers["retry-after"]?.trim() ?? ""
  if (/^\d{1,12}(\.\d{1,9})?$/.test(given)) return Math.ceil(Number(given) * 1_000)
  const until = dateOf(given, now)
  return until === null ? null : Math.max(0, until - (dateOf(headers.date?.trim() ?? "", now) ?? now))
}

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

/** The preferred form and the two obsolete ones, which recipients must accept. */
const forms = [
  /^[A-Z][a-z]{2}, (?<day>\d\d) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>\d\d:\d\d:\d\d) GMT$/,
  /^[A-Z][a-z]{5,8}, (?<day>\d\d)-(?<month>[A-Z][a-z]{2})-(?<year>\d\d) (?<time>\d\d:\d\d:\d\d) GMT$/,
  /^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>\d\d:\d\d:\d\d) (?<year>\d{4})$/
]

/** The instant of a date of HTTP in epoch milliseconds; `null` for anything else. */
const dateOf = (text: string, now: number): number | null => {
  const parts = forms.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined)
  const month = months.indexOf(parts?.month ?? "")
  if (parts === undefined || month < 0) return null
  const [hour = 0, minute = 0, second = 0] = (parts.time ?? "").split(":").map(Number)
  const day = Number(parts.day)
  const at = Date.UTC(yearOf(parts.year ?? "", now), month, day, hour, minute, second)
  return new Date(at).getUTCDate() === day && hour < 24 && minute < 60 && second <= 60 ? at : null
}

/** Two digits that would be more than 50 years ahead are the last year in the past that ends with them. */
const yearOf = (digits: string, now: number): number => {
  if (digits.length === 4) return Number(digits)
  const thisYear = new Date(now).getUTCFullYear()
  const year = thisYear - (thisYear % 100) + Number(digits)
  return year > thisYear + 50 ? year - 100 : year
}
