/**
 * What `sluice keys rotate workspace` does at a service, and how it shows a rotation.
 */
import { Effect } from "effect"
import type { BegunRotation, RotationRecord } from "../../../../api/vault/EncryptionKeyApi.ts"
import { type ConnectionSettings, connected } from "../../../user/Connection.ts"
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
      yield* begun(settings, yield* endpoints.beginRotation({ payload: {} }), workspaceId)
    })
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
