/**
 * Outside stores of secrets that vault entries may be bound to instead of holding their secrets themselves.
 */
import { Context, Schema } from "effect"
import type { Collection, Kind } from "../../workspace/Collection.ts"
import { WorkspaceId } from "../../workspace/Ids.ts"

/** A connection of the workspace to an outside store. Its access is kept sealed. */
export const SecretProvider = Schema.Struct({
  id: Schema.String,
  workspaceId: WorkspaceId,
  providerType: Schema.String,
  name: Schema.String,
  /** The public part of how the connection is made. */
  configHint: Schema.Record(Schema.String, Schema.String),
  /** The whole configuration, as an object of texts, sealed with the key of the workspace. */
  sealedAccess: Schema.String,
  /** For how long a secret may be used again without asking for it; `null` asks each time. */
  cacheTtlSeconds: Schema.NullOr(Schema.Int),
  createdAt: Schema.Finite,
  updatedAt: Schema.Finite
})
export type SecretProvider = typeof SecretProvider.Type

export class SecretProviders extends Context.Service<SecretProviders, Collection<SecretProvider>>()(
  "sluice/core/vault/providers/SecretProviders"
) {}

export const kind: Kind<SecretProvider> = {
  name: "secret_providers",
  schema: SecretProvider,
  key: ({ name }) => name
}
