/** Answers the endpoint of what models decided in runs. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Decisions } from "../../../core/run/evidence/Decisions.ts"
import { Api } from "../Api.ts"
import { CurrentCaller } from "../http/Authorization.ts"
import { runId } from "../run/RunsHttp.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "decisions",
  Effect.fn(function* (handlers) {
    const store = yield* Decisions
    return handlers.handleAll({
      list: Effect.fn(function* ({ params }) {
        const id = yield* runId(params.session_id)
        const { decisions, full } = yield* store.of(yield* CurrentCaller, id)
        return { session_id: id, decisions, truncated: full }
      })
    })
  })
)
