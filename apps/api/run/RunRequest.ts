/** The body of a submission. */
import { Clock, Effect, Schema } from "effect"
import { highestPriority, lowestPriority, mostOfReference, Reference } from "../../../core/run/Run.ts"
import type { Request } from "../../../core/run/submit/Submitting.ts"
import * as UnknownFields from "../../../core/window/UnknownFields.ts"
import { problemsOf } from "../../../core/workflow/language/graph/Paths.ts"
import type { Problem } from "../../../core/workflow/Workflow.ts"
import * as Json from "../../../core/workspace/Json.ts"
import * as BodyFields from "../../../core/workspace/request/BodyFields.ts"
import { json, jsonObject } from "../../../core/workspace/request/ParsedJson.ts"
import { most as mostTags, Tags } from "../../../core/workspace/request/Tags.ts"
import { optional, present } from "../http/body/Fields.ts"
import { parseInstant } from "../http/body/Query.ts"
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
  reference: optional(Reference).annotate({
    description: `Your own id of the run, such as the number of an order, at most ${mostOfReference} characters. A retry has that of its run`
  }),
  reference_unique: optional(Schema.Boolean).annotate({
    description:
      "With true, the answer is 409 with the code REFERENCE_TAKEN and the session_id of the other run if a run of the workspace was submitted with the same reference and true, and still exists"
  }),
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
 * Reads a body: the submission by its fields that have their form, and what is wrong with the others. An unknown field is
 * wrong, as it would be ignored. The webhook has a secret, and is still to be sealed.
 */
export const read = Effect.fnUntraced(function* (body: unknown) {
  const { error, fields } = fieldsOf(body)
  // Describing tens of thousands of problems takes long.
  if (error !== null) yield* Effect.yieldNow
  const startBy = instantOf(fields.start_by ?? null, yield* Clock.currentTimeMillis)
  const problems = [
    ...(error === null ? [] : problemsOf(error)),
    ...unknownFields(body),
    ...(typeof startBy === "string" ? [{ path: "start_by", message: startBy }] : []),
    ...(fields.reference_unique === true && Json.objectOf(body).reference == null ? [noReference] : [])
  ]
  const submission: Request = {
    workflowId: fields.workflow_id ?? null,
    input: fields.run_input_variables ?? {},
    ...present({ tags: fields.tags, priority: fields.priority, startBy: typeof startBy === "string" ? null : startBy }),
    options: present({
      dryRun: dryRunOf(fields.dry_run),
      clientId: fields.client_id?.toLowerCase(),
      debug: fields.debug,
      reference: fields.reference,
      isReferenceUnique: fields.reference_unique,
      additionalContext: fields.additional_context,
      notifications: fields.notifications
    }),
    problems
  }
  return { submission, webhook: fields.webhook }
})

const noReference = { path: "reference", message: "Expected a reference, as reference_unique is true" }

/** The instant by which a run must start, or what is wrong with it. */
const instantOf = (text: string | null, now: number): number | string | null => {
  if (text === null) return null
  const at = parseInstant(text)
  return at !== null && at > now
    ? at
    : `Expected an instant in the future such as 2027-01-31T08:00:00Z, got "${text.slice(0, 80)}"`
}

const dryRunOf = (sent: (typeof RunRequest.Type)["dry_run"]) =>
  sent == null
    ? undefined
    : { enabled: sent.enabled !== false, ...(sent.add_to_output == null ? {} : { addToOutput: sent.add_to_output }) }
