/** The endpoints of secret providers. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { ConnectionBody, ConnectionChange } from "../../../core/vault/providers/ConnectionBody.ts"
import { Needs, NoStore } from "../Annotations.ts"
import { edits } from "../http/body/Fields.ts"
import { sent } from "../http/body/Sent.ts"
import * as Errors from "../http/Errors.ts"
import { Refused, Unavailable, Unprocessable } from "./VaultErrors.ts"

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
  /** The failure; empty when the test succeeded. */
  error: Schema.String,
  /** The same for programs, such as `PROVIDER_ACCESS_REFUSED`. */
  code: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "SecretProviderTrial" })

/** `false` keeps a connection without trying it. */
const trying = { test: Schema.optionalKey(Schema.Literals(["true", "false"])) }

const group = HttpApiGroup.make("secret providers")
  .annotate(OpenApi.Description, "External stores that secrets are read from instead of the vault")
  .annotate(NoStore, true)

export class SecretProvidersGroup extends group.add(
  HttpApiEndpoint.get("listSecretProviders", "/secret-providers", { success: Schema.Array(SecretProvider) })
    .annotate(OpenApi.Summary, "List the secret providers of the workspace")
    .annotate(Needs, "read"),
  HttpApiEndpoint.post("createSecretProvider", "/secret-providers", {
    query: trying,
    payload: sent(ConnectionBody),
    success: SecretProvider.pipe(HttpApiSchema.status(201)),
    error: [Errors.BadRequest, Errors.Forbidden, Errors.Conflict, Unprocessable]
  })
    .annotate(OpenApi.Summary, "Connect a secret provider; it is tested first unless test=false")
    .annotate(Needs, "manage"),
  HttpApiEndpoint.patch("changeSecretProvider", "/secret-providers/:secret_provider_id", {
    params: provider,
    query: trying,
    payload: sent(ConnectionChange),
    success: SecretProvider,
    error: [...edits, Errors.Conflict, Unprocessable]
  })
    .annotate(
      OpenApi.Summary,
      "Change the given fields of a secret provider; a new configuration is tested before it is stored"
    )
    .annotate(Needs, "manage"),
  HttpApiEndpoint.delete("removeSecretProvider", "/secret-providers/:secret_provider_id", {
    params: provider,
    success: SecretProvider,
    error: [Errors.Forbidden, Errors.NotFound, Errors.Conflict]
  })
    .annotate(OpenApi.Summary, "Delete a secret provider that no credential is bound to")
    .annotate(Needs, "manage"),
  HttpApiEndpoint.post("testSecretProvider", "/secret-providers/:secret_provider_id/test", {
    params: provider,
    success: Trial,
    error: [Errors.Forbidden, Errors.NotFound]
  })
    .annotate(OpenApi.Summary, "Test whether a secret provider answers and accepts the configured access")
    .annotate(Needs, "manage"),
  HttpApiEndpoint.get("listSecretItems", "/secret-providers/:secret_provider_id/items", {
    params: provider,
    success: Schema.Array(SecretItem),
    error: [Errors.NotFound, Refused, Unavailable]
  })
    .annotate(OpenApi.Summary, "List the items of a secret provider")
    .annotate(Needs, "read")
) {}
