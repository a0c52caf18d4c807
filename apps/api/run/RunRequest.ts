/** The body of a submission. */
import { Effect, Schema } from "effect"
import { highestPriority, lowestPriority } from "../../../core/run/Run.ts"
import * as UnknownFields from "../../../core/window/UnknownFields.ts"
import { problemsOf } from "../../../core/workflow/language/graph/Paths.ts"
import type { Problem } from "../../../core/workflow/Workflow.ts"
import * as Json from "../../../core/workspace/Json.ts"
import * as BodyFields from "../../../core/workspace/request/BodyFields.ts"
import { json, jsonObject } from "../../../core/workspace/request/ParsedJson.ts"
import { most as mostTags, Tags } from "../../../core/workspace/request/Tags.ts"
import { optional } from "../http/body/Fields.ts"
import { RunWebhookRequest } from "../webhook/RunWebhookRequest.ts"

export const RunRequest = Schema.Struct({
  workflow_id: Schema.String,
  run_input_variables: optional(jsonObject),
  dry_run: optional(
    Schema.Struct({
      enabled: optional(Schema.Boolean).annotate({ description: "Only false makes a run with dry_run a real one" }),
      add_to_output: optional(json).annotate({
        description:
          "Added to the output: the fields of an object, or any other value in its place. Its stored size is at most 4 KB"
      })
    })
  ),
  tags: optional(Tags).annotate({ description: `Tags by which GET /runs finds the run, at most ${mostTags}` }),
  client_id: optional(Schema.String.check(Schema.isUUID())),
  debug: optional(Schema.Boolean),
  priority: optional(
    Schema.Int.check(Schema.isBetween({ minimum: lowestPriority, maximum: highestPriority }))
  ).annotate({
    description: `Waiting runs of a workflow start by descending priority, then in the order of submission. ${lowestPriority} to ${highestPriority}, default 0`
  }),
  start_by: optional(Schema.String).annotate({
    description:
      "An instant in the future, with its offset: a run that has not started by then ends as execution.failed with the code EXPIRED-E0002, even if it is held. It does not apply to retries"
  }),
  webhook: optional(RunWebhookRequest),
  additional_context: optional(jsonObject).annotate({
    description:
      "Context that is sent to the model with every request of the run: the first 20,000 characters of its JSON"
  }),
  notifications: optional(jsonObject)
}).annotate({ identifier: "RunRequest" })

const fieldsOf = BodyFields.reader(RunRequest)

/** The fields that a submission does not have, each with the one that was probably meant. Clients send more of a webhook. */
const unknownFields = (body: unknown): ReadonlyArray<Problem> =>
  UnknownFields.of(RunRequest, Json.isObject(body) ? { ...body, webhook: undefined } : body).map(
    ({ message, path }) => ({ path, message: `Unknown field: ${message}` })
  )

/**
 * Reads a body: its fields that have their form, and what is wrong with the others. An unknown field is wrong, as it would be
 * ignored.
 */
export const read = Effect.fnUntraced(function* (body: unknown) {
  const { error, fields } = fieldsOf(body)
  if (error === null) return { fields, problems: unknownFields(body) }
  // Describing tens of thousands of problems takes long.
  yield* Effect.yieldNow
  return { fields, problems: [...problemsOf(error), ...unknownFields(body)] }
})
