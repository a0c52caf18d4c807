/** The endpoints of runs. */

import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import * as TextLength from "../../../core/window/TextLength.ts"
import { MaxBody, mebibytes, Needs } from "../Annotations.ts"
import { done, edits, optional, session } from "../http/body/Fields.ts"
import { large } from "../http/body/LargeBody.ts"
import { sent } from "../http/body/Sent.ts"
import * as Errors from "../http/Errors.ts"
import * as RunFilter from "./RunFilter.ts"
import { RunListItem, RunRecord, RunSummary } from "./RunRecord.ts"
import { RunRequest } from "./RunRequest.ts"

const described = (description: string) =>
  Schema.optionalKey(Schema.Union([Schema.String, Schema.Array(Schema.String)]).annotate({ description }))

type Parameter = ReturnType<typeof described>

/** Filters of the list, checked by its handler, which names the parameter that is wrong. */
const filters = Object.fromEntries(
  Object.entries(RunFilter.names).map(([name, description]) => [name, described(description)])
) as { readonly [K in keyof typeof RunFilter.names]: Parameter }

const listQuery = {
  ...filters,
  limit: described("Maximum number of runs, 1 to 10000; default 1000"),
  cursor: described(
    "The start of the page, newest first: the header x-next-cursor of the former page, or the created_at of its last run, which skips other runs of that millisecond"
  )
}

const group = HttpApiGroup.make("runs").annotate(OpenApi.Description, "Single executions of workflows")

export class RunsGroup extends group.add(
  HttpApiEndpoint.post("start", "/run", {
    payload: large(sent(RunRequest)),
    success: Schema.Struct(session).pipe(HttpApiSchema.status(201)),
    error: [...edits, Errors.Conflict]
  })
    .annotate(OpenApi.Summary, "Start a run of a workflow; it waits while its run window, a pause or a limit holds it")
    .annotate(Needs, "run")
    .annotate(MaxBody, mebibytes(25)),
  HttpApiEndpoint.get("record", "/run/:session_id", { params: session, success: RunRecord, error: Errors.NotFound })
    .annotate(OpenApi.Summary, "Read a run: its status, results, errors and events")
    .annotate(Needs, "read"),
  HttpApiEndpoint.post("interrupt", "/run/:session_id/interrupt", {
    params: session,
    success: done,
    error: [Errors.Forbidden, Errors.NotFound, Errors.Conflict]
  })
    .annotate(OpenApi.Summary, "Stop a waiting or running run")
    .annotate(Needs, "run"),
  HttpApiEndpoint.delete("removeRun", "/run/:session_id", {
    params: session,
    success: done,
    error: [Errors.Forbidden, Errors.NotFound, Errors.Conflict]
  })
    .annotate(
      OpenApi.Summary,
      "Delete a run that has ended, with its events, deliveries, errors, evidence and artifacts; 409 while it has not"
    )
    .annotate(Needs, "manage"),
  HttpApiEndpoint.post("failedItem", "/failed_item", {
    headers: { "x-session-id": Schema.String },
    payload: Schema.Struct({
      reasoning: optional(Schema.String.check(TextLength.atMost(4_096))),
      full_url: optional(Schema.String.check(TextLength.atMost(4_096))),
      error_code: optional(Schema.String.check(TextLength.atMost(256)))
    }).annotate({ identifier: "FailedItem" }),
    success: done,
    error: [...edits, Errors.Conflict]
  })
    .annotate(OpenApi.Summary, "Stop a run with an error code and a reason, in the form of the oldest clients")
    .annotate(Needs, "run"),
  HttpApiEndpoint.get("summary", "/runs/summary", { query: filters, success: RunSummary, error: Errors.BadRequest })
    .annotate(OpenApi.Summary, "Count runs by status, hold, workflow, error code and tag")
    .annotate(
      OpenApi.Description,
      "Takes the filters of GET /runs. The total, statuses and holds are exact up to 10000 each; if exact is false, the number is a lower bound. Workflows, error codes and tags are counted among the newest 10000 runs that the filters select: counted_runs is their number, complete is whether these are all"
    )
    .annotate(Needs, "read"),
  HttpApiEndpoint.get("listRuns", "/runs", {
    query: listQuery,
    success: Schema.Array(RunListItem),
    error: Errors.BadRequest
  })
    .annotate(
      OpenApi.Summary,
      "List runs, newest first; without start_time, those of the last 24 hours and waiting ones of any age"
    )
    .annotate(
      OpenApi.Description,
      "The header x-total-count has the number of runs that the filters select, exact up to 10000; a number that ends in + is a lower bound. x-next-cursor is the cursor of the next page, where there is one"
    )
    .annotate(Needs, "read")
) {}
