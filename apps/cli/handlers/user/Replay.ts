/**
 * What `sluice replay` and `sluice workflow try` do. The browser runs on this machine, and has no network.
 */
import { existsSync } from "node:fs"
import { Clock, Effect, Option } from "effect"
import * as OfflineBrowser from "../../../../adapters/playwright/OfflineBrowser.ts"
import * as PlaywrightBrowser from "../../../../adapters/playwright/PlaywrightBrowser.ts"
import * as ReplayComparison from "../../../../core/execution/replay/ReplayComparison.ts"
import * as ReplayRecord from "../../../../core/execution/replay/ReplayRecord.ts"
import * as ReplayRun from "../../../../core/execution/replay/ReplayRun.ts"
import * as SaveBody from "../../../../core/workflow/SaveBody.ts"
import * as WorkflowSettings from "../../../../core/workflow/Settings.ts"
import type { Client } from "../../../api/Client.ts"
import { NoChromium } from "../../layers/Browsers.ts"
import { layerSandbox } from "../../layers/Sandbox.ts"
import { type ConnectionSettings, connected } from "../../user/Connection.ts"
import { type Refused, refused } from "../../user/Ending.ts"
import { answer, type OutputSettings, progress } from "../../user/Output.ts"
import * as ReplayView from "../../user/view/ReplayView.ts"
import { fileOf } from "./Workflows.ts"

interface Settings extends ConnectionSettings, OutputSettings {
  readonly chromium: Option.Option<string>
}

/** Runs a command with a browser for replays, which ends with it. */
const offline = <A, E, R>({ chromium }: Settings, command: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const path = PlaywrightBrowser.findExecutable(chromium, existsSync)
    const executablePath = yield* Effect.mapError(Effect.fromOption(path), () => new NoChromium())
    return yield* command.pipe(
      Effect.provide(OfflineBrowser.layer({ ...OfflineBrowser.defaults, executablePath })),
      Effect.provide(layerSandbox)
    )
  })

/** The replay record of a run; `null` for a run without one. */
const recordOf = Effect.fnUntraced(function* (client: Client, id: string) {
  const { replay_record_url } = yield* client.evidence.replayRecord({ params: { session_id: id } })
  if (replay_record_url === null) return null
  const text = yield* Effect.tryPromise({
    try: async () => {
      const answered = await fetch(replay_record_url)
      if (!answered.ok) throw new Error(`its address was answered with ${answered.status}`)
      return answered.text()
    },
    catch: (cause) =>
      refused(
        "failed",
        `Cannot fetch the replay record of run ${id}: ${cause instanceof Error ? cause.message : cause}`
      )
  })
  return yield* Effect.mapError(ReplayRecord.decode(text), () =>
    refused("failed", `The replay record of run ${id} has another format than ${ReplayRecord.format}`)
  )
})

/** The workflow of a file, as a replay executes it. */
const contentOf = Effect.fnUntraced(function* (
  path: string
): Effect.fn.Return<{ readonly id: unknown; readonly content: ReplayRun.ReplayedContent }, Refused> {
  const { fields } = yield* fileOf(path)
  const { edges, id, nodes, output_schema } = fields
  const { problems } = SaveBody.read(fields, yield* Clock.currentTimeMillis)
  if (problems.length > 0) {
    return yield* refused("wrong", `${path} does not contain a valid workflow: sluice workflow validate shows why`)
  }
  // A valid body is JSON, which the type of a file does not say.
  const content = { nodes, edges, output_schema: output_schema ?? {}, settings: { ...WorkflowSettings.stored(fields) } }
  return { id, content: content as ReplayRun.ReplayedContent }
})

/** A run, what came of its replay, and how that differs. */
const compared = Effect.fnUntraced(function* (record: ReplayRecord.ReplayRecord, content?: ReplayRun.ReplayedContent) {
  const replayed = yield* ReplayRun.replay(record, content)
  const difference = ReplayComparison.compare(record, replayed, content === undefined)
  return { record, replayed, difference } satisfies ReplayView.Compared
})

interface ReplaySettings extends Settings {
  readonly id: string
  readonly workflow: Option.Option<string>
}

export const replay = (settings: ReplaySettings) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const file = Option.isNone(settings.workflow) ? undefined : yield* contentOf(settings.workflow.value)
      const record = yield* recordOf(client, settings.id)
      if (record === null) {
        return yield* refused(
          "missing",
          `Run ${settings.id} has no replay record: set record on its workflow, so that later runs have one`
        )
      }
      const one = yield* offline(settings, compared(record, file?.content))
      yield* answer(settings, ReplayView.json(one), () => ReplayView.one(one))
      if (one.difference !== null) return yield* refused("failed", `Run ${settings.id} differs in its replay`)
    })
  )

interface TrySettings extends Settings {
  readonly file: string
  readonly runs: number
}

/** How many runs are looked through for each one that has a record. */
const lookedThrough = 10

/** The age of the oldest runs that are looked through, in milliseconds: a list goes back for a year at most. */
const longestAgo = 364 * 86_400_000

/** The replay records of the last runs of a workflow, newest first. */
const lastRecords = Effect.fnUntraced(function* (client: Client, workflow: string, runs: number) {
  const records: Array<ReplayRecord.ReplayRecord> = []
  const start_time = new Date((yield* Clock.currentTimeMillis) - longestAgo).toISOString()
  let cursor: string | undefined
  for (let seen = 0; records.length < runs && seen < runs * lookedThrough; ) {
    const [page, { headers }] = yield* client.runs.listRuns({
      query: { workflow_id: workflow, start_time, limit: "100", ...(cursor === undefined ? {} : { cursor }) },
      responseMode: "decoded-and-response"
    })
    for (const { session_id } of page.slice(0, runs * lookedThrough - seen)) {
      const record = records.length < runs ? yield* recordOf(client, session_id) : null
      if (record !== null) records.push(record)
    }
    seen += page.length
    cursor = headers["x-next-cursor"]
    if (cursor === undefined) break
  }
  return records
})

export const tryWorkflow = (settings: TrySettings) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const { content, id } = yield* contentOf(settings.file)
      if (typeof id !== "string") {
        return yield* refused("wrong", `${settings.file} has no id, so it has no runs: pull the workflow first`)
      }
      const records = yield* lastRecords(client, id, settings.runs)
      if (records.length === 0) {
        return yield* refused(
          "missing",
          `No run of workflow ${id} has a replay record: set record on it, so that later runs have one`
        )
      }
      const all = yield* offline(
        settings,
        Effect.forEach(records, (record, index) =>
          Effect.andThen(progress(settings, `${index + 1} of ${records.length}`), compared(record, content))
        )
      )
      const worse = all.filter(({ difference }) => difference !== null && ReplayComparison.isWorse(difference))
      yield* answer(settings, ReplayView.triedJson(all), () => ReplayView.tried(all))
      if (worse.length > 0) {
        return yield* refused("failed", `${settings.file} does worse in ${worse.length} of ${all.length} runs`)
      }
    })
  )
