/** Answers the endpoints of runs. */
import { Clock, Effect, Layer, Schema } from "effect"
import { HttpEffect, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { ArtifactLinks } from "../../../core/run/artifact/ArtifactLinks.ts"
import { ArtifactStore } from "../../../core/run/artifact/ArtifactStore.ts"
import { FileDeliveries } from "../../../core/run/delivery/FileDeliveries.ts"
import { Runs } from "../../../core/run/Runs.ts"
import { RunRemoval } from "../../../core/run/retention/RunRemoval.ts"
import { StartLedger } from "../../../core/run/start/StartLedger.ts"
import { RunId, RunNotFound } from "../../../core/workspace/Ids.ts"
import { Api } from "../Api.ts"
import { CurrentCaller } from "../http/Authorization.ts"
import { cursorOf } from "../http/body/Cursor.ts"
import * as Errors from "../http/Errors.ts"
import { origin } from "../http/Origin.ts"
import { RequestFacts } from "../log/RequestLog.ts"
import * as JsonAnswer from "./JsonAnswer.ts"
import * as LeanGroup from "./LeanGroup.ts"
import * as RunFilter from "./RunFilter.ts"
import { listItem, record, summaryJson } from "./RunRecord.ts"
import * as Submitting from "./Submitting.ts"

/** What the handlers are given once, so that no request carries it. */
const services = Effect.gen(function* () {
  const runs = yield* Runs
  const removal = yield* RunRemoval
  const links = yield* ArtifactLinks
  const artifacts = yield* ArtifactStore
  const deliveries = yield* FileDeliveries
  const ledger = yield* StartLedger
  const submit = yield* Submitting.make
  return { runs, removal, links, artifacts, deliveries, ledger, submit }
})

export const layer = Layer.unwrap(
  Effect.map(services, ({ artifacts, deliveries, ledger, links, removal, runs, submit }) =>
    LeanGroup.of(
      HttpApiBuilder.group(Api, "runs", (handlers) =>
        handlers.handleAll({
          // No span is recorded for this call: it is the most frequent one.
          start: Effect.fnUntraced(function* ({ payload }) {
            const run = yield* submit(yield* CurrentCaller, payload)
            const facts = yield* RequestFacts
            if (facts !== null) facts.sessionId = run.id
            return { session_id: run.id }
          }),
          record: Effect.fn(function* ({ params }) {
            const view = yield* runs.get(yield* CurrentCaller, yield* runId(params.session_id))
            const origins = yield* links.under(yield* origin, view.run.workspaceId)
            // Plain data: an interface is not assignable to the type of JSON.
            const start = (yield* ledger.ofRun(view.run.workspaceId, view.run.id)).at(-1)
            const sent = yield* deliveries.ofRun(view.run.workspaceId, view.run.id)
            return JsonAnswer.make(
              record(view, origins, yield* artifacts.summary(view.run.id), start, sent) as Schema.Json
            )
          }),
          interrupt: Effect.fn(function* ({ params }) {
            const caller = yield* CurrentCaller
            yield* runs.interrupt(caller, yield* runId(params.session_id))
            return { success: true, message: "Run interrupt triggered" }
          }),
          removeRun: Effect.fn(function* ({ params }) {
            const caller = yield* CurrentCaller
            yield* removal.remove(caller, yield* runId(params.session_id))
            return { success: true, message: "Run deleted" }
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
          summary: Effect.fn(function* ({ query }) {
            const filter = RunFilter.readFilter(query, yield* Clock.currentTimeMillis)
            if ("problems" in filter) return yield* Effect.fail(Errors.invalid(filter.problems))
            const counted = yield* runs.summary(yield* CurrentCaller, filter)
            return summaryJson(counted, filter, yield* Clock.currentTimeMillis)
          }),
          listRuns: Effect.fn(function* ({ query }) {
            const filter = RunFilter.read(query, yield* Clock.currentTimeMillis)
            if ("problems" in filter) return yield* Effect.fail(Errors.invalid(filter.problems))
            const caller = yield* CurrentCaller
            const now = yield* Clock.currentTimeMillis
            const { next, runs: listed } = yield* runs.list(caller, filter)
            const { count, isExact } = yield* runs.count(caller, filter)
            const headers = {
              "x-total-count": isExact ? String(count) : `${count}+`,
              ...(next === null ? {} : { "x-next-cursor": cursorOf(next) })
            }
            yield* HttpEffect.appendPreResponseHandler((_request, response) =>
              Effect.succeed(HttpServerResponse.setHeaders(response, headers))
            )
            return listed.map((run) => listItem(run, now))
          })
        })
      )
    )
  )
)

/** A run id from a path. A text that is not a UUID matches no run. */
export const runId = (text: string) => Effect.mapError(decodeRunId(text), () => new RunNotFound({ sessionId: text }))

const decodeRunId = Schema.decodeUnknownEffect(RunId)
