/**
 * Hours of each day in which people are not disturbed, by the clocks of a zone.
 */
import { Schema } from "effect"
import * as Zone from "../../window/calendar/Zone.ts"

/** A time of day by a clock, such as `22:00`. */
export const TimeOfDay = Schema.String.check(
  Schema.isPattern(/^([01]\d|2[0-3]):[0-5]\d$/, { message: "Expected a time of day such as 22:00" })
)

export const ZoneName = Schema.String.check(
  Schema.makeFilter((name: string) => Zone.isKnown(name) || "Expected an IANA time zone such as Europe/Berlin")
)

/** Quiet hours have an end. */
export const isEndless = ({ from, to }: { readonly from: string; readonly to: string }) =>
  from === to ? { path: ["to"], issue: "Expected another time than that of from" } : undefined

/** They begin at `from` and end before `to`, the next day where that is earlier. */
export const QuietHours = Schema.Struct({ timeZone: ZoneName, from: TimeOfDay, to: TimeOfDay }).check(
  Schema.makeFilter(isEndless)
)
export type QuietHours = typeof QuietHours.Type

const dayMillis = 86_400_000

const millisOf = (time: string): number => (Number(time.slice(0, 2)) * 60 + Number(time.slice(3))) * 60_000

const isWithin = ({ from, to }: QuietHours, time: number): boolean => {
  const [first, end] = [millisOf(from), millisOf(to)]
  return first < end ? time >= first && time < end : time >= first || time < end
}

/** The first instant at or after `at` that is not quiet. Instants are epoch milliseconds. */
export const endAfter = (quiet: QuietHours | null, at: number): number => {
  if (quiet === null) return at
  const zone = Zone.get(quiet.timeZone)
  const end = millisOf(quiet.to)
  let now = at
  while (true) {
    const { offset, until } = zone.segmentAt(now)
    const time = (((now + offset) % dayMillis) + dayMillis) % dayMillis
    if (!isWithin(quiet, time)) return now
    // A change of clocks may end them earlier or later.
    now = Math.min(now + ((end - time + dayMillis) % dayMillis || dayMillis), until)
  }
}
