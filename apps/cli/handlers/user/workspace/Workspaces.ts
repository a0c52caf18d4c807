/**
 * What `sluice workspaces` does with the workspaces of a service.
 */
import { Effect } from "effect"
import { type ConnectionSettings, connected } from "../../../user/Connection.ts"
import { answer, type OutputSettings } from "../../../user/Output.ts"
import { cell, instant, table } from "../../../user/view/Table.ts"

type Settings = ConnectionSettings & OutputSettings

export const list = (settings: Settings) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const all = yield* client.workspaces.myWorkspaces()
      yield* answer(settings, all, () =>
        table(
          ["WORKSPACE", "NAME", "ROLE", "CREATED"],
          all.map(({ created_at, id, name, role }) => [id, cell(name, 60), role, instant(created_at)])
        )
      )
    })
  )

export const create = (settings: Settings & { readonly name: string }) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const made = yield* client.workspaces.createWorkspace({ payload: { name: settings.name } })
      yield* answer(
        settings,
        made,
        () => `${made.api_key.key}\nOwner key ${made.api_key.id} of workspace ${made.id}; it is shown only once`
      )
    })
  )
