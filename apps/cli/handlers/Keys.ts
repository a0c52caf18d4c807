/**
 * What `sluice keys` does with the API keys of a workspace, and how it shows its encryption key.
 */
import { Clock, Effect, Layer, Option, Redacted } from "effect"
import { EncryptionKeys } from "../../../core/vault/keys/EncryptionKeys.ts"
import { type ApiKey, ApiKeys, revocationOf } from "../../../core/workspace/ApiKeys.ts"
import { Audit } from "../../../core/workspace/audit/Audit.ts"
import { WorkspaceStore } from "../../../core/workspace/WorkspaceStore.ts"
import { layerEncryption, layerStorage, type StorageSettings } from "../layers/Storage.ts"
import type { ConnectionSettings } from "../user/Connection.ts"
import type { Refused } from "../user/Ending.ts"
import { answer, type OutputSettings } from "../user/Output.ts"
import { serviceOf, unusedStores } from "../user/Place.ts"
import { CannotFind, chosen, type OfWorkspace } from "./ChosenWorkspace.ts"
import * as Service from "./user/workspace/Keys.ts"

type Place = StorageSettings & ConnectionSettings & OutputSettings & OfWorkspace

/** Does the work at the service that the settings name, or else in the stores. */
const either =
  <S extends Place, E1, R1, E2, R2>(
    atService: (settings: S) => Effect.Effect<void, E1, R1>,
    inStores: (settings: S) => Effect.Effect<void, E2, R2>
  ) =>
  (settings: S): Effect.Effect<void, E1 | E2 | Refused, R1 | R2> =>
    Effect.flatMap(
      serviceOf(settings),
      (service): Effect.Effect<void, E1 | E2, R1 | R2> => (service === null ? inStores(settings) : atService(service))
    )

/** The API keys of the chosen workspace, for an operator. */
const operating = Effect.fnUntraced(function* (settings: OfWorkspace) {
  const { id: workspaceId } = yield* chosen(settings.workspace)
  return { keys: yield* ApiKeys, acting: { workspaceId, role: "Owner" } as const }
})

const layerKeys = (settings: StorageSettings) => ApiKeys.layer.pipe(Layer.provideMerge(layerStorage(settings)))

const made = (settings: Place, key: Redacted.Redacted<string>, stored: ApiKey, more = "") =>
  answer(
    settings,
    { ...shown(stored), key: Redacted.value(key) },
    () =>
      `${Redacted.value(key)}\n${stored.role} key ${stored.id} of workspace ${stored.workspaceId}; it is shown only once${more}`
  )

export const create = either(
  Service.create<Place>,
  Effect.fnUntraced(function* (settings: Place & Service.NewKey) {
    yield* Effect.gen(function* () {
      const { acting, keys } = yield* operating(settings)
      const { expiresIn, name, role, scope } = settings
      const { key, stored } = yield* keys.make(acting, {
        role,
        name: Option.getOrNull(name),
        ...(scope.length === 0 ? {} : { scopes: scope }),
        ...(Option.isNone(expiresIn) ? {} : { expiresAt: (yield* Clock.currentTimeMillis) + expiresIn.value * 1_000 })
      })
      yield* made(settings, key, stored)
    }).pipe(Effect.provide(layerKeys(settings)))
  })
)

export const list = either(
  Service.list,
  Effect.fnUntraced(function* (settings: Place) {
    yield* Effect.gen(function* () {
      const { id } = yield* chosen(settings.workspace)
      const all = (yield* (yield* WorkspaceStore).listKeys(id)).map(shown)
      yield* answer(settings, all, () => all.map(line).join("\n"))
    }).pipe(Effect.provide(layerStorage(settings)))
  })
)

const shown = (key: ApiKey) => ({
  id: key.id,
  name: key.name,
  role: key.role,
  user_id: key.userId,
  created_at: new Date(key.createdAt).toISOString(),
  scopes: key.scopes ?? null,
  expires_at: iso(key.expiresAt),
  last_used_at: iso(key.lastUsedAt),
  revoked_at: iso(key.revokedAt)
})

const line = ({ created_at, id, name, role, ...key }: ReturnType<typeof shown>): string => {
  const state = [
    ["scopes", key.scopes?.join(",") ?? null],
    ["expires", key.expires_at],
    ["used", key.last_used_at],
    ["revoked", key.revoked_at]
  ]
  const words = state.map(([word, value]) => (value === null ? "" : `  ${word} ${value}`)).join("")
  return `${id}  ${role.padEnd(6)}  ${created_at}  ${name ?? ""}${words}`
}

const iso = (at: number | null | undefined): string | null =>
  at === null || at === undefined ? null : new Date(at).toISOString()

/** An operator may also revoke the last key of an Owner, because this command can create another one. */
export const revoke = either(
  Service.revoke<Place>,
  Effect.fnUntraced(function* (settings: Place & Service.OneKey) {
    yield* Effect.gen(function* () {
      const { id } = yield* chosen(settings.workspace)
      const revoke = (yield* WorkspaceStore).revokeKey(id, settings.id, yield* Clock.currentTimeMillis)
      const revoked = yield* (yield* Audit).recording({ workspaceId: id }, revoke, revocationOf)
      if (Option.isNone(revoked))
        return yield* new CannotFind({ reason: `No key ${settings.id} of workspace ${id} that is not revoked yet` })
      yield* answer(settings, shown(revoked.value), () => `Revoked key ${settings.id}`)
    }).pipe(Effect.provide(layerStorage(settings)))
  })
)

export const rotate = either(
  Service.rotate<Place>,
  Effect.fnUntraced(function* (settings: Place & Service.KeyToRotate) {
    yield* Effect.gen(function* () {
      const { acting, keys } = yield* operating(settings)
      const grace = Option.getOrElse(settings.grace, () => aDay)
      const { former, key, stored } = yield* keys.rotate(acting, settings.id, grace)
      yield* made(settings, key, stored, `. The former one is accepted until ${iso(former.expiresAt)}`)
    }).pipe(Effect.provide(layerKeys(settings)))
  })
)

/** Default time for which a rotated key is still accepted, in seconds. */
const aDay = 86_400

export const encryption = Effect.fnUntraced(function* (settings: StorageSettings & OutputSettings & OfWorkspace) {
  yield* unusedStores(settings, "The encryption key of a workspace is only read from the stores, never over HTTP")
  yield* Effect.gen(function* () {
    const { id } = yield* chosen(settings.workspace)
    const key = Redacted.value(yield* (yield* EncryptionKeys).of(id))
    yield* answer(settings, { workspace_id: id, encryption_key: key }, () => key)
  }).pipe(Effect.provide(layerEncryption(settings).pipe(Layer.provideMerge(layerStorage(settings)))))
})
