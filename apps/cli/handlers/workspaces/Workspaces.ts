/**
 * What `sluice workspaces` does with the workspaces of an installation.
 */
import { Effect, Layer, Redacted, Schema } from "effect"
import { EncryptionKeys } from "../../../../core/vault/keys/EncryptionKeys.ts"
import { WorkspaceStore } from "../../../../core/workspace/WorkspaceStore.ts"
import { making } from "../../../../core/workspace/Workspaces.ts"
import { layerEncryption, layerStorage, type StorageSettings } from "../../layers/Storage.ts"
import type { ConnectionSettings } from "../../user/Connection.ts"
import { answer, type OutputSettings } from "../../user/Output.ts"
import { serviceOf } from "../../user/Place.ts"
import * as Service from "../user/workspace/Workspaces.ts"

/** Raised for a name that no workspace may have. */
export class InvalidName extends Schema.TaggedError<InvalidName>()("InvalidName", { length: Schema.Int }) {
  override get message() {
    return `Expected a name of 1 to 256 characters, got ${this.length}`
  }
}

interface Settings extends StorageSettings, ConnectionSettings, OutputSettings {}

export const create = Effect.fnUntraced(function* (settings: Settings & { readonly name: string }) {
  const service = yield* serviceOf(settings)
  if (service !== null) return yield* Service.create(service)
  const name = settings.name.trim()
  if (name === "" || name.length > 256) return yield* new InvalidName({ length: name.length })
  yield* Effect.gen(function* () {
    const { key, owner, workspace } = yield* (yield* making)(null, name)
    // The workspace has its encryption key from the beginning, as the first one has.
    yield* (yield* EncryptionKeys).of(workspace.id)
    yield* answer(
      settings,
      { id: workspace.id, name, api_key: { id: owner.id, key: Redacted.value(key) } },
      () => `${Redacted.value(key)}\nOwner key ${owner.id} of workspace ${workspace.id}; it is shown only once`
    )
  }).pipe(Effect.provide(layerEncryption(settings).pipe(Layer.provideMerge(layerStorage(settings)))))
})

export const list = Effect.fnUntraced(function* (settings: Settings) {
  const service = yield* serviceOf(settings)
  if (service !== null) return yield* Service.list(service)
  yield* Effect.gen(function* () {
    const all = (yield* (yield* WorkspaceStore).list).map(({ createdAt, founding, id, name }) => ({
      id,
      name,
      created_at: new Date(createdAt).toISOString(),
      first: founding === true
    }))
    yield* answer(settings, all, () =>
      all
        .map(({ created_at, first, id, name }) => `${id}  ${created_at}  ${name}${first ? "  first workspace" : ""}`)
        .join("\n")
    )
  }).pipe(Effect.provide(layerStorage(settings)))
})
