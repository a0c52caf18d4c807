/**
 * What `sluice keys` does with the API keys of a service.
 */
import { Effect, Option } from "effect"
import type { Role, Scope } from "../../../../../core/workspace/Workspace.ts"
import type { ApiKeyRecord } from "../../../../api/workspace/WorkspacesApi.ts"
import { type ConnectionSettings, connected } from "../../../user/Connection.ts"
import { answer, type OutputSettings } from "../../../user/Output.ts"
import { cell, instant, table } from "../../../user/view/Table.ts"

type Settings = ConnectionSettings & OutputSettings
type Key = typeof ApiKeyRecord.Type

const stateOf = ({ expires_at, revoked_at }: Key): string =>
  revoked_at !== null ? `revoked ${instant(revoked_at)}` : expires_at === null ? "" : `until ${instant(expires_at)}`

export const list = (settings: Settings) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const keys = yield* client.workspaces.listApiKeys()
      yield* answer(settings, keys, () =>
        table(
          ["KEY", "NAME", "ROLE", "SCOPES", "CREATED", "USED", "STATE"],
          keys.map((key) => [
            key.id,
            cell(key.name ?? "", 40),
            key.role,
            key.scopes?.join(",") ?? "",
            instant(key.created_at),
            instant(key.last_used_at),
            stateOf(key)
          ])
        )
      )
    })
  )

/** What a new key is given. */
export interface NewKey {
  readonly name: Option.Option<string>
  readonly role: Role
  readonly scope: ReadonlyArray<Scope>
  readonly expiresIn: Option.Option<number>
}

export const create = <S extends Settings>(settings: S & NewKey) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const { expiresIn, name, role, scope } = settings
      const made = yield* client.workspaces.makeApiKey({
        payload: {
          role,
          ...(Option.isSome(name) ? { name: name.value } : {}),
          ...(scope.length === 0 ? {} : { scopes: scope }),
          ...(Option.isSome(expiresIn) ? { expires_in_seconds: expiresIn.value } : {})
        }
      })
      yield* answer(settings, made, () => `${made.key}\n${made.role} key ${made.id}; it is shown only once`)
    })
  )

export interface OneKey {
  readonly id: string
}

export const revoke = <S extends Settings>(settings: S & OneKey) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const revoked = yield* client.workspaces.revokeApiKey({ params: { api_key_id: settings.id } })
      yield* answer(settings, revoked, () => `Revoked key ${revoked.id}`)
    })
  )

export interface KeyToRotate extends OneKey {
  readonly grace: Option.Option<number>
}

export const rotate = <S extends Settings>(settings: S & KeyToRotate) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const { grace, id } = settings
      const made = yield* client.workspaces.rotateApiKey({
        params: { api_key_id: id },
        payload: Option.isSome(grace) ? { grace_seconds: grace.value } : {}
      })
      yield* answer(
        settings,
        made,
        () =>
          `${made.key}\n${made.role} key ${made.id}; it is shown only once. The former one is accepted until ${instant(made.former.expires_at)}`
      )
    })
  )
