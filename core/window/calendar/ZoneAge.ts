/**
 * How old time zone data are, as far as the name of their release tells: it has the year and a letter.
 */

const dayMillis = 86_400_000

/** Data that are at least so many days old may be older than the law: the database has several releases a year. */
const oldDays = 180

/** The days that have passed at least since a release such as `2026a`; `null` for a name that is none. */
export const leastDays = (version: string | null, now: number): number | null => {
  const [, year] = /^(\d{4})[a-z]{1,2}/.exec(version ?? "") ?? []
  return year === undefined ? null : Math.max(0, Math.floor((now - Date.UTC(Number(year) + 1, 0)) / dayMillis))
}

/** A warning of data that may be older than the law of today, as a sentence without a full stop; `null` for others. */
export const warning = (version: string | null, now: number): string | null => {
  const days = leastDays(version, now)
  return days === null || days < oldDays
    ? null
    : `The time zone data ${version} are at least ${days} days old: where a law has changed since, windows and schedules keep to the former time`
}

/** What helps against old data, of which a setting may name newer ones. */
export const remedyBy = (setting: string): string => `Update Node, or name newer data in ${setting}`
