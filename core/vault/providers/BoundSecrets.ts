/**
 * The secrets of vault entries that are bound to an outside store.
 */

import { Context, Effect, Layer, Option, Redacted } from "effect"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import { Sealing } from "../keys/Sealing.ts"
import type { VaultEntry } from "../VaultEntry.ts"
import * as SecretCache from "./SecretCache.ts"
import { type SecretProvider, SecretProviders } from "./SecretProviders.ts"
import {
  type Access,
  AccessRefused,
  type Connection,
  type ProvidedSecrets,
  type SecretSource,
  SecretSources,
  type SourceError,
  SourceUnavailable
} from "./SecretSource.ts"

export class BoundSecrets extends Context.Service<
  BoundSecrets,
  {
    /**
     * The secrets of the item that an entry is bound to. They are fetched each time unless the entry, or else its
     * connection, allows caching. Values fetched before the last change of the entry or the connection are not used.
     */
    readonly of: (entry: VaultEntry) => Effect.Effect<ProvidedSecrets, SourceError | StoreUnavailable>

    /** The same, read from the secret provider again instead of the cache. */
    readonly fresh: (entry: VaultEntry) => Effect.Effect<ProvidedSecrets, SourceError | StoreUnavailable>

    /** Makes the next reader fetch the item again, for example after a failed login. */
    readonly forget: (entry: VaultEntry) => Effect.Effect<void, StoreUnavailable>

    /** The store behind a connection, and the connection with its access opened. */
    readonly open: (
      provider: SecretProvider
    ) => Effect.Effect<OpenedSource, SourceUnavailable | AccessRefused | StoreUnavailable>
  }
>()("sluice/core/vault/providers/BoundSecrets") {
  static readonly layer = Layer.effect(
    BoundSecrets,
    Effect.gen(function* () {
      const providers = yield* SecretProviders
      const sealing = yield* Sealing
      const sources = yield* SecretSources
      const cache = SecretCache.make<ProvidedSecrets, SourceError>(yield* Effect.scope)

      const open = Effect.fn("BoundSecrets.open")(function* (provider: SecretProvider) {
        const source = sources.get(provider.providerType)
        if (source === undefined) {
          const reason = `this service knows no stores of the type "${provider.providerType}"`
          return yield* new SourceUnavailable({ provider: provider.name, reason })
        }
        const access = yield* sealing
          .unseal(provider.workspaceId, provider.sealedAccess)
          .pipe(Effect.mapError(({ message }) => new AccessRefused({ provider: provider.name, reason: message })))
        const connection = { id: provider.id, name: provider.name, access: Redacted.make(textsOf(access)) }
        return { source, connection } satisfies OpenedSource
      })

      const bound = Effect.fnUntraced(function* ({ fields, workspaceId }: VaultEntry) {
        const id = fields.secret_provider_id ?? ""
        const found = yield* providers.get(workspaceId, id)
        if (Option.isNone(found)) {
          return yield* new SourceUnavailable({
            provider: id,
            reason: "this workspace no longer has such a connection"
          })
        }
        return { provider: found.value, ref: fields.secret_ref ?? "" }
      })

      const ask = Effect.fnUntraced(function* (provider: SecretProvider, ref: string) {
        const { connection, source } = yield* open(provider)
        return yield* source.read(connection, ref)
      })

      return BoundSecrets.of({
        open,
        of: Effect.fn("BoundSecrets.of")(function* (entry) {
          const { provider, ref } = yield* bound(entry)
          const ttlSeconds = entry.fields.secret_cache_ttl_seconds ?? provider.cacheTtlSeconds ?? 0
          return yield* cache.get(
            keyOf(provider, ref),
            { ttlMillis: ttlSeconds * 1_000, notBefore: Math.max(entry.updatedAt, provider.updatedAt) },
            ask(provider, ref)
          )
        }),
        fresh: Effect.fn("BoundSecrets.fresh")(function* (entry) {
          const { provider, ref } = yield* bound(entry)
          return yield* ask(provider, ref)
        }),
        forget: Effect.fn("BoundSecrets.forget")((entry) =>
          bound(entry).pipe(
            Effect.flatMap(({ provider, ref }) => cache.forget(keyOf(provider, ref))),
            Effect.ignore
          )
        )
      })
    })
  )
}

export interface OpenedSource {
  readonly source: SecretSource
  readonly connection: Connection
}

/** A change of the connection makes another key, as it may lead to another store, or see other things there. */
const keyOf = ({ id, updatedAt, workspaceId }: SecretProvider, ref: string): string =>
  JSON.stringify([workspaceId, id, updatedAt, ref])

/** The access of a connection. It was sealed by this service as text. */
const textsOf = (opened: Redacted.Redacted<unknown>): Access => {
  const plain = Redacted.value(opened)
  return typeof plain === "object" && plain !== null
    ? Object.fromEntries(Object.entries(plain).filter((pair): pair is [string, string] => typeof pair[1] === "string"))
    : {}
}
