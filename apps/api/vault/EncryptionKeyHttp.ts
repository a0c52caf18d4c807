/** Answers the endpoints by which an Owner exchanges the encryption key of the workspace. */
import { Effect, Redacted } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { KeyRotation, type RotationState } from "../../../core/vault/keys/KeyRotation.ts"
import { Api } from "../Api.ts"
import { CurrentCaller } from "../http/Authorization.ts"
import { iso } from "../run/RunRecord.ts"
import type { RotationRecord } from "./EncryptionKeyApi.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "encryption key",
  Effect.fn(function* (handlers) {
    const rotation = yield* KeyRotation
    return handlers.handleAll({
      rotation: Effect.fn(function* () {
        const caller = yield* CurrentCaller
        return record(yield* rotation.state(caller))
      }),
      beginRotation: Effect.fn(function* ({ payload }) {
        const caller = yield* CurrentCaller
        const given = payload.encryption_key == null ? null : Redacted.make(payload.encryption_key)
        const key = yield* rotation.begin(caller, given)
        return { ...record(yield* rotation.state(caller)), encryption_key: Redacted.value(key) }
      }),
      finishRotation: Effect.fn(function* () {
        const caller = yield* CurrentCaller
        const after = yield* rotation.finish(caller)
        return record(after)
      })
    })
  })
)

const record = (state: RotationState): typeof RotationRecord.Type => ({
  rotating: state.formerVersion !== null,
  version: state.version,
  created_at: iso(state.createdAt),
  former_version: state.formerVersion,
  checked: state.checked,
  left: state.left,
  resealed: state.resealed,
  unreadable: state.unreadable,
  api_keys_on_former: state.apiKeysOnFormer,
  may_finish: state.mayFinish
})
