/** Answers the endpoints that do one thing to several runs. */
import { Effect, Schema } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { RunVerbs } from "../../../core/run/verb/RunVerbs.ts"
import * as StoreUnavailable from "../../../core/runtime/StoreUnavailable.ts"
import { RoleForbids } from "../../../core/workspace/Workspace.ts"
import { Api } from "../Api.ts"
import { CurrentCaller } from "../http/Authorization.ts"
import * as Errors from "../http/Errors.ts"
import * as Submitting from "../run/Submitting.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "runVerbs",
  Effect.fn(function* (handlers) {
    const verbs = yield* RunVerbs
    const submit = yield* Submitting.make
    return handlers.handleAll({
      release: Effect.fn(function* ({ payload }) {
        const pastPause = payload.past_pause === true
        const outcomes = yield* verbs.release(yield* CurrentCaller, { ...asked(payload), pastPause })
        return answer(payload, outcomes, (one) => resultOf(one))
      }),
      interruptAll: Effect.fn(function* ({ payload }) {
        const reason = payload.reason ?? null
        const outcomes = yield* verbs.interrupt(yield* CurrentCaller, { ...asked(payload), reason })
        return answer(payload, outcomes, (one) => resultOf(one))
      }),
      retry: Effect.fn(function* ({ payload }) {
        const isForced = payload.force === true
        const reason = payload.reason?.trim() ?? ""
        if (isForced && reason === "") {
          return yield* Effect.fail(
            Errors.invalidQuery([
              { path: "reason", message: "Expected why the runs are repeated all the same, as force is true" }
            ])
          )
        }
        const outcomes = yield* verbs.retry(yield* CurrentCaller, {
          ...asked(payload),
          version: payload.version ?? "same",
          input: payload.run_input_variables ?? {},
          reason: isForced ? reason : null
        })
        return answer(payload, outcomes, (one) => ({ ...resultOf(one), retry_session_id: one.retriedAs }))
      }),
      batch: Effect.fn(function* ({ payload }) {
        const caller = yield* CurrentCaller
        const { headers } = yield* HttpServerRequest.HttpServerRequest
        // Under an idempotency key all of them are in one transaction: its statements follow each other, and all count or none.
        const isOneStep = headers["idempotency-key"] !== undefined
        const one = (body: unknown) =>
          submit(caller, body).pipe(
            Effect.map(({ id }) => ({ status: 201, session_id: id as string | null, error: null })),
            Effect.catch((error) => {
              if (error instanceof RoleForbids || (isOneStep && StoreUnavailable.is(error))) return Effect.fail(error)
              return Effect.map(refusal(error), (refused) => ({
                status: refused.statusCode,
                session_id: null,
                error: refused
              }))
            })
          )
        const results = yield* Effect.forEach(payload.runs, one, { concurrency: isOneStep ? 1 : together })
        return { submitted: results.filter(({ status }) => status === 201).length, results }
      })
    })
  })
)

/** How many submissions of a batch are under way at once. */
const together = 16

interface Selection {
  readonly session_ids: ReadonlyArray<string>
  readonly dry_run?: boolean | null
}

const asked = ({ dry_run, session_ids }: Selection) => ({ sessionIds: session_ids, dryRun: dry_run === true })

const resultOf = <Kind extends string>(one: {
  readonly sessionId: string
  readonly outcome: Kind
  readonly status: string | null
  readonly message: string | null
}) => ({ session_id: one.sessionId, outcome: one.outcome, status: one.status, message: one.message })

const answer = <O extends { readonly outcome: string }, R>(
  { dry_run }: Selection,
  outcomes: ReadonlyArray<O>,
  result: (one: O) => R
) => {
  const counts: Record<string, number> = {}
  for (const { outcome } of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1
  return { dry_run: dry_run === true, counts, results: outcomes.map(result) }
}

/** The body with which a single submission would have been refused. */
const refusal = (error: unknown) =>
  Schema.encodeUnknownEffect(Schema.Union([Errors.BadRequest, Errors.NotFound, Errors.ServiceUnavailable]))(error).pipe(
    // Bodies are JSON with a status, which their types do not say.
    Effect.map((body) => body as unknown as Schema.JsonObject & { readonly statusCode: number }),
    Effect.orDie
  )
