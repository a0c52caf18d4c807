/** The schedules of n8n as cron expressions. */
import type { Schema } from "effect"
import * as Json from "../../workspace/Json.ts"
import { listOf } from "./N8nSource.ts"

/** What to do instead of a trigger by time. */
export const advice = (kind: string, parameters: Schema.JsonObject): string => {
  const given =
    kind === "cron"
      ? listOf(Json.objectOf(parameters.triggerTimes).item).map(ofItem)
      : kind === "interval"
        ? [every(String(parameters.unit ?? "seconds"), parameters.interval ?? 1)]
        : listOf(Json.objectOf(parameters.rule).interval).map(ofRule)
  const found = given.filter((one) => one !== null)
  const several = found.length > 1 ? "one for each" : "with"
  return found.length > 0 && found.length === given.length
    ? `Workflows are started by schedules: POST /schedules ${several} cron ${found.map((one) => `"${one}"`).join(", ")}, and its time zone`
    : "Workflows are started by schedules, by cron or by recurrence rule: POST /schedules for its times, which are not read"
}

const whole = (value: unknown, otherwise: number): number => {
  const number = Number(value ?? otherwise)
  return Number.isInteger(number) && number >= 0 ? number : Number.NaN
}

/** Five fields; `null` where one of them is no number. */
const cron = (...fields: ReadonlyArray<string | number>): string | null => {
  const text = fields.join(" ")
  return text.includes("NaN") ? null : text
}

/** Every so many; `null` for a number that does not divide the hour or the day evenly, or of seconds. */
const every = (unit: string, given: unknown, minute = 0): string | null => {
  const count = whole(given, 1)
  if (/^minutes?$/.test(unit))
    return 60 % count === 0 ? cron(count === 60 ? 0 : count === 1 ? "*" : `*/${count}`, "* * * *") : null
  if (/^hours?$/.test(unit))
    return 24 % count === 0 ? cron(minute, count === 24 ? 0 : count === 1 ? "*" : `*/${count}`, "* * *") : null
  return null
}

const ofFields = (value: unknown): string | null => {
  const fields = String(value ?? "")
    .trim()
    .split(/\s+/)
  if (fields.length === 6 && fields[0] === "0") return fields.slice(1).join(" ")
  return fields.length === 5 ? fields.join(" ") : null
}

const ofRule = (rule: Schema.JsonObject): string | null => {
  const [minute, hour] = [whole(rule.triggerAtMinute, 0), whole(rule.triggerAtHour, 0)]
  switch (rule.field ?? "days") {
    case "cronExpression":
      return ofFields(rule.expression)
    case "minutes":
      return every("minutes", rule.minutesInterval ?? 5)
    case "hours":
      return every("hours", rule.hoursInterval, minute)
    case "days":
      return whole(rule.daysInterval, 1) === 1 ? cron(minute, hour, "* * *") : null
    case "weeks": {
      const days = Array.isArray(rule.triggerAtDay) ? rule.triggerAtDay : [rule.triggerAtDay ?? 0]
      return whole(rule.weeksInterval, 1) === 1
        ? cron(minute, hour, "* *", days.map((day) => whole(day, 0)).join(","))
        : null
    }
    case "months":
      return whole(rule.monthsInterval, 1) === 1 ? cron(minute, hour, whole(rule.triggerAtDayOfMonth, 1), "* *") : null
    default:
      return null
  }
}

const ofItem = (item: Schema.JsonObject): string | null => {
  const [minute, hour] = [whole(item.minute, 0), whole(item.hour, 14)]
  switch (item.mode ?? "everyDay") {
    case "everyMinute":
      return "* * * * *"
    case "everyHour":
      return cron(minute, "* * * *")
    case "everyDay":
      return cron(minute, hour, "* * *")
    case "everyWeek":
      return cron(minute, hour, "* *", whole(item.weekday, 1))
    case "everyMonth":
      return cron(minute, hour, whole(item.dayOfMonth, 1), "* *")
    case "everyX":
      return every(String(item.unit ?? "hours"), item.value ?? 2)
    case "custom":
      return ofFields(item.cronExpression)
    default:
      return null
  }
}
