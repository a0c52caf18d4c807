/**
 * Logs one line for every request, and answers it with its id.
 *
 * A line contains the template of the route, never the address, which may contain a signature or a ticket. Queries,
 * headers and bodies are not logged.
 */
import { randomUUID } from "node:crypto"
import { Cause, Context, Effect, Exit, identity } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as Measures from "../../../core/runtime/Measures.ts"
import * as Trace from "../../../core/runtime/Trace.ts"
import type { Caller } from "../../../core/workspace/Workspace.ts"

/** The facts about a request that are known after it is routed and its key is looked up. */
export interface Facts {
  /** The template of the route, such as `/run/:session_id`; `none` when no route has the address. */
  route: string
  caller: Caller | null
  /** The run that the address names, where it names one. */
  sessionId: string | null
}

/** The facts of the current request, which later steps fill in; `null` outside of a server. */
export const RequestFacts: Context.Reference<Facts | null> = Context.Reference("sluice/apps/api/log/RequestFacts", {
  defaultValue: (): Facts | null => null
})

/** A request id of the caller is accepted if it is short and needs no escapes in logs and headers. */
const takenId = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/

/** Requests of probes are logged at level Debug, because there are many. */
const probes = new Set(["/healthz", "/readyz"])

/** The status of a request whose client left before it was answered. */
const clientLeft = 499

const statusOf = (exit: Exit.Exit<HttpServerResponse.HttpServerResponse, unknown>): number => {
  if (Exit.isSuccess(exit)) return exit.value.status
  return Cause.hasInterrupts(exit.cause) ? clientLeft : 500
}

/** Answers a request with its id, and logs it when its answer is decided. An answer in pieces may still be on its way. */
export const logged = <E, R>(answer: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers, method, url }) => {
    const began = performance.now()
    const sent = headers["x-request-id"]
    const id = sent !== undefined && takenId.test(sent) ? sent : randomUUID()
    const facts: Facts = { route: "none", caller: null, sessionId: null }
    const withId = HttpServerResponse.setHeader("x-request-id", id)
    return answer.pipe(
      HttpEffect.withPreResponseHandler((_, response) => Effect.succeed(withId(response))),
      Effect.map(withId),
      Effect.provideService(RequestFacts, facts),
      Effect.onExit((exit) =>
        Effect.flatMap(Trace.Current, (position) => {
          const status = statusOf(exit)
          const millis = performance.now() - began
          const line = Effect.annotateLogs(
            probes.has(facts.route) ? Effect.logDebug("Request") : Effect.logInfo("Request"),
            {
              method,
              route: facts.route,
              status,
              ms: Math.round(millis * 10) / 10,
              ...(facts.caller === null ? {} : { workspace_id: facts.caller.workspaceId }),
              ...(facts.caller?.keyId === undefined ? {} : { key_id: facts.caller.keyId }),
              ...(facts.sessionId === null ? {} : { session_id: facts.sessionId }),
              ...(position === null ? {} : { trace_id: position.traceId })
            }
          )
          const traced = Trace.annotate(
            {
              "http.request.method": method,
              "http.route": facts.route,
              "http.response.status_code": status,
              "sluice.session_id": facts.sessionId,
              "sluice.request_id": id
            },
            `${method} ${facts.route}`
          )
          const counted = Measures.requestAnswered(facts.route, method, status, millis / 1_000)
          return Effect.andThen(line, Effect.andThen(traced, counted))
        })
      ),
      Effect.annotateLogs({ request_id: id }),
      Effect.provideService(Trace.RequestId, id),
      probes.has(url) ? identity : Trace.inSpan(method, { kind: "server", decides: true }),
      Trace.continued(headers.traceparent)
    )
  })
