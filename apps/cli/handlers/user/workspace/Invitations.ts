/**
 * What `sluice keys` does with the invitations of a workspace, at a service.
 */
import { Effect, Option } from "effect"
import type { Role, Scope } from "../../../../../core/workspace/Workspace.ts"
import { type ConnectionSettings, connected } from "../../../user/Connection.ts"
import { answer, type OutputSettings } from "../../../user/Output.ts"
import { cell, instant, table } from "../../../user/view/Table.ts"

type Settings = ConnectionSettings & OutputSettings

interface NewInvitation extends Settings {
  readonly name: Option.Option<string>
  readonly role: Role
  readonly scope: ReadonlyArray<Scope>
  readonly expiresIn: Option.Option<number>
}

export const invite = (settings: NewInvitation) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const { expiresIn, name, role, scope } = settings
      const made = yield* client.invitations.createInvitation({
        payload: {
          role,
          ...(Option.isSome(name) ? { name: name.value } : {}),
          ...(scope.length === 0 ? {} : { scopes: scope }),
          ...(Option.isSome(expiresIn) ? { expires_in_seconds: expiresIn.value } : {})
        }
      })
      yield* answer(
        settings,
        made,
        () =>
          `${made.token}\nInvitation ${made.id} for the role ${made.role}, until ${instant(made.expires_at)}; the token is shown only once. It is accepted with sluice login, in place of a key, or with POST /invitations/accept`
      )
    })
  )

export const list = (settings: Settings) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const all = yield* client.invitations.listInvitations()
      yield* answer(settings, all, () =>
        table(
          ["INVITATION", "NAME", "ROLE", "SCOPES", "CREATED", "UNTIL", "STATE", "KEY"],
          all.map((one) => [
            one.id,
            cell(one.name ?? "", 40),
            one.role,
            one.scopes?.join(",") ?? "",
            instant(one.created_at),
            instant(one.expires_at),
            one.state,
            one.api_key_id ?? ""
          ])
        )
      )
    })
  )

export const revoke = (settings: Settings & { readonly id: string }) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const revoked = yield* client.invitations.revokeInvitation({ params: { invitation_id: settings.id } })
      yield* answer(settings, revoked, () => `Revoked invitation ${revoked.id}`)
    })
  )
