/** The endpoints of secret providers. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { ConnectionBody, ConnectionChange } from "../../../core/vault/providers/ConnectionBody.ts"
import { edits } from "../http/body/Fields.ts"
import { sent } from "../http/body/Sent.ts"
import * as Errors from "../http/Errors.ts"
import { Unavailable, Unprocessable } from "./VaultErrors.ts"

const provider = { secret_provider_id: Schema.String }

export const SecretProvider = Schema.Struct({
  id: Schema.String,
  workspace_id: Schema.String,
  provider_type: Schema.String,
  name: Schema.String,
  config_hint: Schema.Record(Schema.String, Schema.String),
  cache_ttl_seconds: Schema.NullOr(Schema.Int),
  created_at: Schema.String,
  updated_at: Schema.String
}).annotate({ identifier: "SecretProvider" })

const SecretItem = Schema.Struct({
  id: Schema.String,
  title: Schema.String,
  ref: Schema.String,
  vaultName: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "SecretItem" })

const Trial = Schema.Struct({
  success: Schema.Boolean,
  /** What went wrong; empty when nothing did. */
  error: Schema.String,
  /** The same for programs, such as `PROVIDER_ACCESS_REFUSED`. */
  code: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "SecretProviderTrial" })

/** `false` keeps a connection without trying it. */
const trying = { test: Schema.optionalKey(Schema.Literals(["true", "false"])) }

export class SecretProvidersGroup extends HttpApiGroup.make("secret providers").add(
  HttpApiEndpoint.get("listSecretProviders", "/secret-providers", { success: Schema.Array(SecretProvider) }),
  HttpApiEndpoint.post("createSecretProvider", "/secret-providers", {
    query: trying,
    payload: sent(ConnectionBody),
    success: SecretProvider.pipe(HttpApiSchema.status(201)),
    error: [Errors.BadRequest, Errors.Forbidden, Errors.Conflict, Unprocessable]
  }),
  HttpApiEndpoint.patch("changeSecretProvider", "/secret-providers/:secret_provider_id", {
    params: provider,
    query: trying,
    payload: sent(ConnectionChange),
    success: SecretProvider,
    error: [...edits, Errors.Conflict, Unprocessable]
  }),
  HttpApiEndpoint.delete("removeSecretProvider", "/secret-providers/:secret_provider_id", {
    params: provider,
    success: SecretProvider,
    error: [Errors.Forbidden, Errors.NotFound, Errors.Conflict]
  }),
  HttpApiEndpoint.post("testSecretProvider", "/secret-providers/:secret_provider_id/test", {
    params: provider,
    success: Trial,
    error: [Errors.Forbidden, Errors.NotFound]
  }),
  HttpApiEndpoint.get("listSecretItems", "/secret-providers/:secret_provider_id/items", {
    params: provider,
    success: Schema.Array(SecretItem),
    error: [Errors.NotFound, Unprocessable, Unavailable]
  })
) {}
