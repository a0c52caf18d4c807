/**
 * What `sluice keys rotate` does: rotates the keys that protect secrets, while the service runs.
 */
import { Effect, Layer, Option, Redacted, Schema } from "effect"
import * as KeyRotation from "../../../core/vault/keys/KeyRotation.ts"
import * as MasterRotation from "../../../core/vault/keys/MasterRotation.ts"
import { KeyWrapping, WrappedKeys } from "../../../core/vault/keys/WrappedKeys.ts"
import { recordOf } from "../../api/vault/RotationRecord.ts"
import * as MasterKeys from "../layers/MasterKeys.ts"
import { layerEncryption, layerStorage, type StorageSettings } from "../layers/Storage.ts"
import type { ConnectionSettings } from "../user/Connection.ts"
import { refused } from "../user/Ending.ts"
import { answer, type OutputSettings } from "../user/Output.ts"
import { serviceOf, unusedStores } from "../user/Place.ts"
import { chosen, type OfWorkspace } from "./ChosenWorkspace.ts"
import * as Service from "./user/workspace/KeyRotation.ts"

/** Raised when the master key is rotated and only one key is given. */
export class NoPreviousKey extends Schema.TaggedError<NoPreviousKey>()("NoPreviousKey", {}) {
  override get message() {
    return "Cannot rotate the master key: only one key is set. Restart every process of the installation with the new key as SLUICE_MASTER_KEY and the present one as SLUICE_PREVIOUS_MASTER_KEY, then run this command with the same settings"
  }
}

const provided = (settings: StorageSettings) =>
  layerEncryption(settings).pipe(Layer.provideMerge(layerStorage(settings)))

export const master = Effect.fnUntraced(function* (settings: StorageSettings & OutputSettings) {
  yield* unusedStores(settings, "The master key of an embedded database is only rotated in the stores")
  const inFolder = MasterKeys.isInFolder(settings)
  if (!inFolder && Option.isNone(settings.previousMasterKey)) return yield* new NoPreviousKey()
  yield* Effect.gen(function* () {
    if (inFolder) {
      // Read the existing key before another one is made.
      const known = yield* (yield* WrappedKeys).list
      yield* MasterKeys.read(settings, { mayMake: known.length === 0 })
      yield* MasterKeys.begin(settings)
    }
    yield* Effect.gen(function* () {
      const { kept, rewrapped } = yield* MasterRotation.run()
      const former = (yield* KeyWrapping).previous
      if (inFolder) yield* MasterKeys.end(settings)
      const next = inFolder
        ? [`The former master key is no longer in use: ${settings.dataDir}/master.key holds the new one`]
        : former === null
          ? []
          : ["The previous master key is no longer in use. Restart every process without SLUICE_PREVIOUS_MASTER_KEY"]
      yield* answer(settings, { rewrapped, kept }, () =>
        [`Rewrapped ${rewrapped} keys; ${kept} were already wrapped with the present master key`, ...next].join("\n")
      )
    }).pipe(Effect.provide(Layer.fresh(layerEncryption(settings))))
  }).pipe(Effect.provide(layerStorage(settings)))
})

type RotationSettings = StorageSettings &
  ConnectionSettings &
  OutputSettings &
  OfWorkspace & { readonly finish: boolean; readonly status: boolean }

/** Begins, shows or finishes the rotation of the encryption key of a workspace, at a service or in the stores. */
export const oneWorkspace = Effect.fnUntraced(function* (settings: RotationSettings) {
  if (settings.finish && settings.status) {
    return yield* refused("wrong", "Expected one of --finish and --status, got both")
  }
  const service = yield* serviceOf(settings)
  yield* service === null ? inStores(settings) : Service.rotate(service)
})

const inStores = (settings: RotationSettings) =>
  Effect.gen(function* () {
    const { id } = yield* chosen(settings.workspace)
    // A user who runs a command here has the database and its master key.
    const operator = { workspaceId: id, role: "Owner" } as const
    const rotation = yield* KeyRotation.KeyRotation
    if (settings.finish) return yield* Service.shown(settings, recordOf(yield* rotation.finish(operator)))
    if (settings.status) return yield* Service.shown(settings, recordOf(yield* rotation.state(operator)))
    const key = Redacted.value(yield* rotation.begin(operator, null))
    const state = recordOf(yield* rotation.state(operator))
    yield* Service.begun(settings, { ...state, encryption_key: key }, id)
  }).pipe(Effect.provide(KeyRotation.KeyRotation.layer.pipe(Layer.provideMerge(provided(settings)))))
