/** Answers the endpoints of secret providers. */
import { Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { SecretProviders, SecretSources, SourceUnavailable } from "../../../core/vault/SecretProviders.ts"
import { Api } from "../Api.ts"
import { CurrentCaller } from "../request/Authorization.ts"
import * as Errors from "../request/Errors.ts"
import { iso } from "../run/RunRecord.ts"
import * as VaultErrors from "./VaultErrors.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "secret providers",
  Effect.fn(function* (handlers) {
    const providers = yield* SecretProviders
    const sources = yield* SecretSources
    return handlers.handleAll({
      listSecretProviders: Effect.fn(function* () {
        const { workspaceId } = yield* CurrentCaller
        return (yield* providers.list(workspaceId)).map((provider) => ({
          id: provider.id,
          workspace_id: provider.workspaceId,
          provider_type: provider.providerType,
          name: provider.name,
          config_hint: provider.configHint,
          cache_ttl_seconds: provider.cacheTtlSeconds,
          created_at: iso(provider.createdAt),
          updated_at: iso(provider.updatedAt)
        }))
      }),
      listSecretItems: Effect.fn(function* ({ params }) {
        const { workspaceId } = yield* CurrentCaller
        const found = yield* providers.get(workspaceId, params.secret_provider_id)
        if (Option.isNone(found)) {
          return yield* Effect.fail(
            Errors.general(
              404,
              `Secret provider "${params.secret_provider_id.slice(0, 80)}" not found in this workspace`
            )
          )
        }
        const { providerType } = found.value
        const source = sources.get(providerType)
        const items = yield* (
          source?.items(found.value) ??
          Effect.fail(new SourceUnavailable({ providerType, reason: "this service does not know how" }))
        ).pipe(Effect.mapError(VaultErrors.unavailable))
        return items.map(({ vaultName, ...item }) => (vaultName === null ? item : { ...item, vaultName }))
      })
    })
  })
)
