/**
 * What `sluice keys` does with the API keys of a workspace, and how it shows its encryption key.
 */
import { Clock, Console, Effect, Layer, Option, Redacted } from "effect"
import { EncryptionKeys } from "../../../core/vault/keys/EncryptionKeys.ts"
import { ApiKeys, revocationOf } from "../../../core/workspace/ApiKeys.ts"
import { Audit } from "../../../core/workspace/audit/Audit.ts"
import type { Role } from "../../../core/workspace/Workspace.ts"
import { WorkspaceStore } from "../../../core/workspace/WorkspaceStore.ts"
import { layerEncryption, layerStorage, type StorageSettings } from "../layers/Storage.ts"
import { CannotFind, chosen, type OfWorkspace } from "./ChosenWorkspace.ts"

interface CreateSettings extends StorageSettings, OfWorkspace {
  readonly name: Option.Option<string>
  readonly role: Role
}

export const create = Effect.fnUntraced(function* (settings: CreateSettings) {
  yield* Effect.gen(function* () {
    const { id: workspaceId } = yield* chosen(settings.workspace)
    const { key, stored } = yield* (yield* ApiKeys).make(
      { workspaceId, role: "Owner" },
      {
        role: settings.role,
        name: Option.getOrNull(settings.name)
      }
    )
    yield* Console.log(
      `${Redacted.value(key)}\n${stored.role} key ${stored.id} of workspace ${workspaceId}; it is shown only once`
    )
  }).pipe(Effect.provide(ApiKeys.layer.pipe(Layer.provideMerge(layerStorage(settings)))))
})

export const list = Effect.fnUntraced(function* (settings: StorageSettings & OfWorkspace) {
  yield* Effect.gen(function* () {
    const { id } = yield* chosen(settings.workspace)
    for (const key of yield* (yield* WorkspaceStore).listKeys(id)) {
      const state = [
        ["scopes", key.scopes?.join(",")],
        ["expires", iso(key.expiresAt)],
        ["used", iso(key.lastUsedAt)],
        ["revoked", iso(key.revokedAt)]
      ]
        .map(([name, value]) => (value === undefined ? "" : `  ${name} ${value}`))
        .join("")
      yield* Console.log(
        `${key.id}  ${key.role.padEnd(6)}  ${new Date(key.createdAt).toISOString()}  ${key.name ?? ""}${state}`
      )
    }
  }).pipe(Effect.provide(layerStorage(settings)))
})

const iso = (at: number | null | undefined): string | undefined =>
  at === null || at === undefined ? undefined : new Date(at).toISOString()

export const revoke = Effect.fnUntraced(function* (settings: StorageSettings & OfWorkspace & { readonly key: string }) {
  yield* Effect.gen(function* () {
    const { id } = yield* chosen(settings.workspace)
    const revoke = (yield* WorkspaceStore).revokeKey(id, settings.key, yield* Clock.currentTimeMillis)
    const revoked = yield* (yield* Audit).recording({ workspaceId: id }, revoke, revocationOf)
    if (Option.isNone(revoked))
      return yield* new CannotFind({ reason: `No key ${settings.key} of workspace ${id} that is not revoked yet` })
    yield* Console.log(`Revoked key ${settings.key}`)
  }).pipe(Effect.provide(layerStorage(settings)))
})

export const encryption = Effect.fnUntraced(function* (settings: StorageSettings & OfWorkspace) {
  yield* Effect.gen(function* () {
    const { id } = yield* chosen(settings.workspace)
    yield* Console.log(Redacted.value(yield* (yield* EncryptionKeys).of(id)))
  }).pipe(Effect.provide(layerEncryption(settings).pipe(Layer.provideMerge(layerStorage(settings)))))
})
