/** Answers the endpoints of secret providers. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { SecretConnections } from "../../../core/vault/providers/SecretConnections.ts"
import type { SecretProvider } from "../../../core/vault/providers/SecretProviders.ts"
import type { ConnectionError } from "../../../core/vault/providers/SecretSource.ts"
import { Api } from "../Api.ts"
import { CurrentCaller } from "../http/Authorization.ts"
import { iso } from "../run/RunRecord.ts"
import type { SecretProvider as SecretProviderRecord } from "./SecretProvidersApi.ts"
import * as VaultErrors from "./VaultErrors.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "secret providers",
  Effect.fn(function* (handlers) {
    const connections = yield* SecretConnections
    return handlers.handleAll({
      listSecretProviders: Effect.fn(function* () {
        return (yield* connections.list(yield* CurrentCaller)).map(record)
      }),
      createSecretProvider: Effect.fn(function* ({ payload, query }) {
        const caller = yield* CurrentCaller
        return record(yield* connections.create(caller, payload, { tried: query.test !== "false" }))
      }),
      changeSecretProvider: Effect.fn(function* ({ params, payload, query }) {
        const caller = yield* CurrentCaller
        return record(
          yield* connections.change(caller, params.secret_provider_id, payload, { tried: query.test !== "false" })
        )
      }),
      removeSecretProvider: Effect.fn(function* ({ params }) {
        const caller = yield* CurrentCaller
        return record(yield* connections.remove(caller, params.secret_provider_id))
      }),
      testSecretProvider: Effect.fn(function* ({ params }) {
        const caller = yield* CurrentCaller
        return yield* connections.check(caller, params.secret_provider_id).pipe(
          Effect.as<{ success: boolean; error: string; code?: string }>({ success: true, error: "" }),
          Effect.catchTags({
            SourceUnavailable: failed,
            AccessRefused: failed,
            ItemNotFound: failed,
            MalformedAnswer: failed
          })
        )
      }),
      listSecretItems: Effect.fn(function* ({ params }) {
        const items = yield* connections.items(yield* CurrentCaller, params.secret_provider_id)
        return items.map(({ vaultName, ...item }) => (vaultName === null ? item : { ...item, vaultName }))
      })
    })
  })
)

const record = (provider: SecretProvider): typeof SecretProviderRecord.Type => ({
  id: provider.id,
  workspace_id: provider.workspaceId,
  provider_type: provider.providerType,
  name: provider.name,
  config_hint: provider.configHint,
  cache_ttl_seconds: provider.cacheTtlSeconds,
  created_at: iso(provider.createdAt),
  updated_at: iso(provider.updatedAt)
})

const failed = (error: ConnectionError) =>
  Effect.succeed({ success: false, error: error.message, code: VaultErrors.sourceCode(error) })
