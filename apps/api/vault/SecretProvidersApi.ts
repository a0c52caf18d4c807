/** The endpoints of secret providers. Connections are read here, and made elsewhere. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import * as Errors from "../request/Errors.ts"
import { Unavailable } from "./VaultErrors.ts"

const SecretProvider = Schema.Struct({
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

export class SecretProvidersGroup extends HttpApiGroup.make("secret providers").add(
  HttpApiEndpoint.get("listSecretProviders", "/secret-providers", { success: Schema.Array(SecretProvider) }),
  HttpApiEndpoint.get("listSecretItems", "/secret-providers/:secret_provider_id/items", {
    params: { secret_provider_id: Schema.String },
    success: Schema.Array(SecretItem),
    error: [Errors.NotFound, Unavailable]
  })
) {}
