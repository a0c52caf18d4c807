/**
 * What `sluice verify` does: judges the starts of a run, or of a time range, by what is stored beside them.
 */
import { Clock, Console, Effect, Option, Schema } from "effect"
import { reasonOf, type Start } from "../../../../core/run/start/Start.ts"
import { type Judged, judge, judgeAll, StartLedger } from "../../../../core/run/start/StartLedger.ts"
import { RunId, RunNotFound } from "../../../../core/workspace/Ids.ts"
import { parseInstant } from "../../../api/gate/GatesHttp.ts"
import { layerStorage, type StorageSettings } from "../../layers/Storage.ts"
import { chosen, type OfWorkspace } from "../ChosenWorkspace.ts"

export interface VerifySettings extends StorageSettings, OfWorkspace {
  readonly run: Option.Option<string>
  readonly from: Option.Option<string>
  readonly to: Option.Option<string>
}

/** Raised when something does not hold; the lines before say what. */
export class DoesNotHold extends Schema.TaggedError<DoesNotHold>()("DoesNotHold", { count: Schema.Int }) {
  override get message() {
    return `${this.count} of the checked starts are not valid`
  }
}

/** Raised for a command that names neither a run nor a time range, or an instant that cannot be read. */
export class NothingToVerify extends Schema.TaggedError<NothingToVerify>()("NothingToVerify", {
  reason: Schema.String
}) {
  override get message() {
    return this.reason
  }
}

export const verify = Effect.fnUntraced(function* (settings: VerifySettings) {
  yield* verifyStored(settings).pipe(Effect.provide(layerStorage(settings)))
})

/** The command on stores that are open. */
export const verifyStored = Effect.fnUntraced(function* ({
  from,
  run,
  to,
  workspace
}: Omit<VerifySettings, keyof StorageSettings>) {
  const { id } = yield* chosen(workspace)
  if (Option.isSome(run)) return yield* ofRun(id, run.value)
  if (Option.isNone(from)) {
    return yield* new NothingToVerify({
      reason: "Expected the session_id of a run, or a time range in --from and --to"
    })
  }
  const range = {
    from: yield* instant("--from", from.value),
    to: Option.isSome(to) ? yield* instant("--to", to.value) : yield* Clock.currentTimeMillis
  }
  const { examples, missing, starts, wrong } = yield* judgeAll(id, range)
  for (const one of examples) yield* Console.log(wrongLine(one))
  for (const runId of missing) yield* Console.log(`${runId}  has started, and has no start in the ledger`)
  const absent = missing.length === 0 ? "" : `; ${missing.length} or more runs have started without an entry`
  yield* Console.log(`Of ${starts} starts ${wrong} outside their window, or not as recorded${absent}`)
  if (wrong + missing.length > 0) return yield* new DoesNotHold({ count: wrong + missing.length })
})

const ofRun = Effect.fnUntraced(function* (workspaceId: Parameters<typeof judge>[0], runId: string) {
  const ledger = yield* StartLedger
  const starts = Schema.is(RunId)(runId) ? yield* ledger.ofRun(workspaceId, runId.toLowerCase()) : []
  if (starts.length === 0) return yield* new RunNotFound({ sessionId: runId })
  const judged = yield* judge(workspaceId, starts)
  for (const one of judged) yield* Console.log(one.problems.length === 0 ? rightLine(one.start) : wrongLine(one))
  const wrong = judged.filter(({ problems }) => problems.length > 0).length
  if (wrong > 0) return yield* new DoesNotHold({ count: wrong })
})

const instant = (flag: string, text: string) => {
  const at = parseInstant(text)
  return at === null
    ? Effect.fail(
        new NothingToVerify({ reason: `${flag}: Expected an instant such as 2026-10-01T00:00:00Z, got "${text}"` })
      )
    : Effect.succeed(at)
}

const place = ({ at, attempt, runId }: Start): string => `${runId}  attempt ${attempt}  ${new Date(at).toISOString()}`

const rightLine = (start: Start): string =>
  `${place(start)}  holds: ${because[reasonOf(start)]} (run window revision ${start.windowRevision}, time zone data ${start.zoneData})`

const wrongLine = ({ problems, start }: Judged): string => `${place(start)}  does not hold: ${problems.join("; ")}`

const because = {
  no_run_window: "the workflow had no run window",
  run_window_open: "the run window was open",
  lift: "a lift was in force",
  release: "a user released the run"
}
