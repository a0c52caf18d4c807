/**
 * Reads what a user sends to make or change a schedule, and lists every problem at its path.
 */

import { Result, Schema } from "effect"
import { highestPriority, lowestPriority } from "../run/Run.ts"
import * as CivilDate from "../window/calendar/CivilDate.ts"
import * as InstantText from "../window/calendar/InstantText.ts"
import * as Zone from "../window/calendar/Zone.ts"
import { CalendarDate, Time } from "../window/Definition.ts"
import type { RunWindowIssue } from "../window/RunWindow.ts"
import * as TextLength from "../window/TextLength.ts"
import { WorkflowId } from "../workspace/Ids.ts"
import * as Json from "../workspace/Json.ts"
import { jsonObject, optional } from "../workspace/request/ParsedJson.ts"
import { distinct, most as mostTags, Tags } from "../workspace/request/Tags.ts"
import * as WellFormed from "../workspace/WellFormed.ts"
import * as LocalTimes from "./LocalTimes.ts"
import { CatchUp, InvalidSchedule, Overlap, type Terms } from "./RunSchedule.ts"
import * as Timing from "./ScheduleTiming.ts"

/** Bounds of the fields. */
export const limits = { name: 256, catchUp: 1_000, jitterSeconds: 86_400, startWithinMinutes: 525_600 } as const

const defaultCatchUpLimit = 100

/** The schema of a body. */
export const ScheduleBody = Schema.Struct({
  workflow_id: Schema.String.annotate({
    description: "The workflow whose runs the schedule submits. It cannot be changed"
  }),
  name: optional(Schema.String.check(TextLength.atMost(limits.name))),
  cron: optional(Schema.String).annotate({
    description: "Five fields, or a short form such as @daily. Exactly one of cron, recurrence and at is given",
    examples: ["30 7 * * MON-FRI"]
  }),
  recurrence: optional(Schema.String).annotate({ description: "A recurrence rule of RFC 5545, such as FREQ=DAILY" }),
  recurrence_start: optional(CalendarDate).annotate({
    description: "The first date of the series; by default the current date"
  }),
  recurrence_time: optional(Time).annotate({
    description: "The time of day, where the rule has no BYHOUR or BYMINUTE; by default midnight"
  }),
  at: optional(Schema.Literal("window_opening")).annotate({
    description: "Fires whenever the run window of the workflow opens"
  }),
  time_zone: optional(Schema.String).annotate({
    description: "An IANA time zone name. Required with cron and recurrence",
    examples: ["Europe/Berlin"]
  }),
  run_input_variables: optional(jsonObject).annotate({
    description: "The input of each run. Texts may hold {{ expressions }} over schedule, such as {{ schedule.date }}"
  }),
  tags: optional(Tags).annotate({ description: "The tags of each run" }),
  priority: optional(
    Schema.Int.check(Schema.isBetween({ minimum: lowestPriority, maximum: highestPriority }))
  ).annotate({
    description: `The priority of each run, as in POST /run. ${lowestPriority} to ${highestPriority}, default 0`
  }),
  start_within_minutes: optional(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: limits.startWithinMinutes }))
  ).annotate({
    description:
      "A run that has not started so many minutes after its submission ends with the code EXPIRED-E0002, held or not; if omitted, without limit"
  }),
  overlap: optional(Overlap).annotate({
    description: "What a firing does while an earlier run has not ended; by default skip"
  }),
  catch_up: optional(CatchUp).annotate({
    description: "Which missed firings are caught up after an outage; by default last"
  }),
  catch_up_limit: optional(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: limits.catchUp }))).annotate({
    description: `The most firings that catch_up all catches up; by default ${defaultCatchUpLimit}`
  }),
  jitter_seconds: optional(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: limits.jitterSeconds }))).annotate({
    description:
      "Each firing is delayed by less than this. The delay is fixed by the schedule and the instant of the firing"
  }),
  starts_at: optional(Schema.String).annotate({ description: "It does not fire before this instant" }),
  ends_at: optional(Schema.String).annotate({ description: "It does not fire after this instant" })
}).annotate({ identifier: "ScheduleToKeep" })

/** A parsed body. */
export interface Read {
  readonly workflowId: WorkflowId
  readonly terms: Terms
}

type Note = (path: string, message: string) => void

/**
 * Reads a body at the instant `now`. Where it replaces `stored` terms and has the same recurrence without its start, the
 * start stays.
 */
export const read = (body: unknown, now: number, stored: Terms | null = null): Result.Result<Read, InvalidSchedule> => {
  const problems: Array<RunWindowIssue> = []
  const note: Note = (path, message) => {
    problems.push({ path, message })
  }
  if (!Json.isObject(body))
    return Result.fail(new InvalidSchedule({ problems: [{ path: "", message: "Expected an object" }] }))
  const field = <A>(name: string, schema: Schema.Codec<A, unknown>, expected: string): A | undefined => {
    const value = body[name]
    if (value === undefined || value === null) return undefined
    const found = Schema.decodeUnknownResult(schema)(value)
    if (Result.isSuccess(found)) return found.success
    note(name, `Expected ${expected}, got ${shown(value)}`)
    return undefined
  }
  const text = (name: string, most: number) =>
    field(
      name,
      Schema.String.check(TextLength.atMost(most), WellFormed.check),
      `a text of at most ${most} characters without unpaired surrogates`
    )
  const whole = (name: string, minimum: number, maximum: number) =>
    field(
      name,
      Schema.Int.check(Schema.isBetween({ minimum, maximum })),
      `a whole number from ${minimum} to ${maximum}`
    )

  const workflowId = field("workflow_id", WorkflowId, "the id of a workflow")
  if (body.workflow_id === undefined || body.workflow_id === null) note("workflow_id", "Expected the id of a workflow")
  const startsAt = instantOf(field("starts_at", Schema.String, anInstant), "starts_at", note)
  const endsAt = instantOf(field("ends_at", Schema.String, anInstant), "ends_at", note)
  if (endsAt !== null && endsAt < now) note("ends_at", "Expected an instant in the future")
  if (startsAt !== null && endsAt !== null && endsAt < startsAt) note("ends_at", "Expected an instant after starts_at")
  const priority = whole("priority", lowestPriority, highestPriority) ?? 0
  const startWithinMinutes = whole("start_within_minutes", 1, limits.startWithinMinutes)
  const read = {
    name: text("name", limits.name) ?? "",
    input: field("run_input_variables", jsonObject, "an object") ?? {},
    tags: distinct(field("tags", Tags, `at most ${mostTags} tags of 1 to 100 characters`) ?? []),
    ...(priority === 0 ? {} : { priority }),
    ...(startWithinMinutes === undefined ? {} : { startWithinMinutes }),
    overlap: field("overlap", Overlap, `one of ${Overlap.literals.join(", ")}`) ?? "skip",
    catchUp: field("catch_up", CatchUp, `one of ${CatchUp.literals.join(", ")}`) ?? "last",
    catchUpLimit: whole("catch_up_limit", 1, limits.catchUp) ?? defaultCatchUpLimit,
    jitterSeconds: whole("jitter_seconds", 0, limits.jitterSeconds) ?? 0,
    startsAt,
    endsAt
  }
  const timing = readTiming(body, { field, note, now, stored })
  if (timing !== null && !problems.some(({ path }) => path.startsWith("recurrence"))) {
    for (const problem of Timing.problems(timing, Math.max(now, startsAt ?? now))) note(problem.field, problem.message)
    const first = problems.length > 0 ? null : Timing.instants(timing, null).next(Math.max(now, (startsAt ?? now) - 1))
    if (endsAt !== null && first !== null && first > endsAt) {
      note("ends_at", `The schedule would never fire: its first firing is at ${new Date(first).toISOString()}`)
    }
  }
  return problems.length > 0 || workflowId === undefined || timing === null
    ? Result.fail(new InvalidSchedule({ problems }))
    : Result.succeed({ workflowId, terms: { ...read, timing } })
}

interface Reading {
  readonly field: <A>(name: string, schema: Schema.Codec<A, unknown>, expected: string) => A | undefined
  readonly note: Note
  readonly now: number
  readonly stored: Terms | null
}

/**
 * The timing of a body; `null` where its kind is not clear. Problems are recorded. In place of a zone that is wrong it has
 * UTC, so that its times can be judged, too.
 */
const readTiming = (
  body: Readonly<Record<string, unknown>>,
  { field, note, now, stored }: Reading
): Timing.Timing | null => {
  const named = field("time_zone", Schema.String, aZone) ?? null
  const isKnown = named === null || Zone.isKnown(named)
  if (!isKnown) note("time_zone", `${shown(named)} is not known: expected ${aZone}`)
  const cron = field("cron", Schema.String, "a cron expression such as 30 7 * * MON-FRI")
  const recurrence = field("recurrence", Schema.String, "a recurrence rule such as FREQ=DAILY")
  const at = field("at", Schema.Literal("window_opening"), '"window_opening"')
  const start = field("recurrence_start", CalendarDate, "year, month and day of a date from year 1 to 9999 that exists")
  const time = field("recurrence_time", Time, "an object with hours from 0 to 23 and minutes from 0 to 59")
  const given = ["cron", "recurrence", "at"].filter((name) => body[name] !== undefined && body[name] !== null)
  if (given.length !== 1) {
    const got = given.length === 0 ? "none" : given.join(" and ")
    note(given[1] ?? "cron", `Expected exactly one of cron, recurrence and at, got ${got}`)
    return null
  }
  for (const name of ["recurrence_start", "recurrence_time"]) {
    if (recurrence === undefined && body[name] !== undefined && body[name] !== null) {
      note(name, "Expected only together with recurrence")
    }
  }
  if (at !== undefined) return { kind: "window_opening", timeZone: isKnown ? named : null }
  if (body.time_zone === undefined || body.time_zone === null) note("time_zone", `Expected ${aZone}`)
  const timeZone = named !== null && isKnown ? named : "UTC"
  if (cron !== undefined) return { kind: "cron", cron, timeZone }
  if (recurrence === undefined) return null
  const today = CivilDate.parts(LocalTimes.dayAt(Zone.get(timeZone), now))
  const former = stored?.timing.kind === "recurrence" && stored.timing.recurrence === recurrence ? stored.timing : null
  return {
    kind: "recurrence",
    recurrence,
    start: start ?? former?.start ?? { year: today.year, month: today.month, day: today.dayOfMonth },
    time: { hours: time?.hours ?? 0, minutes: time?.minutes ?? 0 },
    timeZone
  }
}

const aZone = 'an IANA time zone name such as "Europe/Berlin"'
const anInstant = "an instant such as 2027-01-31T08:00:00Z"

const instantOf = (text: string | undefined, path: string, note: Note): number | null => {
  if (text === undefined) return null
  const at = InstantText.parse(text)
  if (at !== null) return at
  note(path, `Expected ${anInstant}, got ${shown(text)}`)
  return null
}

/** User input as a message may show it. */
const shown = (value: unknown): string => {
  const text = JSON.stringify(value)
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}
