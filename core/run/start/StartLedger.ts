/**
 * The store of starts. It only grows: `RunStore.claim` appends a start in the transaction that starts the run.
 */
import { Array as Arr, Context, Effect, Option, Stream } from "effect"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import { Audit } from "../../workspace/audit/Audit.ts"
import type { WorkspaceId } from "../../workspace/Ids.ts"
import * as Start from "./Start.ts"

/** The place of a start among all, in the order of their instants. */
export type Place = Pick<Start.Start, "at" | "runId" | "attempt">

/** The starts of a workspace within `[from, to)`, after a place. */
export interface Range {
  readonly from: number
  readonly to: number
  readonly after: Place | null
  readonly limit: number
}

/** An event of a run that says why or when it started. */
export interface LoggedStart {
  readonly runId: string
  readonly at: number
  readonly event: "execution.start" | "execution.released"
}

export class StartLedger extends Context.Service<
  StartLedger,
  {
    /** The starts of a run, oldest first. */
    readonly ofRun: (
      workspaceId: WorkspaceId,
      runId: string
    ) => Effect.Effect<ReadonlyArray<Start.Start>, StoreUnavailable>

    /** A page of the starts of a workspace, oldest first. */
    readonly page: (
      workspaceId: WorkspaceId,
      range: Range
    ) => Effect.Effect<ReadonlyArray<Start.Start>, StoreUnavailable>

    /** All windows that the given workflows had. */
    readonly windows: (
      workflowIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Start.WindowRevision>, StoreUnavailable>

    /** The instants at which the log of events says that these runs were released and started. */
    readonly logged: (runIds: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<LoggedStart>, StoreUnavailable>

    /**
     * The runs of a workspace that first started within `[from, to)` and have no start here, at most `limit` of them. Those
     * whose starts were removed because their time is over are left out.
     */
    readonly missing: (
      workspaceId: WorkspaceId,
      range: Pick<Range, "from" | "to" | "limit">
    ) => Effect.Effect<ReadonlyArray<string>, StoreUnavailable>
  }
>()("sluice/core/run/start/StartLedger") {}

/** A start with everything that is wrong with it. */
export interface JudgedStart {
  readonly start: Start.Start
  readonly problems: ReadonlyArray<string>
}

/** Judges starts of one workspace by what is stored beside them. */
export const judge = Effect.fn("StartLedger.judge")(function* (
  workspaceId: WorkspaceId,
  starts: ReadonlyArray<Start.Start>
) {
  const evidence = yield* evidenceOf(workspaceId, starts)
  return starts.map((start): JudgedStart => ({ start, problems: Start.judge(start, evidence(start)) }))
})

/** What starts of one workspace are judged by. */
export const evidenceOf = Effect.fn("StartLedger.evidenceOf")(function* (
  workspaceId: WorkspaceId,
  starts: ReadonlyArray<Start.Start>
) {
  const [ledger, audit] = [yield* StartLedger, yield* Audit]
  const [workflowIds, runIds] = [
    [...new Set(starts.map(({ workflowId }) => workflowId))],
    [...new Set(starts.map(({ runId }) => runId))]
  ]
  const windows = workflowIds.length === 0 ? [] : yield* ledger.windows(workflowIds)
  const events = runIds.length === 0 ? [] : yield* ledger.logged(runIds)
  const windowsOf = Arr.groupBy(windows, ({ workflowId }) => workflowId)
  const eventsOf = Arr.groupBy(events, ({ runId }) => runId)
  const lifted = new Set(starts.flatMap(({ lift, workflowId }) => (lift === null ? [] : [workflowId])))
  const liftsOf = new Map<string, ReadonlyArray<number>>()
  for (const workflowId of lifted) {
    const filter = { actions: ["lift.start"], resourceId: workflowId, limit: mostLifts }
    const entries = yield* audit.list(workspaceId, filter)
    liftsOf.set(
      workflowId,
      entries.flatMap(({ after }) => {
        const since = typeof after === "object" && after !== null && "since" in after ? after.since : null
        return typeof since === "string" ? [Date.parse(since)] : []
      })
    )
  }
  const instantsOf = (runId: string, event: LoggedStart["event"]) =>
    (eventsOf[runId] ?? []).filter((one) => one.event === event).map(({ at }) => at)
  return ({ runId, workflowId }: Start.Start): Start.Evidence => ({
    windows: windowsOf[workflowId] ?? [],
    startedAt: instantsOf(runId, "execution.start"),
    releases: instantsOf(runId, "execution.released"),
    lifts: liftsOf.get(workflowId) ?? []
  })
})

/** The most lifts of one workflow that are looked at. */
const mostLifts = 10_000

/** The verdict on all starts of a time range. */
export interface Verdict {
  readonly starts: number
  readonly wrong: number
  /** The first of the wrong ones. */
  readonly examples: ReadonlyArray<JudgedStart>
  /** Runs that started and have no start in the ledger: the first of them. */
  readonly missing: ReadonlyArray<string>
}

const pageLength = 1_000
const mostExamples = 100

/** The starts of a workspace within `[from, to)`, oldest first, read a page at a time. */
export const all = (workspaceId: WorkspaceId, { from, to }: Pick<Range, "from" | "to">) =>
  Stream.paginate(null as Place | null, (after) =>
    Effect.gen(function* () {
      const page = yield* (yield* StartLedger).page(workspaceId, { from, to, after, limit: pageLength })
      const last = page.length < pageLength ? undefined : page.at(-1)
      return [[page], last === undefined ? Option.none() : Option.some<Place | null>(last)] as const
    })
  )

/** The first of the runs of a workspace that started within `[from, to)` and have no start in the ledger. */
export const firstMissing = (workspaceId: WorkspaceId, { from, to }: Pick<Range, "from" | "to">) =>
  Effect.flatMap(StartLedger, (ledger) => ledger.missing(workspaceId, { from, to, limit: mostExamples }))

/** Collects a verdict from judged starts, of which it keeps no more than the first wrong ones. */
export const collect = <E, R>(judged: Stream.Stream<JudgedStart, E, R>) =>
  Effect.gen(function* () {
    let [starts, wrong] = [0, 0]
    const examples: Array<JudgedStart> = []
    yield* Stream.runForEach(judged, (one) =>
      Effect.sync(() => {
        starts++
        if (one.problems.length === 0) return
        wrong++
        if (examples.length < mostExamples) examples.push(one)
      })
    )
    return { starts, wrong, examples } satisfies Omit<Verdict, "missing">
  })

/** Judges all starts of a workspace within `[from, to)`. */
export const judgeAll = Effect.fn("StartLedger.judgeAll")(function* (
  workspaceId: WorkspaceId,
  range: Pick<Range, "from" | "to">
) {
  const judged = Stream.mapEffect(all(workspaceId, range), (page) => judge(workspaceId, page))
  const counted = yield* collect(Stream.flattenIterable(judged))
  return { ...counted, missing: yield* firstMissing(workspaceId, range) } satisfies Verdict
})
