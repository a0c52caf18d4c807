/**
 * What `sluice workspaces` does with the workspaces of an installation.
 */
import { Console, Effect, Layer, Redacted, Schema } from "effect"
import { EncryptionKeys } from "../../../../core/vault/keys/EncryptionKeys.ts"
import { WorkspaceStore } from "../../../../core/workspace/WorkspaceStore.ts"
import { making } from "../../../../core/workspace/Workspaces.ts"
import { layerEncryption, layerStorage, type StorageSettings } from "../../layers/Storage.ts"

/** Raised for a name that no workspace may have. */
export class InvalidName extends Schema.TaggedError<InvalidName>()("InvalidName", { length: Schema.Int }) {
  override get message() {
    return `Expected a name of 1 to 256 characters, got ${this.length}`
  }
}

export const create = Effect.fnUntraced(function* (settings: StorageSettings & { readonly name: string }) {
  const name = settings.name.trim()
  if (name === "" || name.length > 256) return yield* new InvalidName({ length: name.length })
  yield* Effect.gen(function* () {
    const { key, owner, workspace } = yield* (yield* making)(null, name)
    // The workspace has its encryption key from the beginning, as the first one has.
    yield* (yield* EncryptionKeys).of(workspace.id)
    yield* Console.log(
      `${Redacted.value(key)}\nOwner key ${owner.id} of workspace ${workspace.id}; it is shown only once`
    )
  }).pipe(Effect.provide(layerEncryption(settings).pipe(Layer.provideMerge(layerStorage(settings)))))
})

export const list = Effect.fnUntraced(function* (settings: StorageSettings) {
  yield* Effect.gen(function* () {
    for (const { createdAt, founding, id, name } of yield* (yield* WorkspaceStore).list) {
      const first = founding === true ? "  first workspace" : ""
      yield* Console.log(`${id}  ${new Date(createdAt).toISOString()}  ${name}${first}`)
    }
  }).pipe(Effect.provide(layerStorage(settings)))
})
