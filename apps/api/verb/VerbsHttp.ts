/** Answers the endpoints that do one thing to several runs. */
import { Effect, Schema } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { RunVerbs } from "../../../core/run/verb/RunVerbs.ts"
import * as StoreUnavailable from "../../../core/runtime/StoreUnavailable.ts"
import { problemsOf } from "../../../core/workflow/language/graph/Paths.ts"
import * as BodyFields from "../../../core/workspace/request/BodyFields.ts"
import { Api } from "../Api.ts"
import { CurrentCaller } from "../http/Authorization.ts"
import * as Errors from "../http/Errors.ts"
import * as Submitting from "../run/Submitting.ts"
import { type Selected, selecting } from "./Selecting.ts"
import { InterruptRuns, ReleaseRuns, RetryRuns, TagRuns } from "./VerbsApi.ts"

const noReason = { path: "reason", message: "Expected why the runs are repeated all the same, as force is true" }
const noTags = { path: "add", message: "Expected tags to add or to remove" }

/** Reads a body of a form, with what is wrong with it. */
const reading = <F extends Schema.Struct.Fields>(form: Schema.Struct<F>) => {
  const fieldsOf = BodyFields.reader(form)
  return (body: unknown) => {
    const { error, fields } = fieldsOf(body)
    return { fields, problems: error === null ? [] : problemsOf(error) }
  }
}

const read = {
  release: reading(ReleaseRuns),
  interrupt: reading(InterruptRuns),
  retry: reading(RetryRuns),
  tag: reading(TagRuns)
}

export const layer = HttpApiBuilder.group(
  Api,
  "runVerbs",
  Effect.fn(function* (handlers) {
    const verbs = yield* RunVerbs
    const submit = yield* Submitting.make
    const select = selecting(verbs)
    return handlers.handleAll({
      release: Effect.fn(function* ({ payload }) {
        const { fields, problems } = read.release(payload)
        const pastPause = fields.past_pause === true
        const caller = yield* CurrentCaller
        const selected = yield* select(caller, fields, problems)
        return answer(selected, yield* verbs.release(caller, { ...selected.asked, pastPause }), resultOf)
      }),
      interruptAll: Effect.fn(function* ({ payload }) {
        const { fields, problems } = read.interrupt(payload)
        const reason = fields.reason ?? null
        const caller = yield* CurrentCaller
        const selected = yield* select(caller, fields, problems)
        return answer(selected, yield* verbs.interrupt(caller, { ...selected.asked, reason }), resultOf)
      }),
      retry: Effect.fn(function* ({ payload }) {
        const { fields, problems } = read.retry(payload)
        const isForced = fields.force === true
        const reason = fields.reason?.trim() ?? ""
        const caller = yield* CurrentCaller
        const selected = yield* select(caller, fields, [
          ...problems,
          ...(isForced && reason === "" && !problems.some(({ path }) => path === "reason") ? [noReason] : [])
        ])
        const outcomes = yield* verbs.retry(caller, {
          ...selected.asked,
          version: fields.version ?? "same",
          input: fields.run_input_variables ?? {},
          reason: isForced ? reason : null
        })
        return answer(selected, outcomes, (one) => ({
          ...resultOf(one),
          workflow_id: one.workflowId,
          retry_session_id: one.retriedAs,
          ...(one.problems.length === 0 ? {} : { errors: one.problems })
        }))
      }),
      tag: Effect.fn(function* ({ payload }) {
        const { fields, problems } = read.tag(payload)
        const edit = { add: fields.add ?? [], remove: fields.remove ?? [] }
        const caller = yield* CurrentCaller
        const selected = yield* select(caller, fields, [
          ...problems,
          ...(!problems.some(({ path }) => /^(add|remove)\b/.test(path)) && edit.add.length + edit.remove.length === 0
            ? [noTags]
            : [])
        ])
        return answer(selected, yield* verbs.tag(caller, { ...selected.asked, ...edit }), resultOf)
      }),
      batch: Effect.fn(function* ({ payload }) {
        const caller = yield* CurrentCaller
        const { headers } = yield* HttpServerRequest.HttpServerRequest
        // Under an idempotency key all of them are in one transaction: its statements follow each other, and all count or none.
        const isOneStep = headers["idempotency-key"] !== undefined
        const one = (body: unknown) =>
          submit(caller, body, "batch").pipe(
            Effect.map(({ id }): Submitted => ({ status: 201, session_id: id, error: null })),
            Effect.catch((error) => {
              if (error._tag === "RoleForbids" || (isOneStep && StoreUnavailable.is(error))) return Effect.fail(error)
              return Effect.map(
                refusal(error),
                (refused): Submitted => ({
                  status: refused.statusCode,
                  session_id: null,
                  error: refused
                })
              )
            })
          )
        const results = yield* Effect.forEach(payload.runs, one, { concurrency: isOneStep ? 1 : together })
        return { submitted: results.filter(({ status }) => status === 201).length, results }
      })
    })
  })
)

/** What one of the submissions of a batch came to. */
interface Submitted {
  readonly status: number
  readonly session_id: string | null
  readonly error: Schema.JsonObject | null
}

/** How many submissions of a batch are under way at once. */
const together = 16

const resultOf = <Kind extends string>(one: {
  readonly sessionId: string
  readonly outcome: Kind
  readonly status: string | null
  readonly message: string | null
}) => ({ session_id: one.sessionId, outcome: one.outcome, status: one.status, message: one.message })

const answer = <O extends { readonly outcome: string }, R>(
  { asked, nextCursor }: Selected,
  outcomes: ReadonlyArray<O>,
  result: (one: O) => R
) => {
  const counts: Record<string, number> = {}
  for (const { outcome } of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1
  return { dry_run: asked.dryRun, next_cursor: nextCursor, counts, results: outcomes.map(result) }
}

/** The body with which a single submission would have been refused. */
const refusal = (error: unknown) =>
  Schema.encodeUnknownEffect(
    Schema.Union([Errors.BadRequest, Errors.NotFound, Errors.Conflict, Errors.ServiceUnavailable])
  )(error).pipe(
    // Bodies are JSON with a status, which their types do not say.
    Effect.map((body) => body as unknown as Schema.JsonObject & { readonly statusCode: number }),
    Effect.orDie
  )
