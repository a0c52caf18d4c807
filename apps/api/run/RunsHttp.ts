/** Answers the endpoints of runs. */
import { Clock, Effect, Schema } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Signals } from "../../../core/event/Signals.ts"
import { RunId, RunNotFound, Status } from "../../../core/run/Run.ts"
import type { Filter } from "../../../core/run/RunStore.ts"
import { Runs } from "../../../core/run/Runs.ts"
import { Webhooks } from "../../../core/webhook/Webhooks.ts"
import * as FieldLimit from "../../../core/workflow/FieldLimit.ts"
import { WorkflowId } from "../../../core/workflow/Workflow.ts"
import { Api } from "../Api.ts"
import { parseInstant } from "../gate/GatesHttp.ts"
import { AfterResponse } from "../request/AfterResponse.ts"
import { CurrentCaller, callerWho } from "../request/Authorization.ts"
import * as Errors from "../request/Errors.ts"
import { sealed } from "../webhook/RunWebhookRequest.ts"
import { workflowId } from "../workflow/WorkflowsHttp.ts"
import { ArtifactLinks } from "./ArtifactLinks.ts"
import { listItem, record } from "./RunRecord.ts"
import type { RunFilter } from "./RunsApi.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "runs",
  Effect.fn(function* (handlers) {
    const runs = yield* Runs
    const webhooks = yield* Webhooks
    const links = yield* ArtifactLinks
    const signals = yield* Signals
    return handlers.handleAll({
      start: Effect.fn(function* ({ payload }) {
        const caller = yield* callerWho("edit")
        const { run_input_variables, workflow_id, ...options } = payload
        const added = payload.dry_run?.add_to_output ?? null
        const size = added === null ? 0 : Buffer.byteLength(JSON.stringify(added))
        yield* Effect.fromResult(FieldLimit.refuse(FieldLimit.overBytes({ "dry_run.add_to_output": size }))).pipe(
          Effect.mapError(Errors.fieldsTooLarge)
        )
        const run = yield* runs
          .submit(caller, {
            workflowId: yield* workflowId(workflow_id),
            input: run_input_variables ?? {},
            options: withoutNulls({
              ...options,
              dry_run: dryRunOf(payload.dry_run),
              webhook: yield* sealed(webhooks, payload.webhook),
              client_id: payload.client_id?.toLowerCase()
            })
          })
          .pipe(
            Effect.catchTags({
              WorkflowNotFound: (error) => Effect.fail(Errors.notFound(error)),
              InvalidInput: (error) => Effect.fail(Errors.invalidInput(error))
            })
          )
        const clientId = run.options.client_id
        if (clientId !== undefined) {
          const afterResponse = yield* AfterResponse
          yield* afterResponse(
            Effect.andThen(Effect.sleep(arrival), signals.publish({ _tag: "announced", runId: run.id, clientId }))
          )
        }
        return { session_id: run.id }
      }),
      record: Effect.fn(function* ({ params }) {
        const view = yield* runs
          .get(yield* CurrentCaller, yield* runId(params.session_id))
          .pipe(Effect.mapError(Errors.notFound))
        const request = yield* HttpServerRequest.HttpServerRequest
        return record(view, yield* links.under(`http://${request.headers.host ?? "localhost"}`))
      }),
      interrupt: Effect.fn(function* ({ params }) {
        const caller = yield* callerWho("edit")
        yield* runs.interrupt(caller, yield* runId(params.session_id)).pipe(
          Effect.catchTags({
            RunNotFound: (error) => Effect.fail(Errors.notFound(error)),
            RunEnded: (error) => Effect.fail(Errors.ended(error))
          })
        )
        return { success: true, message: "Run interrupt triggered" }
      }),
      listRuns: Effect.fn(function* ({ query }) {
        const filter = readFilter(query, yield* Clock.currentTimeMillis)
        if ("problems" in filter) {
          return yield* Effect.fail({
            ...Errors.badRequest(filter.problems.map(({ message, path }) => `${path}: ${message}`).join("; ")),
            code: "VALIDATION_FAILED",
            errors: filter.problems
          })
        }
        return (yield* runs.list(yield* CurrentCaller, filter)).map(listItem)
      })
    })
  })
)

/** The answer travels on another connection than the events, and must be there first. */
const arrival = "25 millis"

export const runId = (text: string) =>
  Schema.decodeUnknownEffect(RunId)(text).pipe(
    Effect.mapError(() => Errors.notFound(new RunNotFound({ sessionId: text })))
  )

const dryRunOf = (
  sent: { readonly enabled?: boolean | null; readonly add_to_output?: Schema.Json | null } | null | undefined
) =>
  sent === null || sent === undefined
    ? undefined
    : { enabled: sent.enabled === true, ...(sent.add_to_output == null ? {} : { add_to_output: sent.add_to_output }) }

/** `null` is the same as leaving a field out. */
const withoutNulls = <A extends object>(fields: A) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined)) as {
    [K in keyof A]?: Exclude<A[K], null | undefined>
  }

const dayMillis = 86_400_000

type Query = { readonly [K in keyof typeof RunFilter]?: string | ReadonlyArray<string> }

/** Reads the filters of a list; everything that is wrong is reported at its parameter. */
const readFilter = (
  query: Query,
  now: number
): Filter | { readonly problems: ReadonlyArray<{ readonly path: string; readonly message: string }> } => {
  const problems: Array<{ readonly path: string; readonly message: string }> = []
  const many = (...names: ReadonlyArray<keyof Query>) => names.flatMap((name) => query[name] ?? [])
  const instant = (name: keyof Query): number | undefined => {
    const [text] = many(name)
    if (text === undefined) return undefined
    const at = parseInstant(text)
    if (at === null)
      problems.push({ path: name, message: `Expected an instant such as 2026-01-31T08:00:00Z, got "${text}"` })
    return at ?? undefined
  }
  const ids = many("workflow_id", "workflow_ids", "workflow_ids[]")
  const statuses = many("status", "statuses", "statuses[]")
  for (const id of ids) {
    if (!Schema.is(WorkflowId)(id)) problems.push({ path: "workflow_id", message: `Expected a UUID, got "${id}"` })
  }
  for (const status of statuses) {
    if (!Schema.is(Status)(status)) {
      problems.push({ path: "status", message: `Expected one of ${Status.literals.join(", ")}, got "${status}"` })
    }
  }
  const [written = "1000"] = many("limit")
  const limit = Number(written)
  if (!/^\d+$/.test(written) || limit < 1 || limit > 10_000) {
    problems.push({ path: "limit", message: `Expected a number from 1 to 10000, got "${written}"` })
  }
  const from = instant("start_time") ?? now - dayMillis
  const to = instant("end_time")
  const before = instant("cursor")
  if (from < now - 366 * dayMillis)
    problems.push({ path: "start_time", message: "Expected an instant within the last year" })
  if (to !== undefined && to < from)
    problems.push({ path: "end_time", message: "Expected an instant after start_time" })
  if (problems.length > 0) return { problems }
  return {
    from,
    limit,
    ...(ids.length === 0 ? {} : { workflowIds: ids.filter(Schema.is(WorkflowId)) }),
    ...(statuses.length === 0 ? {} : { statuses: statuses.filter(Schema.is(Status)) }),
    ...(to === undefined ? {} : { to }),
    ...(before === undefined ? {} : { before })
  }
}
