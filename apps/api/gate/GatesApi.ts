/** The endpoints of run windows, paces and pauses. */

import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { mostCounted } from "../../../core/gate/GateStore.ts"
import { mostListed } from "../../../core/gate/Gates.ts"
import { mostRunning, mostStartsPerMinute } from "../../../core/gate/Pace.ts"
import * as RunWindow from "../../../core/window/RunWindow.ts"
import * as TextLength from "../../../core/window/TextLength.ts"
import { InvalidBody, Needs, TakesTags } from "../Annotations.ts"
import { edits, instant, optional, pageOf, wholeNumber, workflow } from "../http/body/Fields.ts"
import { sent } from "../http/body/Sent.ts"
import * as Errors from "../http/Errors.ts"
import { HoldJson } from "../run/RunRecord.ts"
import { StartForecast } from "./ForecastJson.ts"
import * as InForce from "./InForce.ts"

export const RunWindowResponse = Schema.Struct({
  run_window: Schema.NullOr(RunWindow.RunWindow),
  state: Schema.NullOr(RunWindow.RunWindowStateJson),
  ...InForce.fields,
  warnings: Schema.optionalKey(Schema.Array(RunWindow.RunWindowIssue))
}).annotate({ identifier: "RunWindowResponse" })

const RunWindowHistory = Schema.Struct({
  run_windows: Schema.Array(
    Schema.Struct({
      run_window_revision: Schema.Int,
      run_window: Schema.NullOr(RunWindow.RunWindow).annotate({ description: "null for a removed window" }),
      set_at: Schema.NullOr(Schema.String),
      set_by: Schema.NullOr(Schema.String).annotate({ description: "The user who set or removed the window" })
    })
  ),
  next_cursor: Schema.NullOr(Schema.String)
}).annotate({ identifier: "RunWindowHistory" })

const limit = (most: number) => Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: most })))

/** How fast the runs of a workflow may start. Both fields must be sent, so that a misspelled one removes no limit. */
export const WorkflowPace = Schema.Struct({
  max_starts_per_minute: limit(mostStartsPerMinute).annotate({
    description: "The maximum number of starts in any 60 seconds, retries included, spread evenly; null for no limit"
  }),
  max_running: limit(mostRunning).annotate({
    description: "The maximum number of concurrent runs; null for no limit"
  })
}).annotate({ identifier: "WorkflowPace" })

/** Some of the runs that a preview counts. */
const listedRuns = (what: string) =>
  Schema.Array(Schema.Struct({ session_id: Schema.String, created_at: Schema.String })).annotate({
    description: `The runs that would be ${what}, oldest first: at most ${mostListed}`
  })

const PreviewResponse = Schema.Struct({
  warnings: Schema.Array(RunWindow.RunWindowIssue),
  state: RunWindow.RunWindowStateJson,
  openings: Schema.Array(
    Schema.Struct({
      opens_at: Schema.String,
      closes_at: Schema.NullOr(Schema.String),
      decided_by: Schema.Array(Schema.Struct({ path: Schema.String, label: Schema.NullOr(Schema.String) }))
    })
  ),
  truncated: Schema.Boolean.annotate({
    description:
      "Whether there are fewer openings than requested because none follows within 400 days; a later one may exist"
  }),
  tz_data: Schema.NullOr(Schema.String).annotate({
    description: "The version of the time zone data that the openings come from"
  }),
  releases: Schema.Int.annotate({
    description: `How many waiting runs would be released, counted up to ${mostCounted}`
  }),
  holds: Schema.Int.annotate({ description: `How many waiting runs would be held, counted up to ${mostCounted}` }),
  at_least: Schema.Boolean.annotate({ description: "Whether there are more runs than were counted" }),
  forecast: Schema.NullOr(StartForecast).annotate({
    description: "When the waiting runs would start; null when the workflow has no pace and the workers are not known"
  }),
  released_runs: listedRuns("released"),
  held_runs: listedRuns("held"),
  ends_lift: Schema.Boolean.annotate({
    description: "Whether setting the window would end a lift, under which runs start while the window is closed"
  })
}).annotate({ identifier: "RunWindowPreview" })

export class GatesGroup extends HttpApiGroup.make("runWindows")
  .annotate(OpenApi.Title, "run windows")
  .annotate(OpenApi.Description, "Run windows, paces and manual pauses of workflows")
  .add(
    HttpApiEndpoint.get("getRunWindow", "/workflows/:workflow_id/run-window", {
      params: workflow,
      success: RunWindowResponse,
      error: Errors.NotFound
    })
      .annotate(OpenApi.Summary, "Read the run window of a workflow and whether it is open now")
      .annotate(Needs, "read"),
    HttpApiEndpoint.get("listRunWindows", "/workflows/:workflow_id/run-window/history", {
      params: workflow,
      query: pageOf("windows", 1_000, 100, 2_147_483_647),
      success: RunWindowHistory,
      error: [Errors.BadRequest, Errors.NotFound]
    })
      .annotate(OpenApi.Summary, "List the run windows that a workflow had, newest first, the one in force included")
      .annotate(Needs, "read"),
    HttpApiEndpoint.put("setRunWindow", "/workflows/:workflow_id/run-window", {
      params: workflow,
      payload: sent(RunWindow.RunWindow),
      success: RunWindowResponse,
      error: [...edits, Errors.Conflict]
    })
      .annotate(OpenApi.Summary, "Replace the run window of a workflow; waiting runs are held or released at once")
      .annotate(Needs, "edit")
      .annotate(InvalidBody, Errors.invalidWindowBody)
      .annotate(OpenApi.Identifier, "setRunWindow")
      .annotate(TakesTags, true)
      .annotateMerge(InForce.ifMatch),
    HttpApiEndpoint.delete("removeRunWindow", "/workflows/:workflow_id/run-window", {
      params: workflow,
      success: RunWindowResponse,
      error: [...edits, Errors.Conflict]
    })
      .annotate(OpenApi.Summary, "Delete the run window of a workflow and release the runs that it holds")
      .annotate(Needs, "edit")
      .annotate(TakesTags, true)
      .annotateMerge(InForce.ifMatch),
    HttpApiEndpoint.post("previewRunWindow", "/workflows/:workflow_id/run-window/preview", {
      params: workflow,
      query: {
        openings: wholeNumber(1, 100)
      },
      payload: sent(RunWindow.RunWindow),
      success: PreviewResponse,
      error: [Errors.BadRequest, Errors.NotFound]
    })
      .annotate(
        OpenApi.Summary,
        "Show what setting this run window would do now and when it would open, without setting it"
      )
      .annotate(Needs, "read")
      .annotate(InvalidBody, Errors.invalidWindowBody),
    HttpApiEndpoint.get("getPace", "/workflows/:workflow_id/pace", {
      params: workflow,
      success: WorkflowPace,
      error: Errors.NotFound
    })
      .annotate(OpenApi.Summary, "Read how many runs of a workflow may start per minute and run concurrently")
      .annotate(Needs, "read"),
    HttpApiEndpoint.put("setPace", "/workflows/:workflow_id/pace", {
      params: workflow,
      payload: WorkflowPace,
      success: WorkflowPace,
      error: edits
    })
      .annotate(OpenApi.Summary, "Limit how many runs of a workflow start per minute and run concurrently")
      .annotate(Needs, "edit"),
    HttpApiEndpoint.post("pause", "/workflows/:workflow_id/pause", {
      params: workflow,
      payload: Schema.Struct({
        reason: optional(Schema.String.check(TextLength.atMost(1_024))),
        until: optional(instant)
      }),
      success: Schema.Struct({ success: Schema.Boolean, holds: Schema.Array(HoldJson) }),
      error: edits
    })
      .annotate(OpenApi.Summary, "Pause a workflow until it is unpaused, or until a given instant; its runs wait")
      .annotate(Needs, "edit"),
    HttpApiEndpoint.post("unpause", "/runs/unpause", {
      payload: Schema.Struct({
        pause_resource: Schema.Literals(["run_window", "workflow"]),
        resource_ids: Schema.Array(Schema.String).check(Schema.isMaxLength(1_000))
      }),
      success: Schema.Struct({
        success: Schema.Boolean,
        resumedRuns: Schema.Int.annotate({
          description: "How many waiting runs may start now and could not before: all of them are counted"
        }),
        skippedResourceGroups: Schema.Array(Schema.String),
        errors: Schema.Array(Schema.String)
      }),
      error: [Errors.BadRequest, Errors.Forbidden]
    })
      .annotate(
        OpenApi.Summary,
        "Let held runs of workflows start: lift their closed run windows, or end their manual pauses"
      )
      .annotate(Needs, "edit")
  ) {}
