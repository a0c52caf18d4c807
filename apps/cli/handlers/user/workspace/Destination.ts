/** What the commands of `sluice destination` do. */
import { Effect, Option, Redacted } from "effect"
import { type DestinationType, type OnConflict, urlProblem } from "../../../../../core/run/delivery/FileDestination.ts"
import { type ConnectionSettings, connected } from "../../../user/Connection.ts"
import { refused } from "../../../user/Ending.ts"
import { answer, type OutputSettings } from "../../../user/Output.ts"
import * as Secrets from "../../../user/Secrets.ts"
import { cell, table } from "../../../user/view/Table.ts"

type Settings = ConnectionSettings & OutputSettings

export const list = (settings: Settings) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const all = yield* client.fileDestinations.listDestinations()
      yield* answer(settings, all, () =>
        all.length === 0
          ? "No file destinations"
          : table(
              ["ID", "NAME", "TYPE", "ADDRESS", "ACCESS"],
              all.map(({ has_access, id, name, type, url }) => [
                id,
                cell(name, 40),
                type,
                cell(url, 60),
                has_access ? "sealed" : "none"
              ])
            )
      )
    })
  )

interface CreateSettings extends Settings {
  readonly name: string
  readonly address: string
  readonly type: DestinationType
  readonly onConflict: OnConflict
  readonly username: Option.Option<string>
  readonly passwordFrom: Option.Option<string>
  readonly privateKeyFrom: Option.Option<string>
  readonly hostKey: Option.Option<string>
  readonly region: Option.Option<string>
  readonly tokenFrom: Option.Option<string>
}

const secretFrom = (variable: Option.Option<string>) =>
  Option.isNone(variable)
    ? Effect.succeed(undefined)
    : Effect.map(Secrets.fromVariable(variable.value), (value) => Redacted.value(value))

export const create = (settings: CreateSettings) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const problem = urlProblem(settings.address.trim())
      if (problem !== undefined) {
        return yield* refused("wrong", `ADDRESS: ${problem}, got "${cell(settings.address, 80)}"`)
      }
      const password = yield* secretFrom(settings.passwordFrom)
      const privateKey = yield* secretFrom(settings.privateKeyFrom)
      const token = yield* secretFrom(settings.tokenFrom)
      const access = {
        ...(Option.isSome(settings.username) ? { username: settings.username.value } : {}),
        ...(password === undefined ? {} : { password }),
        ...(privateKey === undefined ? {} : { private_key: privateKey }),
        ...(token === undefined ? {} : { token }),
        ...(Option.isSome(settings.region) ? { region: settings.region.value } : {})
      }
      const { address, name, onConflict, type } = settings
      const made = yield* client.fileDestinations.createDestination({
        payload: {
          name,
          type,
          url: address,
          on_conflict: onConflict,
          ...(Option.isSome(settings.hostKey) ? { host_key: settings.hostKey.value } : {}),
          ...(Object.keys(access).length === 0 ? {} : { access })
        }
      })
      yield* answer(settings, made, () => `Created file destination ${made.id}`)
    })
  )

interface OneSettings extends Settings {
  readonly id: string
}

export const remove = (settings: OneSettings) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const removed = yield* client.fileDestinations.removeDestination({ params: { destination_id: settings.id } })
      yield* answer(settings, removed, () => `Deleted file destination ${removed.id}`)
    })
  )

interface DeliveriesSettings extends Settings {
  readonly run: Option.Option<string>
  readonly failed: boolean
}

export const deliveries = (settings: DeliveriesSettings) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const page = yield* client.fileDestinations.listFileDeliveries({
        query: {
          // The service checks the id of a run.
          ...(Option.isSome(settings.run) ? { session_id: settings.run.value as never } : {}),
          ...(settings.failed ? { status: "failed" as const } : {})
        }
      })
      yield* answer(settings, page, () =>
        page.deliveries.length === 0
          ? "No deliveries of files"
          : table(
              ["ID", "STATUS", "TO", "PATH", "LAST ERROR"],
              page.deliveries.map(({ delivery_errors, destination, id, path, status }) => [
                id,
                status,
                cell(destination, 30),
                cell(path, 60),
                status === "delivered" ? "" : cell(delivery_errors.at(-1) ?? "", 80)
              ])
            )
      )
    })
  )

export const retry = (settings: OneSettings) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const again = yield* client.fileDestinations.retryFileDelivery({ params: { file_delivery_id: settings.id } })
      yield* answer(settings, again, () => `File delivery ${again.id} is ${again.status}`)
    })
  )
