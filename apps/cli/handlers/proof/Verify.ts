/**
 * The handler of `sluice verify`: verifies the starts of a run, or of a time range, by their stored evidence, from the
 * stores of an installation or from a service. The verification runs in this process.
 */
import { Clock, Console, Effect, Option, Schema, Stream } from "effect"
import { reasonOf, type Start } from "../../../../core/run/start/Start.ts"
import {
  collect,
  type JudgedStart,
  judge,
  judgeAll,
  StartLedger,
  type Verdict
} from "../../../../core/run/start/StartLedger.ts"
import { RunId, RunNotFound } from "../../../../core/workspace/Ids.ts"
import type { KeptStart } from "../../../api/bundle/Bundle.ts"
import { parseInstant } from "../../../api/http/body/Query.ts"
import { layerStorage, type StorageSettings } from "../../layers/Storage.ts"
import { type ConnectionSettings, connected } from "../../user/Connection.ts"
import { refused } from "../../user/Ending.ts"
import type { OutputSettings } from "../../user/Output.ts"
import { serviceOf } from "../../user/Place.ts"
import { cell } from "../../user/view/Table.ts"
import { chosen, type OfWorkspace } from "../ChosenWorkspace.ts"
import { judged } from "./BundleCheck.ts"

interface Asked extends OutputSettings {
  readonly run: Option.Option<string>
  readonly from: Option.Option<string>
  readonly to: Option.Option<string>
}

export type VerifySettings = StorageSettings & OfWorkspace & ConnectionSettings & Asked

/** Raised if a start is invalid. The printed lines give the details. */
export class DoesNotHold extends Schema.TaggedError<DoesNotHold>()("DoesNotHold", { count: Schema.Int }) {
  override get message() {
    return `${this.count} of the checked starts are not valid`
  }
}

export const verify = Effect.fnUntraced(function* (settings: VerifySettings) {
  const service = yield* serviceOf(settings)
  if (service !== null) return yield* verifyAtService(service)
  yield* verifyStored(settings).pipe(Effect.provide(layerStorage(settings)))
})

/** The command over HTTP, also while the service uses its embedded database. */
const verifyAtService = Effect.fnUntraced(function* (settings: ConnectionSettings & Asked) {
  const { run } = settings
  const range = Option.isSome(run) ? null : yield* rangeOf(settings)
  const missing: Array<string> = []
  const right: Array<Start> = []
  const verdict = yield* connected(settings, (client) => {
    const query =
      range === null
        ? { session_id: Option.getOrElse(run, () => "") }
        : { start_time: new Date(range.from).toISOString(), end_time: new Date(range.to).toISOString() }
    const lines = Stream.unwrap(client.bundles.exportStarts({ query })).pipe(
      Stream.decodeText(),
      Stream.splitLines,
      Stream.filter((line) => line !== "")
    )
    return collect(
      Stream.flatMap(lines, (line) => {
        // The service streams entries in the format that this program reads.
        const read = JSON.parse(line) as KeptStart | { readonly missing: ReadonlyArray<string> }
        if ("missing" in read) {
          missing.push(...read.missing)
          return Stream.empty
        }
        const judgedStart = judged(read)
        if (Option.isSome(run) && judgedStart.problems.length === 0) right.push(judgedStart.start)
        return Stream.make(judgedStart)
      })
    )
  })
  if (range !== null) return yield* conclude(settings, { ...verdict, missing })
  const lines = [...right.map(rightLine), ...verdict.examples.map(wrongLine)]
  yield* print(settings, { ...verdict, missing }, lines.length === 0 ? ["It has not started"] : lines)
  if (verdict.wrong > 0) return yield* new DoesNotHold({ count: verdict.wrong })
})

/** The command on stores that are open. */
export const verifyStored = Effect.fnUntraced(function* (settings: OfWorkspace & Asked) {
  const { id } = yield* chosen(settings.workspace)
  if (Option.isSome(settings.run)) return yield* ofRun(settings, id, settings.run.value)
  yield* conclude(settings, yield* judgeAll(id, yield* rangeOf(settings)))
})

const rangeOf = Effect.fnUntraced(function* ({ from, to }: Asked) {
  if (Option.isNone(from)) {
    return yield* refused("wrong", "Expected the session_id of a run, or a time range in --from and --to")
  }
  return {
    from: yield* instant("--from", from.value),
    to: Option.isSome(to) ? yield* instant("--to", to.value) : yield* Clock.currentTimeMillis
  }
})

/** Prints a verdict: as lines, or as one JSON value with the invalid starts. */
const print = ({ json }: OutputSettings, verdict: Verdict, lines: ReadonlyArray<string>) => {
  if (!json) return Effect.forEach(lines, (line) => Console.log(cell(line)), { discard: true })
  const { examples, missing, starts, wrong } = verdict
  const problems = examples.map(({ problems, start: { at, attempt, runId } }) => ({
    session_id: runId,
    attempt,
    at: new Date(at).toISOString(),
    problems
  }))
  return Console.log(JSON.stringify({ starts, wrong, missing, problems }, null, 2))
}

/** Prints the verdict on a time range, and fails if any start is invalid. */
const conclude = Effect.fnUntraced(function* (settings: OutputSettings, verdict: Verdict) {
  const { examples, missing, starts, wrong } = verdict
  const absent = missing.length === 0 ? "" : `; ${missing.length} or more runs have started without an entry`
  yield* print(settings, verdict, [
    ...examples.map(wrongLine),
    ...missing.map((runId) => `${runId}  has started, and has no start in the ledger`),
    `Of ${starts} starts ${wrong} outside their window, or not as recorded${absent}`
  ])
  if (wrong + missing.length > 0) return yield* new DoesNotHold({ count: wrong + missing.length })
})

const ofRun = Effect.fnUntraced(function* (
  settings: OutputSettings,
  workspaceId: Parameters<typeof judge>[0],
  runId: string
) {
  const ledger = yield* StartLedger
  const starts = Schema.is(RunId)(runId) ? yield* ledger.ofRun(workspaceId, runId.toLowerCase()) : []
  if (starts.length === 0) return yield* new RunNotFound({ sessionId: runId })
  const judged = yield* judge(workspaceId, starts)
  const examples = judged.filter(({ problems }) => problems.length > 0)
  yield* print(
    settings,
    { starts: judged.length, wrong: examples.length, examples, missing: [] },
    judged.map((judgedStart) =>
      judgedStart.problems.length === 0 ? rightLine(judgedStart.start) : wrongLine(judgedStart)
    )
  )
  if (examples.length > 0) return yield* new DoesNotHold({ count: examples.length })
})

const instant = (flag: string, text: string) => {
  const at = parseInstant(text)
  return at === null
    ? Effect.fail(refused("wrong", `${flag}: Expected an instant such as 2026-10-01T00:00:00Z, got "${text}"`))
    : Effect.succeed(at)
}

const place = ({ at, attempt, runId }: Start): string => `${runId}  attempt ${attempt}  ${new Date(at).toISOString()}`

const rightLine = (start: Start): string =>
  `${place(start)}  holds: ${because[reasonOf(start)]} (run window revision ${start.windowRevision}, time zone data ${start.zoneData})`

const wrongLine = ({ problems, start }: JudgedStart): string => `${place(start)}  does not hold: ${problems.join("; ")}`

const because = {
  no_run_window: "the workflow had no run window",
  run_window_open: "the run window was open",
  lift: "a lift was in force",
  release: "a user released the run"
}
