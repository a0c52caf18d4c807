/** Answers the endpoints of schedules. */
import { Effect, Schema } from "effect"
import { HttpEffect, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import * as RunSchedule from "../../../core/schedule/RunSchedule.ts"
import { type PreviewView, Schedules, type View } from "../../../core/schedule/Schedules.ts"
import * as Zone from "../../../core/window/calendar/Zone.ts"
import { WorkflowId } from "../../../core/workspace/Ids.ts"
import { Api } from "../Api.ts"
import { CurrentCaller } from "../http/Authorization.ts"
import { iso, isoOrNull } from "../run/RunRecord.ts"
import type { PreviewResponse, ScheduleRecord } from "./SchedulesApi.ts"

const defaultCount = 10
const defaultLimit = 100

export const layer = HttpApiBuilder.group(
  Api,
  "schedules",
  Effect.fn(function* (handlers) {
    const schedules = yield* Schedules
    return handlers.handleAll({
      createSchedule: Effect.fn(function* ({ payload }) {
        return record(yield* schedules.create(yield* CurrentCaller, payload))
      }),
      listSchedules: Effect.fn(function* ({ query }) {
        const limit = query.limit ?? defaultLimit
        const listed = yield* schedules.list(yield* CurrentCaller, {
          limit,
          ...(query.workflow_id === undefined ? {} : { workflowId: WorkflowId.make(query.workflow_id) }),
          ...(query.cursor === undefined ? {} : { after: query.cursor })
        })
        const next = listed.length < limit ? undefined : listed.at(-1)?.schedule.id
        if (next !== undefined) {
          yield* HttpEffect.appendPreResponseHandler((_request, response) =>
            Effect.succeed(HttpServerResponse.setHeader(response, "x-next-cursor", next))
          )
        }
        return listed.map(record)
      }),
      previewSchedule: Effect.fn(function* ({ payload, query }) {
        return preview(yield* schedules.previewBody(yield* CurrentCaller, payload, query.count ?? defaultCount))
      }),
      getSchedule: Effect.fn(function* ({ params }) {
        const id = yield* scheduleId(params.schedule_id)
        const view = yield* schedules.get(yield* CurrentCaller, id)
        return { ...record(view), firings: view.firings.map(firing) }
      }),
      replaceSchedule: Effect.fn(function* ({ params, payload }) {
        const id = yield* scheduleId(params.schedule_id)
        return record(yield* schedules.replace(yield* CurrentCaller, id, payload))
      }),
      removeSchedule: Effect.fn(function* ({ params }) {
        const id = yield* scheduleId(params.schedule_id)
        return record(yield* schedules.remove(yield* CurrentCaller, id))
      }),
      previewStoredSchedule: Effect.fn(function* ({ params, query }) {
        const id = yield* scheduleId(params.schedule_id)
        return preview(yield* schedules.preview(yield* CurrentCaller, id, query.count ?? defaultCount))
      }),
      pauseSchedule: Effect.fn(function* ({ params, payload }) {
        const id = yield* scheduleId(params.schedule_id)
        return record(yield* schedules.pause(yield* CurrentCaller, id, payload.reason ?? null))
      }),
      resumeSchedule: Effect.fn(function* ({ params }) {
        const id = yield* scheduleId(params.schedule_id)
        return record(yield* schedules.resume(yield* CurrentCaller, id))
      }),
      runScheduleNow: Effect.fn(function* ({ params }) {
        const id = yield* scheduleId(params.schedule_id)
        return { session_id: yield* schedules.runNow(yield* CurrentCaller, id) }
      })
    })
  })
)

/** A schedule id from a path. A text that is not a UUID matches no schedule. */
const scheduleId = (text: string) =>
  Schema.is(RunSchedule.ScheduleId)(text)
    ? Effect.succeed(text)
    : Effect.fail(new RunSchedule.ScheduleNotFound({ scheduleId: text }))

const record = ({ schedule, warnings }: View): typeof ScheduleRecord.Type => {
  const { paused, terms } = schedule
  const upcoming = RunSchedule.upcoming(schedule)
  const { timing } = terms
  const isOver = upcoming === null && timing.kind !== "window_opening"
  const recurs = timing.kind === "recurrence"
  return {
    id: schedule.id,
    workflow_id: schedule.workflowId,
    name: terms.name,
    cron: timing.kind === "cron" ? timing.cron : null,
    recurrence: recurs ? timing.recurrence : null,
    recurrence_start: recurs ? timing.start : null,
    recurrence_time: recurs ? timing.time : null,
    at: timing.kind === "window_opening" ? timing.kind : null,
    time_zone: timing.timeZone,
    run_input_variables: terms.input,
    tags: terms.tags ?? [],
    priority: terms.priority ?? 0,
    start_within_minutes: terms.startWithinMinutes ?? null,
    overlap: terms.overlap,
    catch_up: terms.catchUp,
    catch_up_limit: terms.catchUpLimit,
    jitter_seconds: terms.jitterSeconds,
    starts_at: isoOrNull(terms.startsAt),
    ends_at: isoOrNull(terms.endsAt),
    state: paused !== null ? "paused" : isOver ? "ended" : "active",
    paused: paused === null ? null : { at: iso(paused.at), by: paused.by, reason: paused.reason },
    next_scheduled_at: paused === null ? isoOrNull(upcoming?.instant ?? null) : null,
    next_fires_at: isoOrNull(RunSchedule.dueAt(schedule)),
    waiting_firings: schedule.queued.length,
    created_at: iso(schedule.createdAt),
    created_by: schedule.createdBy,
    updated_at: iso(schedule.updatedAt),
    ...(warnings.length === 0 ? {} : { warnings })
  }
}

const firing = ({ byHand, decidedAt, instant, outcome, reason, runId }: RunSchedule.Firing) => ({
  scheduled_at: iso(instant),
  by_hand: byHand,
  outcome,
  decided_at: iso(decidedAt),
  session_id: runId,
  reason
})

const preview = ({ coming, warnings }: PreviewView): typeof PreviewResponse.Type => ({
  firings: coming.map(({ expiresAt, firesAt, instant, local, startsAt, windowLocal, windowOpen }) => ({
    scheduled_at: iso(instant),
    fires_at: iso(firesAt),
    local,
    window_local: windowLocal,
    window_open: windowOpen,
    can_start_at: isoOrNull(startsAt),
    expires_at: isoOrNull(expiresAt)
  })),
  tz_data: Zone.dataVersion,
  warnings
})
