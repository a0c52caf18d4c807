/** The endpoints of schedules. */

import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { CatchUp, FiringOutcome, Overlap } from "../../../core/schedule/RunSchedule.ts"
import { ScheduleBody } from "../../../core/schedule/ScheduleBody.ts"
import { CalendarDate, Time } from "../../../core/window/Definition.ts"
import { RunWindowIssue } from "../../../core/window/RunWindow.ts"
import * as TextLength from "../../../core/window/TextLength.ts"
import { jsonObject } from "../../../core/workspace/request/ParsedJson.ts"
import { Needs } from "../Annotations.ts"
import { edits, optional, wholeNumber } from "../http/body/Fields.ts"
import { sent } from "../http/body/Sent.ts"
import * as Errors from "../http/Errors.ts"

const instant = Schema.NullOr(Schema.String)

const Firing = Schema.Struct({
  scheduled_at: Schema.String,
  by_hand: Schema.Boolean.annotate({ description: "Whether run-now requested the firing" }),
  outcome: FiringOutcome,
  decided_at: Schema.String,
  session_id: instant,
  reason: Schema.NullOr(Schema.String)
}).annotate({ identifier: "ScheduleFiring" })

export const ScheduleRecord = Schema.Struct({
  id: Schema.String,
  workflow_id: Schema.String,
  name: Schema.String,
  cron: Schema.NullOr(Schema.String),
  recurrence: Schema.NullOr(Schema.String),
  recurrence_start: Schema.NullOr(CalendarDate),
  recurrence_time: Schema.NullOr(Time),
  at: Schema.NullOr(Schema.Literal("window_opening")),
  time_zone: Schema.NullOr(Schema.String),
  run_input_variables: jsonObject,
  tags: Schema.Array(Schema.String).annotate({ description: "The tags of each run" }),
  priority: Schema.Int.annotate({ description: "The priority of each run" }),
  start_within_minutes: Schema.NullOr(Schema.Int).annotate({
    description: "Maximum number of minutes between the submission and the start of each run; null for no limit"
  }),
  overlap: Overlap,
  catch_up: CatchUp,
  catch_up_limit: Schema.Int,
  jitter_seconds: Schema.Int,
  starts_at: instant,
  ends_at: instant,
  state: Schema.Literals(["active", "paused", "ended"]).annotate({
    description: "A schedule has ended when it will not fire again and does not wait for a run window"
  }),
  paused: Schema.NullOr(Schema.Struct({ at: Schema.String, by: Schema.String, reason: Schema.NullOr(Schema.String) })),
  next_scheduled_at: instant,
  next_fires_at: instant.annotate({ description: "The same instant with jitter" }),
  waiting_firings: Schema.Int.annotate({ description: "How many firings wait for the end of an earlier run" }),
  created_at: Schema.String,
  created_by: Schema.String,
  updated_at: Schema.String,
  warnings: Schema.optionalKey(Schema.Array(RunWindowIssue)),
  firings: Schema.optionalKey(Schema.Array(Firing)).annotate({ description: "The latest 20, latest first" })
}).annotate({ identifier: "Schedule" })

export const PreviewResponse = Schema.Struct({
  firings: Schema.Array(
    Schema.Struct({
      scheduled_at: Schema.String,
      fires_at: Schema.String.annotate({ description: "The same instant with jitter" }),
      local: Schema.String.annotate({ description: "The local time in the time zone of the schedule" }),
      window_local: Schema.NullOr(Schema.String).annotate({
        description: "The local time in the time zone of the run window; null without a run window"
      }),
      window_open: Schema.Boolean,
      can_start_at: instant.annotate({
        description: "When the run can start, by the run window alone; null if it ends before, or no opening is known"
      }),
      expires_at: instant.annotate({
        description: "When the run ends without a start, as the run window does not open before; null if it can start"
      })
    })
  ),
  tz_data: Schema.NullOr(Schema.String).annotate({
    description: "The version of the time zone data that the firings come from"
  }),
  warnings: Schema.Array(RunWindowIssue)
}).annotate({ identifier: "SchedulePreview" })

const params = { schedule_id: Schema.String }

const count = {
  count: wholeNumber(1, 100)
}

const group = HttpApiGroup.make("schedules").annotate(
  OpenApi.Description,
  "A schedule submits runs of one workflow: at the times of a cron expression or a recurrence rule, or whenever the run window of the workflow opens"
)

export class SchedulesGroup extends group.add(
  HttpApiEndpoint.post("createSchedule", "/schedules", {
    payload: sent(ScheduleBody),
    success: ScheduleRecord.pipe(HttpApiSchema.status(201)),
    error: edits
  })
    .annotate(OpenApi.Summary, "Create a schedule; it must fire at least once, and its input must satisfy the workflow")
    .annotate(Needs, "edit"),
  HttpApiEndpoint.get("listSchedules", "/schedules", {
    query: {
      workflow_id: Schema.optionalKey(Schema.String.check(Schema.isUUID())),
      cursor: Schema.optionalKey(Schema.String.check(Schema.isUUID())),
      limit: wholeNumber(1, 1_000)
    },
    success: Schema.Array(ScheduleRecord),
    error: Errors.BadRequest
  })
    .annotate(
      OpenApi.Summary,
      "List schedules, oldest first; the header x-next-cursor of a full page is the cursor of the next one"
    )
    .annotate(Needs, "read"),
  HttpApiEndpoint.post("previewSchedule", "/schedules/preview", {
    query: count,
    payload: sent(ScheduleBody),
    success: PreviewResponse,
    error: [Errors.BadRequest, Errors.NotFound]
  })
    .annotate(OpenApi.Summary, "Show the next firings of a schedule, 10 by default, without creating it")
    .annotate(Needs, "read"),
  HttpApiEndpoint.get("getSchedule", "/schedules/:schedule_id", {
    params,
    success: ScheduleRecord,
    error: Errors.NotFound
  })
    .annotate(OpenApi.Summary, "Read a schedule with its latest firings")
    .annotate(Needs, "read"),
  HttpApiEndpoint.put("replaceSchedule", "/schedules/:schedule_id", {
    params,
    payload: sent(ScheduleBody),
    success: ScheduleRecord,
    error: edits
  })
    .annotate(OpenApi.Summary, "Replace a schedule; a paused one stays paused")
    .annotate(Needs, "edit"),
  HttpApiEndpoint.delete("removeSchedule", "/schedules/:schedule_id", {
    params,
    success: ScheduleRecord,
    error: [Errors.Forbidden, Errors.NotFound]
  })
    .annotate(OpenApi.Summary, "Delete a schedule; its runs stay")
    .annotate(Needs, "edit"),
  HttpApiEndpoint.get("previewStoredSchedule", "/schedules/:schedule_id/preview", {
    params,
    query: count,
    success: PreviewResponse,
    error: [Errors.BadRequest, Errors.NotFound]
  })
    .annotate(OpenApi.Summary, "Show the next firings of a schedule, 10 by default")
    .annotate(Needs, "read"),
  HttpApiEndpoint.post("pauseSchedule", "/schedules/:schedule_id/pause", {
    params,
    payload: Schema.Struct({ reason: optional(Schema.String.check(TextLength.atMost(1_024))) }),
    success: ScheduleRecord,
    error: edits
  })
    .annotate(
      OpenApi.Summary,
      "Pause a schedule: it does not fire until it is resumed, and firings that wait are dropped"
    )
    .annotate(Needs, "edit"),
  HttpApiEndpoint.post("resumeSchedule", "/schedules/:schedule_id/resume", {
    params,
    success: ScheduleRecord,
    error: [Errors.Forbidden, Errors.NotFound]
  })
    .annotate(OpenApi.Summary, "Resume a paused schedule; the firings of its pause are not caught up")
    .annotate(Needs, "edit"),
  HttpApiEndpoint.post("runScheduleNow", "/schedules/:schedule_id/run-now", {
    params,
    success: Schema.Struct({ session_id: Schema.String }).pipe(HttpApiSchema.status(201)),
    error: edits
  })
    .annotate(
      OpenApi.Summary,
      "Submit a run now, as a firing would, regardless of the overlap policy; the schedule may be paused"
    )
    .annotate(Needs, "edit")
) {}
