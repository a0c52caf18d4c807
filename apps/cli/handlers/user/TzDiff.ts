/**
 * What `sluice window tz-diff` does: records the openings of a service's workflows, and compares a record with the time
 * zone data of this machine.
 */
import { writeFileSync } from "node:fs"
import { Clock, Effect, Option, Schema } from "effect"
import * as Zone from "../../../../core/window/calendar/Zone.ts"
import * as TzDiff from "../../../../core/window/exchange/TzDiff.ts"
import * as RunWindow from "../../../../core/window/RunWindow.ts"
import { type ConnectionSettings, connected } from "../../user/Connection.ts"
import { refused } from "../../user/Ending.ts"
import { jsonFile } from "../../user/Input.ts"
import { answer, type OutputSettings } from "../../user/Output.ts"
import { cell, table } from "../../user/view/Table.ts"

interface Settings extends ConnectionSettings, OutputSettings {
  readonly file: string
  readonly save: boolean
}

const version = Zone.dataVersion ?? "unknown"

/** Records the openings of every workflow that has a window. */
const save = (settings: Settings) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const all = yield* client.workflows.list({ query: {} })
      const windowed = yield* Effect.forEach(
        all,
        ({ id, name }) =>
          Effect.map(client.runWindows.getRunWindow({ params: { workflow_id: id } }), ({ run_window }) =>
            run_window === null ? [] : [{ id, name, run_window: RunWindow.stored(run_window) }]
          ),
        { concurrency: 4 }
      )
      const made = TzDiff.record(windowed.flat(), version, yield* Clock.currentTimeMillis)
      yield* Effect.try({
        try: () => writeFileSync(settings.file, `${JSON.stringify(made)}\n`),
        catch: (cause) => refused("failed", `Cannot write the file ${settings.file}: ${String(cause)}`)
      })
      yield* answer(
        settings,
        { tz_data: version, workflows: made.workflows.length },
        () =>
          `Wrote the openings of ${made.workflows.length} workflows with the time zone data ${version} to ${settings.file}`
      )
    })
  )

/** Compares a record with the data of this machine, and fails when a workflow opens at other times. */
const compare = Effect.fnUntraced(function* (settings: Settings) {
  const value = yield* jsonFile(settings.file)
  const read = Schema.decodeUnknownOption(TzDiff.OpeningsRecord)(value)
  if (Option.isNone(read)) {
    return yield* refused("wrong", `${settings.file}: expected a file that sluice window tz-diff --save has written`)
  }
  const { tz_data, workflows } = read.value
  const found = TzDiff.differences(read.value)
  const rows = found.map(({ at, id, name, open, time_zone }) => [
    id,
    cell(name, 40),
    time_zone,
    new Date(at).toISOString(),
    open ? "open" : "closed"
  ])
  const versions = `the time zone data ${tz_data} and ${version}`
  yield* answer(settings, { tz_data: [tz_data, version], differences: found }, () =>
    found.length === 0
      ? `${workflows.length} workflows open at the same times with ${versions}`
      : table(["WORKFLOW", "NAME", "ZONE", "FIRST AT", `WITH ${version}`], rows)
  )
  if (found.length > 0)
    return yield* refused("failed", `${found.length} workflows open at other times with ${versions}`)
})

export const tzDiff = (settings: Settings) => (settings.save ? save(settings) : compare(settings))
