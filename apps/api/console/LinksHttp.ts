/** Makes sign-in links, and lists and ends sessions. A session cannot make any, because they would extend it beyond twelve hours. */
import { Clock, Effect, Redacted } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { type OpenSession, OpenSessions } from "../../../core/workspace/signin/OpenSessions.ts"
import {
  LinkNeedsKey,
  lifetimes,
  linkLimits,
  SignIns,
  type TooManyLinks
} from "../../../core/workspace/signin/SignIns.ts"
import { Api } from "../Api.ts"
import { CurrentCaller, keyOf, SessionOpened } from "../http/Authorization.ts"
import * as Errors from "../http/Errors.ts"
import { iso } from "../run/RunRecord.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "console",
  Effect.fn(function* (handlers) {
    const signIns = yield* SignIns
    const sessions = yield* OpenSessions

    const record = Effect.fnUntraced(function* ({ expiresAt, keyId, keyName, openedAt, userId }: OpenSession) {
      const caller = yield* CurrentCaller
      return {
        user_id: userId,
        key_id: keyId,
        key_name: keyName,
        opened_at: iso(openedAt),
        expires_at: iso(expiresAt),
        current: caller.keyId === keyId && (yield* SessionOpened) === openedAt
      }
    })

    return handlers.handleAll({
      makeLink: Effect.fn(function* () {
        const caller = yield* CurrentCaller
        const { keyId } = caller
        const { headers } = yield* HttpServerRequest.HttpServerRequest
        if (keyId === undefined || keyOf(headers) === "") {
          return yield* new LinkNeedsKey()
        }
        const now = yield* Clock.currentTimeMillis
        const secret = yield* Effect.catchTag(signIns.link(caller, keyId), "TooManyLinks", tooMany)
        return { link: Redacted.value(secret), expires_at: iso(now + lifetimes.link) }
      }),
      listOpenSessions: Effect.fn(function* () {
        return { sessions: yield* Effect.forEach(yield* sessions.list(yield* CurrentCaller), record) }
      }),
      endOpenSession: Effect.fn(function* ({ params }) {
        return yield* record(
          yield* sessions.end(yield* CurrentCaller, params.api_key_id.toLowerCase(), Date.parse(params.opened_at))
        )
      })
    })
  })
)

/** 429, with the time after which a link can be made again. */
const tooMany = ({ limit, message, retryAfterMillis }: TooManyLinks) => {
  const retryAfterSeconds = Math.ceil(retryAfterMillis / 1_000)
  return Effect.andThen(
    HttpEffect.appendPreResponseHandler((_request, response) =>
      Effect.succeed(HttpServerResponse.setHeader(response, "retry-after", String(retryAfterSeconds)))
    ),
    Effect.fail({ ...Errors.general(429, message), limit: linkLimits[limit], remaining: 0, retryAfterSeconds })
  )
}
