/**
 * Instants as people and programs write them: RFC 3339, a date and a time of day that exist, with an offset from UTC.
 */
import * as CivilDate from "./CivilDate.ts"

const form = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(?:Z|[+-](\d{2}):?(\d{2}))$/

/**
 * The instant of a text in epoch milliseconds; `null` for another text, such as one without an offset, whose meaning would
 * depend on the zone of the host, or one of a date that does not exist.
 */
export const parse = (text: string): number | null => {
  const [year, month, day, hour, minute, second, offsetHours, offsetMinutes] = (form.exec(text)?.slice(1) ?? []).map(
    (digits) => Number(digits ?? 0)
  )
  if (year === undefined || month === undefined || day === undefined) return null
  const isTime = (hour ?? 0) < 24 && (minute ?? 0) < 60 && (second ?? 0) < 60
  const isOffset = (offsetHours ?? 0) < 24 && (offsetMinutes ?? 0) < 60
  return CivilDate.exists(year, month, day) && isTime && isOffset ? Date.parse(text) : null
}
