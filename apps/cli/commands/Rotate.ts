/**
 * `sluice keys rotate`: exchanges what secrets are protected with, while the service goes on.
 */
import { Console, Effect, Layer, Option, Redacted, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import * as WebhookSecrets from "../../../core/event/webhook/WebhookSecrets.ts"
import * as KeyRotation from "../../../core/vault/keys/KeyRotation.ts"
import * as MasterRotation from "../../../core/vault/keys/MasterRotation.ts"
import { KeyWrapping, WrappedKeys } from "../../../core/vault/keys/WrappedKeys.ts"
import * as Assembly from "../layers/Assembly.ts"
import * as MasterKeys from "../layers/MasterKeys.ts"
import * as Settings from "../Settings.ts"
import { chosen, workspace } from "./WorkspaceFlag.ts"

/** Raised when the master key is to be exchanged, and only one is given. */
export class NoPreviousKey extends Schema.TaggedError<NoPreviousKey>()("NoPreviousKey", {}) {
  override get message() {
    return "Cannot rotate the master key: there is nothing to rotate to. Start every process of the installation anew with the new key as SLUICE_MASTER_KEY and the present one as SLUICE_PREVIOUS_MASTER_KEY, and run this with the same settings"
  }
}

const provided = (settings: Assembly.Storage) =>
  Assembly.layerEncryption(settings).pipe(Layer.provideMerge(Assembly.layerStorage(settings)))

const master = Command.make(
  "master",
  Settings.storage,
  Effect.fn(function* (settings) {
    const inFolder = MasterKeys.isInFolder(settings)
    if (!inFolder && Option.isNone(settings.previousMasterKey)) return yield* new NoPreviousKey()
    yield* Effect.gen(function* () {
      if (inFolder) {
        // The data has a key at all, which is read before there is another one.
        const known = yield* (yield* WrappedKeys).list
        yield* MasterKeys.read(settings, { mayMake: known.length === 0 })
        yield* MasterKeys.begin(settings)
      }
      yield* Effect.gen(function* () {
        const { kept, resealed, rewrapped, unreadable } = yield* MasterRotation.run(WebhookSecrets.resealSecrets)
        const former = (yield* KeyWrapping).previous
        yield* Console.log(`Wrapped ${rewrapped} keys anew; ${kept} were under the present master key already`)
        if (resealed > 0) yield* Console.log(`Sealed ${resealed} secrets of webhooks anew`)
        for (const id of unreadable) {
          yield* Console.log(`The secret of webhook ${id} is under none of these master keys: set it anew`)
        }
        if (inFolder) {
          yield* MasterKeys.end(settings)
          yield* Console.log(`Nothing is under the former key any more: ${settings.dataDir}/master.key is the new one`)
        } else if (former !== null) {
          yield* Console.log(
            "Nothing is under the previous master key any more. Start every process anew without SLUICE_PREVIOUS_MASTER_KEY; addresses of artifacts that were signed by an older version with that key work as long as it is given, and at most seven days"
          )
        }
      }).pipe(Effect.provide(Layer.fresh(Assembly.layerEncryption(settings))))
    }).pipe(Effect.provide(Assembly.layerStorage(settings)))
  })
).pipe(
  Command.withDescription("Put everything under a new master key; stopped in the middle, it can simply be run again")
)

const oneWorkspace = Command.make(
  "workspace",
  {
    ...Settings.storage,
    workspace,
    finish: Flag.Boolean("finish").pipe(
      Flag.withDescription("End the acceptance of the former key, once nothing is under it"),
      Flag.withDefault(false)
    ),
    status: Flag.Boolean("status").pipe(
      Flag.withDescription("Tell how far it has come, and change nothing"),
      Flag.withDefault(false)
    )
  },
  Effect.fn(function* (settings) {
    yield* Effect.gen(function* () {
      const { id } = yield* chosen(settings.workspace)
      const rotation = yield* KeyRotation.KeyRotation
      if (settings.status) return yield* Console.log(told(yield* rotation.state(id)))
      if (settings.finish) return yield* Console.log(told(yield* rotation.finish(id)))
      const key = yield* rotation.begin(id, null)
      yield* Console.log(
        `${Redacted.value(key)}\nThe new encryption key of workspace ${id}. Values under the former one are accepted until \`sluice keys rotate workspace --finish\``
      )
    }).pipe(Effect.provide(KeyRotation.KeyRotation.layer.pipe(Layer.provideMerge(provided(settings)))))
  })
).pipe(
  Command.withDescription("Give a workspace a new encryption key; its clients may have either until this is finished")
)

/** How far a rotation has come, in words. */
const told = (state: KeyRotation.RotationState): string => {
  const { apiKeysOnFormer, checked, formerVersion, left, mayFinish, resealed, unreadable, version } = state
  if (formerVersion === null) return `The encryption key has version ${version}, and no other one is accepted`
  return [
    `The encryption key has version ${version}; version ${formerVersion} is accepted as well`,
    `${checked} things were looked at, ${left} are left; ${resealed} values were sealed anew${unreadable === 0 ? "" : `, ${unreadable} cannot be opened`}`,
    `${apiKeysOnFormer} API keys are still answered in values under version ${formerVersion}`,
    mayFinish ? "It may be finished" : "It may not be finished yet"
  ].join("\n")
}

export const rotate = Command.make("rotate").pipe(
  Command.withDescription("Exchange the master key, or the encryption key of a workspace"),
  Command.withSubcommands([master, oneWorkspace])
)
