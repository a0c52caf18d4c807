/** The form of a schedule, the body that it makes, and the times of a schedule in words. */
import type { ScheduleRecord } from "../../api/schedule/SchedulesApi.ts"

export type Schedule = typeof ScheduleRecord.Type

export const kinds = {
  days: "On days of the week",
  cron: "By a cron expression",
  recurrence: "By a recurrence rule",
  opening: "Whenever the run window opens"
} as const

export type Kind = keyof typeof kinds

export const days = ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"] as const
const dayWords: Readonly<Record<string, string>> = {
  MON: "Monday",
  TUE: "Tuesday",
  WED: "Wednesday",
  THU: "Thursday",
  FRI: "Friday",
  SAT: "Saturday",
  SUN: "Sunday"
}

export const dayWord = (day: string): string => dayWords[day] ?? day

/** The texts of the form. */
export interface Given {
  readonly workflow: string
  readonly name: string
  readonly kind: Kind
  readonly days: ReadonlyArray<string>
  readonly time: string
  readonly cron: string
  readonly rule: string
  readonly start: string
  readonly zone: string
  /** A JSON object. */
  readonly inputs: string
  /** The problems of inputs that could not be read, by their names. */
  readonly wrongInputs: Readonly<Record<string, string>>
  readonly overlap: string
  readonly catchUp: string
}

export const overlaps = {
  skip: "Skip this one",
  queue_one: "Let one wait for its end",
  queue_all: "Let each wait for its end",
  replace: "Stop the earlier run"
} as const

export const catchUps = {
  last: "Make up for the last one",
  none: "Make up for none",
  all: "Make up for all"
} as const

/** A new schedule: on weekdays in the morning. */
export const blank = (workflow: string, zone: string): Given => ({
  workflow,
  name: "",
  kind: "days",
  days: days.slice(0, 5),
  time: "07:30",
  cron: "30 7 * * MON-FRI",
  rule: "FREQ=MONTHLY;BYMONTHDAY=1",
  start: "",
  zone,
  inputs: "{}",
  wrongInputs: {},
  overlap: "skip",
  catchUp: "last"
})

const two = (number: number): string => String(number).padStart(2, "0")

const onDays = /^(\d{1,2}) (\d{1,2}) \* \* (\*|(?:MON|TUE|WED|THU|FRI|SAT|SUN)(?:,(?:MON|TUE|WED|THU|FRI|SAT|SUN))*)$/

/** The days and the time of a cron expression in the form that `bodyOf` writes; `null` for any other. */
const daysOf = (cron: string): { readonly days: ReadonlyArray<string>; readonly time: string } | null => {
  const [, minutes, hours, list] = onDays.exec(cron) ?? []
  if (minutes === undefined || hours === undefined || list === undefined) return null
  return { days: list === "*" ? days : list.split(","), time: `${two(Number(hours))}:${two(Number(minutes))}` }
}

/** The form of an existing schedule. */
export const givenOf = (schedule: Schedule): Given => {
  const { at, cron, recurrence, recurrence_start, recurrence_time } = schedule
  const simple = cron === null ? null : daysOf(cron)
  const form = blank(schedule.workflow_id, schedule.time_zone ?? "")
  const { day, month, year } = recurrence_start ?? { year: 0, month: 0, day: 0 }
  return {
    ...form,
    name: schedule.name,
    kind: at !== null ? "opening" : recurrence !== null ? "recurrence" : simple === null ? "cron" : "days",
    ...simple,
    ...(cron === null ? {} : { cron }),
    ...(recurrence === null ? {} : { rule: recurrence }),
    ...(recurrence_time === null ? {} : { time: `${two(recurrence_time.hours)}:${two(recurrence_time.minutes ?? 0)}` }),
    ...(recurrence_start === null ? {} : { start: `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}` }),
    inputs: JSON.stringify(schedule.run_input_variables, null, 2),
    overlap: schedule.overlap,
    catchUp: schedule.catch_up
  }
}

type Problems = Partial<Record<keyof Given | "all", string>>

const timeOf = (text: string): { readonly hours: number; readonly minutes: number } | null => {
  const [, hours, minutes] = /^(\d{1,2}):(\d{2})$/.exec(text.trim()) ?? []
  return hours === undefined || minutes === undefined || Number(hours) > 23 || Number(minutes) > 59
    ? null
    : { hours: Number(hours), minutes: Number(minutes) }
}

export const objectOf = (text: string): Readonly<Record<string, unknown>> | null => {
  try {
    const value: unknown = JSON.parse(text.trim() === "" ? "{}" : text)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null
  } catch {
    return null
  }
}

/**
 * The body of a form, and the problems of values that cannot be read, by field. Properties of the changed schedule that the
 * form does not show stay.
 */
export const bodyOf = (
  given: Given,
  former: Schedule | null = null
): { readonly body: Readonly<Record<string, unknown>>; readonly problems: Problems } => {
  const time = timeOf(given.time)
  const inputs = objectOf(given.inputs)
  const isTimed = given.kind === "days" || given.kind === "recurrence"
  const problems: Problems = {
    ...(given.workflow === "" ? { workflow: "Choose the workflow that it runs" } : {}),
    ...(isTimed && time === null ? { time: "Expected a time such as 07:30" } : {}),
    ...(given.kind === "days" && given.days.length === 0 ? { days: "Choose at least one day" } : {}),
    ...(Object.keys(given.wrongInputs).length > 0 ? { inputs: "Correct the inputs above" } : {}),
    ...(inputs === null ? { inputs: 'Expected a JSON object, such as {"month": "2026-10"}' } : {})
  }
  const { hours, minutes } = time ?? { hours: 0, minutes: 0 }
  const list = days.filter((day) => given.days.includes(day))
  const [year, month, day] = given.start.split("-").map(Number)
  const timing = {
    days: { cron: `${minutes} ${hours} * * ${list.length === 7 ? "*" : list.join(",")}` },
    cron: { cron: given.cron },
    recurrence: {
      recurrence: given.rule,
      recurrence_time: { hours, minutes },
      ...(given.start === "" ? {} : { recurrence_start: { year, month, day } })
    },
    opening: { at: "window_opening" }
  }[given.kind]
  const body = {
    workflow_id: given.workflow,
    name: given.name.trim(),
    ...timing,
    ...(given.zone.trim() === "" ? {} : { time_zone: given.zone.trim() }),
    run_input_variables: inputs ?? {},
    overlap: given.overlap,
    catch_up: given.catchUp,
    ...(former === null
      ? {}
      : {
          catch_up_limit: former.catch_up_limit,
          jitter_seconds: former.jitter_seconds,
          tags: former.tags,
          priority: former.priority,
          start_within_minutes: former.start_within_minutes,
          starts_at: former.starts_at,
          ends_at: former.ends_at
        })
  }
  return { body, problems }
}

const fields: Readonly<Record<string, keyof Given>> = {
  workflow_id: "workflow",
  name: "name",
  cron: "cron",
  recurrence: "rule",
  recurrence_start: "start",
  recurrence_time: "time",
  time_zone: "zone",
  run_input_variables: "inputs",
  overlap: "overlap",
  catch_up: "catchUp"
}

/** The problems that the service found, by the fields of the form. Those of no field are under `all`. */
export const problemsAt = (
  found: ReadonlyArray<{ readonly path: string; readonly message: string }>,
  kind: Kind
): Problems => {
  const problems: Problems = {}
  for (const { message, path } of found) {
    const field = fields[path.split(/[.[]/)[0] ?? ""] ?? "all"
    const shown = field === "cron" && kind === "days" ? "days" : field
    problems[shown] = problems[shown] === undefined ? message : `${problems[shown]}. ${message}`
  }
  return problems
}

/** The times of a schedule in words. */
export const timing = ({ at, cron, recurrence, recurrence_time }: Schedule): string => {
  if (at !== null) return "whenever the run window opens"
  if (recurrence !== null) {
    const { hours, minutes } = recurrence_time ?? { hours: 0, minutes: 0 }
    // The rule's own times take the place of the one that is given.
    const own = (name: string, otherwise: number) =>
      (new RegExp(`(?:^|[;:])${name}=([\\d,]+)`, "i").exec(recurrence)?.[1] ?? String(otherwise)).split(",").map(Number)
    const atMinutes = own("BYMINUTE", minutes ?? 0)
    const times = own("BYHOUR", hours).flatMap((hour) => atMinutes.map((minute) => `${two(hour)}:${two(minute)}`))
    const rule = recurrence
      .split(";")
      .filter((part) => !/BY(HOUR|MINUTE|SECOND)=/i.test(part))
      .join(";")
    return `${rule} at ${times.slice(0, 4).join(", ")}${times.length > 4 ? " …" : ""}`
  }
  const simple = daysOf(cron ?? "")
  if (simple === null) return cron ?? ""
  const words =
    simple.days.length === 7
      ? "every day"
      : simple.days.length > 2 && days.join().includes(simple.days.join())
        ? `${dayWord(simple.days[0] ?? "")} to ${dayWord(simple.days.at(-1) ?? "")}`
        : simple.days.map(dayWord).join(", ")
  return `${words} at ${simple.time}`
}

/** The state of a schedule in words. */
export const stateOf = ({ paused, state }: Schedule, whoIs: (id: string) => string): string =>
  paused === null
    ? state
    : `paused by ${whoIs(paused.by)}${paused.reason === null || paused.reason === "" ? "" : `: ${paused.reason}`}`
