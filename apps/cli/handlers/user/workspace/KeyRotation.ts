/**
 * What `sluice keys rotate workspace` does at a service, and how it shows a rotation.
 */
import { randomBytes } from "node:crypto"
import { Effect, Schedule } from "effect"
import type * as Client from "../../../../api/Client.ts"
import type { BegunRotation, RotationRecord } from "../../../../api/vault/EncryptionKeyApi.ts"
import { type ConnectionSettings, connected } from "../../../user/Connection.ts"
import { classOf } from "../../../user/Ending.ts"
import { answer, type OutputSettings } from "../../../user/Output.ts"

type Rotation = typeof RotationRecord.Type

type Settings = ConnectionSettings & OutputSettings & { readonly finish: boolean; readonly status: boolean }

export const rotate = (settings: Settings) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const endpoints = client["encryption key"]
      if (settings.finish) return yield* shown(settings, yield* endpoints.finishRotation())
      if (settings.status) return yield* shown(settings, yield* endpoints.rotation())
      const { workspace_id: workspaceId } = yield* client.workspaces.me()
      yield* begun(settings, yield* begin(settings, client, workspaceId), workspaceId)
    })
  )

/** Pauses between attempts to begin a rotation. */
const pauses = Schedule.exponential("250 millis").pipe(Schedule.upTo({ times: 4 }))

/** The classes of answers that say that nothing was changed. */
const refusals: ReadonlySet<string> = new Set(["wrong", "forbidden", "missing", "conflict"])

/**
 * Begins a rotation to a key that is made here, so that it is known even if no answer arrives. The service repeats its
 * answer for the same key; where an attempt remains without one, the key is printed before the failure.
 */
const begin = Effect.fnUntraced(function* (settings: OutputSettings, client: Client.Client, workspaceId: string) {
  const key = randomBytes(32).toString("hex")
  let isUncertain = false
  return yield* client["encryption key"].beginRotation({ payload: { encryption_key: key } }).pipe(
    Effect.tapError((error) =>
      Effect.sync(() => {
        isUncertain ||= !refusals.has(classOf(error))
      })
    ),
    Effect.retry({ schedule: pauses, while: (error) => !refusals.has(classOf(error)) }),
    Effect.tapError(() => (isUncertain ? unconfirmed(settings, key, workspaceId) : Effect.void))
  )
})

/** Prints a key of which it is not known whether the workspace has it. */
const unconfirmed = (settings: OutputSettings, key: string, workspaceId: string) =>
  answer(
    settings,
    { encryption_key: key, confirmed: false },
    () =>
      `${key}\nThe encryption key of workspace ${workspaceId} if the rotation began, which no answer confirmed. Keep it, and run \`sluice keys rotate workspace --status\` to see whether a rotation is in progress`
  )

/** Prints the new key, which is returned only once. */
export const begun = (settings: OutputSettings, rotation: typeof BegunRotation.Type, workspaceId: string) =>
  answer(
    settings,
    rotation,
    () =>
      `${rotation.encryption_key}\nThe new encryption key of workspace ${workspaceId}. Values sealed with the former one are accepted until \`sluice keys rotate workspace --finish\``
  )

/** Prints the progress of a rotation. */
export const shown = (settings: OutputSettings, rotation: Rotation) =>
  answer(settings, rotation, () => {
    const { api_keys_on_former, checked, former_version, left, may_finish, resealed, unreadable, version } = rotation
    if (former_version === null) return `The encryption key has version ${version}; no other version is accepted`
    return [
      `The encryption key has version ${version}; version ${former_version} is accepted as well`,
      `${checked} records were checked, ${left} are left; ${resealed} values were re-encrypted${unreadable === 0 ? "" : `, ${unreadable} cannot be decrypted`}`,
      `${api_keys_on_former} API keys still receive values sealed with version ${former_version}`,
      may_finish ? "The rotation can be finished" : "The rotation cannot be finished yet"
    ].join("\n")
  })
