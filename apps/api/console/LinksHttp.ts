/** Makes sign-in links. A session cannot make any, because they would extend it beyond twelve hours. */
import { Clock, Effect, Redacted } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { LinkNeedsKey, lifetimes, SignIns } from "../../../core/workspace/signin/SignIns.ts"
import { Api } from "../Api.ts"
import { CurrentCaller, keyOf } from "../http/Authorization.ts"
import { iso } from "../run/RunRecord.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "console",
  Effect.fn(function* (handlers) {
    const signIns = yield* SignIns
    return handlers.handle(
      "makeLink",
      Effect.fn(function* () {
        const caller = yield* CurrentCaller
        const { keyId } = caller
        const { headers } = yield* HttpServerRequest.HttpServerRequest
        if (keyId === undefined || keyOf(headers) === "") {
          return yield* new LinkNeedsKey()
        }
        const now = yield* Clock.currentTimeMillis
        const secret = yield* signIns.link(caller, keyId)
        return { link: Redacted.value(secret), expires_at: iso(now + lifetimes.link) }
      })
    )
  })
)
