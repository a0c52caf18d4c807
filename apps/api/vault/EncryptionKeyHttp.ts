/** Answers the endpoints by which an Owner exchanges the encryption key of the workspace. */
import { Effect, Redacted } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { KeyRotation } from "../../../core/vault/keys/KeyRotation.ts"
import { Api } from "../Api.ts"
import { CurrentCaller } from "../http/Authorization.ts"
import { recordOf } from "./RotationRecord.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "encryption key",
  Effect.fn(function* (handlers) {
    const rotation = yield* KeyRotation
    return handlers.handleAll({
      rotation: Effect.fn(function* () {
        const caller = yield* CurrentCaller
        return recordOf(yield* rotation.state(caller))
      }),
      beginRotation: Effect.fn(function* ({ payload }) {
        const caller = yield* CurrentCaller
        const given = payload.encryption_key == null ? null : Redacted.make(payload.encryption_key)
        const key = yield* rotation.begin(caller, given)
        return { ...recordOf(yield* rotation.state(caller)), encryption_key: Redacted.value(key) }
      }),
      finishRotation: Effect.fn(function* () {
        const caller = yield* CurrentCaller
        const after = yield* rotation.finish(caller)
        return recordOf(after)
      })
    })
  })
)
