/** The endpoints by which an Owner exchanges the encryption key of the workspace. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Needs, NeedsFreshSignIn, NoStore, TellsSecret } from "../Annotations.ts"
import { optional } from "../http/body/Fields.ts"
import * as Errors from "../http/Errors.ts"

const state = {
  /** Whether a former key is accepted beside the present one. */
  rotating: Schema.Boolean,
  /** How many keys the workspace has had, the present one included. */
  version: Schema.Int,
  /** When the workspace got its present key. */
  created_at: Schema.String,
  former_version: Schema.NullOr(Schema.Int),
  /** How many records were checked for values under a former key, and how many are left. */
  checked: Schema.Int,
  left: Schema.Int,
  /** How many values were re-encrypted. */
  resealed: Schema.Int,
  /** Values that no key of the workspace opens, and that stay as they are. */
  unreadable: Schema.Int,
  /** How many API keys are answered in values under the former key. */
  api_keys_on_former: Schema.Int,
  /** Whether everything is under the present key, so that the rotation may be finished. */
  may_finish: Schema.Boolean
}

export const RotationRecord = Schema.Struct(state).annotate({ identifier: "EncryptionKeyRotation" })

export const BegunRotation = Schema.Struct({
  ...state,
  /** The new key, 64 hexadecimal digits. It is returned only once. */
  encryption_key: Schema.String
}).annotate({ identifier: "BegunEncryptionKeyRotation" })

const EncryptionKey = Schema.String.check(
  Schema.isPattern(/^[0-9a-fA-F]{64}$/, { message: "Expected 64 hexadecimal digits" })
)

const path = "/encryption-key/rotation"

const group = HttpApiGroup.make("encryption key")
  .annotate(OpenApi.Description, "The key that seals the credentials of the workspace, and its rotation")
  .annotate(NoStore, true)

export class EncryptionKeyGroup extends group.add(
  HttpApiEndpoint.get("rotation", path, { success: RotationRecord, error: Errors.Forbidden })
    .annotate(OpenApi.Summary, "Read the progress of the rotation of the encryption key")
    .annotate(Needs, "manage"),
  HttpApiEndpoint.post("beginRotation", path, {
    payload: Schema.Struct({ encryption_key: optional(EncryptionKey) }).annotate({ identifier: "RotationToBegin" }),
    success: BegunRotation.pipe(HttpApiSchema.status(201)),
    error: [Errors.BadRequest, Errors.Forbidden, Errors.Conflict]
  })
    .annotate(
      OpenApi.Summary,
      "Create a new encryption key and return it once; values sealed with the former key are still accepted"
    )
    .annotate(
      OpenApi.Description,
      "While the rotation is in progress, a request that names the same encryption_key is answered again and changes nothing: send a key of your own, without an Idempotency-Key, so that no lost answer loses it"
    )
    .annotate(Needs, "manage")
    .annotate(NeedsFreshSignIn, true)
    .annotate(TellsSecret, true),
  HttpApiEndpoint.post("finishRotation", `${path}/finish`, {
    success: RotationRecord,
    error: [Errors.Forbidden, Errors.Conflict]
  })
    .annotate(OpenApi.Summary, "Stop accepting the former encryption key, once all values are sealed with the new one")
    .annotate(Needs, "manage")
) {}
