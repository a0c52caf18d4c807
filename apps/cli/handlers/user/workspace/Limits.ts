/** What the commands of `sluice limits` do. */
import { Clock, Effect, Option } from "effect"
import { type ConnectionSettings, connected } from "../../../user/Connection.ts"
import { answer, type OutputSettings } from "../../../user/Output.ts"
import { cell, table } from "../../../user/view/Table.ts"

type Settings = ConnectionSettings & OutputSettings

interface OneSettings extends Settings {
  readonly id: string
}

interface Numbers {
  readonly running: Option.Option<number>
  readonly starts: Option.Option<number>
}

interface Fields extends Numbers {
  readonly workflow: ReadonlyArray<string>
  readonly credential: ReadonlyArray<string>
  readonly tag: ReadonlyArray<string>
}

const shown = (number: number | null): string => (number === null ? "any" : String(number))

export const list = (settings: Settings) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const all = yield* client.limits.listLimits()
      const now = yield* Clock.currentTimeMillis
      yield* answer(settings, all, () =>
        all.length === 0
          ? "No limits"
          : table(
              ["ID", "NAME", "RUNNING", "AT ONCE", "A MINUTE", "STATE"],
              all.map(({ id, max_running, max_starts_per_minute, name, override, pause, running }) => [
                id,
                cell(name, 40),
                String(running),
                shown(max_running),
                shown(max_starts_per_minute),
                pause !== null
                  ? "paused"
                  : override !== null && Date.parse(override.until) > now
                    ? `overridden until ${override.until}`
                    : ""
              ])
            )
      )
    })
  )

const given = ({ credential, running, starts, tag, workflow }: Fields) => ({
  ...(Option.isSome(running) ? { max_running: running.value } : {}),
  ...(Option.isSome(starts) ? { max_starts_per_minute: starts.value } : {}),
  ...(workflow.length === 0 ? {} : { workflow_ids: workflow }),
  ...(credential.length === 0 ? {} : { credential_ids: credential }),
  ...(tag.length === 0 ? {} : { tags: tag })
})

export const create = (settings: Settings & Fields & { readonly name: string }) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const made = yield* client.limits.createLimit({ payload: { name: settings.name, ...given(settings) } })
      yield* answer(settings, made, () => `Created limit ${made.id}`)
    })
  )

export const change = (settings: OneSettings & Fields) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const changed = yield* client.limits.changeLimit({ params: { limit_id: settings.id }, payload: given(settings) })
      yield* answer(settings, changed, () => `Changed limit ${changed.id}`)
    })
  )

export const remove = (settings: OneSettings) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const removed = yield* client.limits.removeLimit({ params: { limit_id: settings.id } })
      yield* answer(settings, removed, () => `Deleted limit ${removed.id}`)
    })
  )

export const pause = (settings: OneSettings & { readonly reason: Option.Option<string> }) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const { id, reason } = settings
      const payload = Option.isSome(reason) ? { reason: reason.value } : {}
      const paused = yield* client.limits.pauseLimit({ params: { limit_id: id }, payload })
      yield* answer(settings, paused, () => `Paused limit ${paused.id}: runs that draw on it wait until it is resumed`)
    })
  )

export const resume = (settings: OneSettings) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const resumed = yield* client.limits.resumeLimit({ params: { limit_id: settings.id } })
      yield* answer(settings, resumed, () => `Resumed limit ${resumed.id}`)
    })
  )

export const override = (settings: OneSettings & Numbers & { readonly until: Option.Option<string> }) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const { id, running, starts, until } = settings
      const params = { limit_id: id }
      const changed = Option.isNone(until)
        ? yield* client.limits.endLimitOverride({ params })
        : yield* client.limits.overrideLimit({
            params,
            payload: {
              max_running: Option.getOrNull(running),
              max_starts_per_minute: Option.getOrNull(starts),
              until: until.value
            }
          })
      yield* answer(settings, changed, () =>
        Option.isNone(until) ? `Ended the override of limit ${id}` : `Overrode limit ${id} until ${until.value}`
      )
    })
  )
