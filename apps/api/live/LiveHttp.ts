/** The handler of the endpoint by which a caller lets a person watch a run. */
import { Effect, Redacted } from "effect"
import { HttpEffect, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { LiveViews } from "../../../core/execution/live/LiveViews.ts"
import { Api } from "../Api.ts"
import { CurrentCaller } from "../http/Authorization.ts"
import { origin } from "../http/Origin.ts"
import { runId } from "../run/RunsHttp.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "live",
  Effect.fn(function* (handlers) {
    const views = yield* LiveViews
    return handlers.handleAll({
      connection: Effect.fn(function* ({ params, query }) {
        const control = query.control === "true" || query.control === "1"
        const caller = yield* CurrentCaller
        const id = yield* runId(params.session_id)
        const issued = yield* views.connect(caller, id, control)
        yield* HttpEffect.appendPreResponseHandler((_request, response) =>
          Effect.succeed(HttpServerResponse.setHeader(response, "cache-control", "no-store"))
        )
        const token = Redacted.value(issued)
        return { url: `${yield* origin}/live/${id}#token=${token}`, sessionId: id, authToken: token }
      })
    })
  })
)
