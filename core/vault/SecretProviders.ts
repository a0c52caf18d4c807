/**
 * Outside stores of secrets that vault entries may be bound to instead of holding their secrets themselves.
 */
import { Context, type Effect, Schema } from "effect"
import type { Collection, Kind } from "../workspace/Collection.ts"
import { WorkspaceId } from "../workspace/Workspace.ts"

/** A connection of the workspace to an outside store. Its access is kept sealed. */
export const SecretProvider = Schema.Struct({
  id: Schema.String,
  workspaceId: WorkspaceId,
  providerType: Schema.String,
  name: Schema.String,
  /** What may be shown of how the connection is made. */
  configHint: Schema.Record(Schema.String, Schema.String),
  sealedAccess: Schema.String,
  /** For how long a secret may be used again without asking for it; `null` asks each time. */
  cacheTtlSeconds: Schema.NullOr(Schema.Int),
  createdAt: Schema.Finite,
  updatedAt: Schema.Finite
})
export type SecretProvider = typeof SecretProvider.Type

export class SecretProviders extends Context.Service<SecretProviders, Collection<SecretProvider>>()(
  "sluice/core/vault/SecretProviders"
) {}

export const kind: Kind<SecretProvider> = {
  name: "secret_providers",
  schema: SecretProvider,
  key: ({ name }) => name
}

/** One item of an outside store, such as a login. `ref` is what an entry is bound to. */
export interface SecretItem {
  readonly id: string
  readonly title: string
  readonly ref: string
  readonly vaultName: string | null
}

/** Raised when an outside store cannot be asked. */
export class SourceUnavailable extends Schema.TaggedError<SourceUnavailable>()("SourceUnavailable", {
  providerType: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `Cannot ask the secret provider of type "${this.providerType}": ${this.reason}`
  }
}

/** How stores of one type are asked. */
export interface SecretSource {
  readonly items: (provider: SecretProvider) => Effect.Effect<ReadonlyArray<SecretItem>, SourceUnavailable>
}

/** The types of store that this service can ask, by their names. */
export const SecretSources = Context.Reference<ReadonlyMap<string, SecretSource>>("sluice/core/vault/SecretSources", {
  defaultValue: () => new Map()
})
