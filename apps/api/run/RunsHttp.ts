/** Answers the endpoints of runs. */
import { Clock, Effect, Result, Schema } from "effect"
import { HttpEffect, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Webhooks } from "../../../core/event/webhook/Webhooks.ts"
import { ArtifactLinks } from "../../../core/run/artifact/ArtifactLinks.ts"
import { ArtifactStore } from "../../../core/run/artifact/ArtifactStore.ts"
import { Runs } from "../../../core/run/Runs.ts"
import { StartLedger } from "../../../core/run/start/StartLedger.ts"
import { Signals } from "../../../core/runtime/Signals.ts"
import { RunId, RunNotFound } from "../../../core/workspace/Ids.ts"
import { Api } from "../Api.ts"
import { AfterResponse } from "../http/AfterResponse.ts"
import { CurrentCaller } from "../http/Authorization.ts"
import * as Errors from "../http/Errors.ts"
import { origin } from "../http/Origin.ts"
import { RequestFacts } from "../log/RequestLog.ts"
import { sealed } from "../webhook/RunWebhookRequest.ts"
import { workflowId } from "../workflow/WorkflowsHttp.ts"
import * as JsonAnswer from "./JsonAnswer.ts"
import * as RunFilter from "./RunFilter.ts"
import { listItem, record } from "./RunRecord.ts"
import * as RunRequest from "./RunRequest.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "runs",
  Effect.fn(function* (handlers) {
    const runs = yield* Runs
    const webhooks = yield* Webhooks
    const links = yield* ArtifactLinks
    const artifacts = yield* ArtifactStore
    const signals = yield* Signals
    const ledger = yield* StartLedger
    return handlers.handleAll({
      // No span is recorded for this call: it is the most frequent one.
      start: Effect.fnUntraced(function* ({ payload }) {
        const caller = yield* CurrentCaller
        const { fields, problems: ofForm } = yield* RunRequest.read(payload)
        const { additional_context, client_id, debug, dry_run, notifications, run_input_variables } = fields
        const webhook = yield* sealed(webhooks, fields.webhook).pipe(
          Effect.map(Result.succeed),
          Effect.catchTag("UrlRefused", ({ reason }) => Effect.succeed(Result.fail(reason)))
        )
        const problems = [
          ...ofForm,
          ...(Result.isFailure(webhook) ? [{ path: "webhook.url", message: webhook.failure }] : [])
        ]
        if (fields.workflow_id === undefined) return yield* Effect.fail(Errors.invalidQuery(problems))
        const run = yield* workflowId(fields.workflow_id).pipe(
          Effect.flatMap((id) =>
            runs.submit(caller, {
              workflowId: id,
              input: run_input_variables ?? {},
              options: withoutNulls({
                dryRun: dryRunOf(dry_run),
                clientId: client_id?.toLowerCase(),
                debug,
                webhook: Result.getOrUndefined(webhook),
                additionalContext: additional_context,
                notifications
              }),
              problems
            })
          ),
          Effect.mapError((error) =>
            error._tag === "WorkflowNotFound" && problems.length > 0
              ? Errors.invalidQuery([...problems, { path: "workflow_id", message: error.message }])
              : error
          )
        )
        const facts = yield* RequestFacts
        if (facts !== null) facts.sessionId = run.id
        const clientId = run.options.clientId
        if (clientId !== undefined) {
          const afterResponse = yield* AfterResponse
          yield* afterResponse(
            Effect.andThen(Effect.sleep(arrival), signals.publish({ _tag: "announced", runId: run.id, clientId }))
          )
        }
        return { session_id: run.id }
      }),
      record: Effect.fn(function* ({ params }) {
        const view = yield* runs.get(yield* CurrentCaller, yield* runId(params.session_id))
        const origins = yield* links.under(yield* origin, view.run.workspaceId)
        // Plain data: an interface is not assignable to the type of JSON.
        const start = (yield* ledger.ofRun(view.run.workspaceId, view.run.id)).at(-1)
        return JsonAnswer.make(record(view, origins, yield* artifacts.summary(view.run.id), start) as Schema.Json)
      }),
      interrupt: Effect.fn(function* ({ params }) {
        const caller = yield* CurrentCaller
        yield* runs.interrupt(caller, yield* runId(params.session_id))
        return { success: true, message: "Run interrupt triggered" }
      }),
      failedItem: Effect.fn(function* ({ headers, payload }) {
        const caller = yield* CurrentCaller
        const why = {
          code: payload.error_code ?? "INTERRUPTED-E0001",
          message: payload.reasoning ?? "Interrupted by a user",
          address: payload.full_url ?? null
        }
        yield* runs.interrupt(caller, yield* runId(headers["x-session-id"]), why)
        return { success: true, message: "Run interrupt triggered" }
      }),
      listRuns: Effect.fn(function* ({ query }) {
        const filter = RunFilter.read(query, yield* Clock.currentTimeMillis)
        if ("problems" in filter) return yield* Effect.fail(Errors.invalidQuery(filter.problems))
        const caller = yield* CurrentCaller
        const now = yield* Clock.currentTimeMillis
        const { next, runs: listed } = yield* runs.list(caller, filter)
        const { count, isExact } = yield* runs.count(caller, filter)
        const headers = {
          "x-total-count": isExact ? String(count) : `${count}+`,
          ...(next === null ? {} : { "x-next-cursor": RunFilter.cursorOf(next) })
        }
        yield* HttpEffect.appendPreResponseHandler((_request, response) =>
          Effect.succeed(HttpServerResponse.setHeaders(response, headers))
        )
        return listed.map((run) => listItem(run, now))
      })
    })
  })
)

/** The answer travels on another connection than the events, and must be there first. */
const arrival = "25 millis"

/** A run id from a path. A text that is not a UUID matches no run. */
export const runId = (text: string) =>
  Schema.decodeUnknownEffect(RunId)(text).pipe(Effect.mapError(() => new RunNotFound({ sessionId: text })))

const dryRunOf = (
  sent: { readonly enabled?: boolean | null; readonly add_to_output?: Schema.Json | null } | null | undefined
) =>
  sent === null || sent === undefined
    ? undefined
    : { enabled: sent.enabled !== false, ...(sent.add_to_output == null ? {} : { addToOutput: sent.add_to_output }) }

/** `null` is the same as leaving a field out. */
const withoutNulls = <A extends object>(fields: A) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined)) as {
    [K in keyof A]?: Exclude<A[K], null | undefined>
  }
