/**
 * Shared values for tests of credentials: a pair, cookies, and requests of one member.
 */
import { randomUUID } from "node:crypto"
import { Effect } from "effect"
import { type SecretProvider, SecretProviders } from "../../core/vault/providers/SecretProviders.ts"
import type { WorkspaceId } from "../../core/workspace/Ids.ts"
import { seal } from "./sealed.ts"
import { type Member, Service } from "./service.ts"

export const pair = { permissioned_user_id: "robot", domain: "https://app.example.com" }
export const cookies = [
  { name: "session", value: "canary-cookie", domain: ".example.com", secure: true, expirationDate: 1.5 }
]

export const query = (fields: Record<string, string>) => `?${new URLSearchParams(fields)}`

/** Requests of one member, and values sealed with the key of the member's workspace. */
export const asMember = Effect.fnUntraced(function* (role: Member["caller"]["role"] = "Member", beside?: Member) {
  const { member, send } = yield* Service
  const me = yield* member(role, beside)
  const ask = (method: string, path: string, json?: unknown) =>
    send({ method, path, key: me.key, ...(json === undefined ? {} : { json }) })
  return { me, ask, sealed: (value: unknown) => seal(me.encryptionKey, value) }
})

/** A connection whose access cannot be unsealed, to a store of the given or an unknown type. */
export const makeSecretProvider = (workspaceId: WorkspaceId, providerType = "none that is known") =>
  Effect.gen(function* () {
    const provider: SecretProvider = {
      id: randomUUID(),
      workspaceId,
      providerType,
      name: randomUUID(),
      configHint: {},
      sealedAccess: "",
      cacheTtlSeconds: null,
      createdAt: 0,
      updatedAt: 0
    }
    yield* (yield* SecretProviders).insert(workspaceId, provider)
    return provider.id
  }).pipe(Effect.orDie)
