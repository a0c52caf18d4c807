/** The endpoints that do one thing to several runs: release, interrupt, retry; and that submit many. */

import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import * as TextLength from "../../../core/window/TextLength.ts"
import { json, jsonObject } from "../../../core/workspace/request/ParsedJson.ts"
import * as Tags from "../../../core/workspace/request/Tags.ts"
import { MaxBody, mebibytes, Needs, ReachesOut } from "../Annotations.ts"
import { optional } from "../http/body/Fields.ts"
import { large } from "../http/body/LargeBody.ts"
import { sent } from "../http/body/Sent.ts"
import * as Errors from "../http/Errors.ts"
import { RunFilterJson } from "../run/RunFilter.ts"

/** How many runs one call may name, and how many it may submit. */
export const mostNamed = 10_000
export const mostSubmitted = 1_000

/** The runs that a call is for. */
const selection = {
  session_ids: optional(
    Schema.Array(Schema.String.check(TextLength.atMost(100))).check(
      Schema.isMinLength(1),
      Schema.isMaxLength(mostNamed)
    )
  ).annotate({ description: "The ids of the runs, at most 10000. One that is given twice counts once" }),
  filter: optional(sent(RunFilterJson)).annotate({
    description:
      "Instead of session_ids: the parameters of GET /runs that select runs, at least one. Without start_time they are those of the last 24 hours, and waiting runs of any age"
  }),
  limit: optional(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: mostNamed }))).annotate({
    description: "The most runs that are taken of the filter, newest first; default 10000"
  }),
  cursor: optional(Schema.String).annotate({
    description: "next_cursor of the answer before: the call continues with the runs of the filter after those"
  }),
  dry_run: optional(Schema.Boolean).annotate({
    description: "Changes nothing, and answers the outcomes that the call would have"
  })
}

const reason = Schema.String.check(TextLength.atMost(1_024))

const session = "01890a5d-ac96-774b-bcce-b302099a8057"

/** The answer of a verb: an outcome for each run, in the order in which they were named. */
const answerOf = <const Kinds extends ReadonlyArray<string>, const More extends Schema.Struct.Fields>(
  name: string,
  kinds: Kinds,
  more: More
) =>
  Schema.Struct({
    dry_run: Schema.Boolean,
    next_cursor: Schema.NullOr(Schema.String).annotate({
      description: "The cursor of the next call with the filter; null when no run is left"
    }),
    counts: Schema.Record(Schema.String, Schema.Int).annotate({ description: "How many runs have each outcome" }),
    results: Schema.Array(
      Schema.Struct({
        session_id: Schema.String,
        outcome: Schema.Literals([...kinds, "not_found"]),
        status: Schema.NullOr(Schema.String).annotate({
          description: "The status of the run as it reads afterwards; null for one that does not exist"
        }),
        message: Schema.NullOr(Schema.String).annotate({ description: "Why nothing was done; null where it was" }),
        ...more
      }).annotate({ identifier: `${name}Result` })
    )
  }).annotate({ identifier: `${name}Answer` })

const refusals = [Errors.BadRequest, Errors.Forbidden] as const

export const ReleaseRuns = Schema.Struct({
  ...selection,
  past_pause: optional(Schema.Boolean).annotate({
    description: "Lets the runs start past the manual pause of their workflow, too. A later pause holds them again"
  })
}).annotate({ identifier: "ReleaseRuns", examples: [{ session_ids: [session], dry_run: true }] })

export const InterruptRuns = Schema.Struct({
  ...selection,
  reason: optional(reason).annotate({ description: "What the errors of the runs say then" })
}).annotate({
  identifier: "InterruptRuns",
  examples: [{ session_ids: [session], reason: "The portal is being maintained" }]
})

export const RetryRuns = Schema.Struct({
  ...selection,
  version: optional(Schema.Literals(["same", "latest"])).annotate({
    description: "The version that the new runs execute: that of the run (the default), or the latest one"
  }),
  run_input_variables: optional(jsonObject).annotate({
    description: "Values that take the place of those of the same names in the input of each run"
  }),
  force: optional(Schema.Boolean).annotate({
    description:
      "Retries also what must not be repeated: runs that succeeded, runs whose outcome_certainty is committed or unknown, and runs that were retried before. It needs a reason"
  }),
  reason: optional(reason)
}).annotate({
  identifier: "RetryRuns",
  examples: [{ session_ids: [session], version: "latest", run_input_variables: { month: "2026-10" } }]
})

export const TagRuns = Schema.Struct({
  ...selection,
  add: optional(Schema.Array(Tags.Tag).check(Schema.isMaxLength(Tags.most))),
  remove: optional(Schema.Array(Schema.String).check(Schema.isMaxLength(1_000)))
}).annotate({ identifier: "TagRuns", examples: [{ session_ids: [session], add: ["october"], remove: ["new"] }] })

export class VerbsGroup extends HttpApiGroup.make("runVerbs")
  .annotate(OpenApi.Title, "several runs")
  .annotate(OpenApi.Description, "What is done to several runs in one request, with an outcome for each of them")
  .add(
    HttpApiEndpoint.post("release", "/runs/release", {
      payload: sent(ReleaseRuns),
      success: answerOf("Release", ["released", "already_released", "held_by_pause", "not_waiting"], {}),
      error: refusals
    })
      .annotate(OpenApi.Summary, "Let waiting runs start now although their run window is closed")
      .annotate(Needs, "run")
      // In pieces, each with its own transaction: one for all would keep the runs locked for long.
      .annotate(ReachesOut, true),
    HttpApiEndpoint.post("interruptAll", "/runs/interrupt", {
      payload: sent(InterruptRuns),
      success: answerOf("Interrupt", ["interrupted", "already_ended"], {}),
      error: refusals
    })
      .annotate(OpenApi.Summary, "Stop waiting and running runs")
      .annotate(Needs, "run")
      .annotate(ReachesOut, true),
    HttpApiEndpoint.post("retry", "/runs/retry", {
      payload: large(sent(RetryRuns)),
      success: answerOf(
        "Retry",
        ["retried", "not_ended", "not_repeatable", "already_retried", "invalid_input", "workflow_deleted"],
        {
          workflow_id: Schema.NullOr(Schema.String).annotate({
            description: "The workflow, whose run window and pause hold the new run; null for a run that does not exist"
          }),
          retry_session_id: Schema.NullOr(Schema.String).annotate({
            description: "The new run, or the one that retries this run already"
          }),
          errors: Schema.optionalKey(
            Schema.Array(Schema.Struct({ path: Schema.String, message: Schema.String }))
          ).annotate({
            description: "With invalid_input: what is wrong with the input, each at its path, at most 20"
          })
        }
      ),
      error: refusals
    })
      .annotate(OpenApi.Summary, "Submit runs that have ended again, as new runs")
      .annotate(Needs, "run")
      .annotate(MaxBody, mebibytes(5))
      .annotate(ReachesOut, true),
    HttpApiEndpoint.post("tag", "/runs/tags", {
      payload: sent(TagRuns),
      success: answerOf("Tag", ["tagged", "unchanged", "too_many_tags"], {}),
      error: refusals
    })
      .annotate(OpenApi.Summary, "Add tags to runs and remove tags from them, also of runs that have ended")
      .annotate(Needs, "run")
      .annotate(ReachesOut, true),
    HttpApiEndpoint.post("batch", "/runs/batch", {
      payload: large(
        Schema.Struct({
          runs: Schema.Array(
            json.annotate({ description: "A body of POST /run. One that is wrong is refused alone, in its own answer" })
          ).check(Schema.isMinLength(1), Schema.isMaxLength(mostSubmitted))
        }).annotate({
          identifier: "BatchOfRuns",
          examples: [
            {
              runs: [
                { workflow_id: session, run_input_variables: { month: "2026-10" } },
                { workflow_id: session, run_input_variables: { month: "2026-11" } }
              ]
            }
          ]
        })
      ),
      success: Schema.Struct({
        submitted: Schema.Int,
        results: Schema.Array(
          Schema.Struct({
            status: Schema.Int.annotate({ description: "The status with which POST /run would have answered" }),
            session_id: Schema.NullOr(Schema.String),
            error: Schema.NullOr(Schema.JsonObject).annotate({
              description: "The body with which POST /run would have answered; null for a submitted run"
            })
          }).annotate({ identifier: "BatchResult" })
        ).annotate({ description: "In the order of the request" })
      }).annotate({ identifier: "BatchAnswer" }),
      error: refusals
    })
      .annotate(OpenApi.Summary, "Start up to 1000 runs; one that is refused does not keep the others from starting")
      .annotate(Needs, "run")
      .annotate(MaxBody, mebibytes(25))
  ) {}
