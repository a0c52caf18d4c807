/**
 * Claims runs for a worker.
 *
 * A claim chooses gates that have waiting runs and let them start, takes share locks on them, and only then reads the
 * clock and checks that they still do. Until it commits, no chosen gate can change; an edit that committed first is seen.
 * It reads only open gates with runs that may start by time, so held and postponed runs cost nothing.
 *
 * Locks are taken in one order, so that no two claims wait for each other: gates, paces, limits, entries of the vault, runs. Runs
 * that others have locked are skipped.
 *
 * The paces of the gates are locked before the clock is read, so that claims together never start more runs than a pace
 * allows. A claim without a paced gate skips this step.
 *
 * A closed gate is chosen too if runs of it were released despite its holds: in its turn like any other, and for these
 * runs only.
 */

import { Clock, Effect, Result, Semaphore } from "effect"
import type { SqlClient } from "effect/sql"
import * as Gate from "../../../core/gate/Gate.ts"
import * as Pace from "../../../core/gate/Pace.ts"
import * as Run from "../../../core/run/Run.ts"
import type { ClaimedRun } from "../../../core/run/RunStore.ts"
import * as Start from "../../../core/run/start/Start.ts"
import * as Transition from "../../../core/run/Transition.ts"
import { none, type Turns } from "../../../core/runtime/Shares.ts"
import { StoreUnavailable } from "../../../core/runtime/StoreUnavailable.ts"
import type { WorkflowVersion } from "../../../core/workflow/Workflow.ts"
import * as ZoneVersion from "../gate/ZoneVersion.ts"
import { sha256 } from "../Hash.ts"
import type * as Pipeline from "../Pipeline.ts"
import { withoutSqlErrors } from "../Transaction.ts"
import * as Gates from "../tables/Gates.ts"
import * as Runs from "../tables/Runs.ts"
import * as Workflows from "../tables/Workflows.ts"
import * as Writing from "../Writing.ts"
import * as Contents from "../workflow/Contents.ts"
import type { HeldRuns } from "./HeldRuns.ts"
import * as PgCandidates from "./PgCandidates.ts"
import * as PgLimits from "./PgLimits.ts"
import * as PgPaces from "./PgPaces.ts"
import type * as PgQueues from "./PgQueues.ts"
import * as PgSlots from "./PgSlots.ts"
import * as PgTurns from "./PgTurns.ts"
import * as ReleasedRuns from "./ReleasedRuns.ts"

/** The state that a process keeps from one claim to the next. */
export interface Memory extends PgTurns.Past {
  /** The positions at which reads of many queues ended. */
  readonly places: PgQueues.Places
  readonly versions: Contents.SizedCache<WorkflowVersion>
}

/** Keeps versions with at most some 16 million characters of content. */
export const memory = (): Memory => ({
  places: new Map(),
  turns: new Map(),
  versions: Contents.keeping(16_000_000),
  writing: Semaphore.makeUnsafe(1)
})

interface Options {
  readonly worker: string
  readonly limit: number
  readonly leaseMillis: number
  readonly turns?: Turns
  readonly memory: Memory
  readonly held: HeldRuns
  readonly transact: Pipeline.Transact
}

/**
 * The time zone data that decide whether a window is open: the newer of those that its interval was computed with and
 * those of this process. A process with older data follows the stored interval. One with newer data evaluates the window
 * itself until a scheduler has computed the interval again.
 */
const judgedBy = ({ zone_data }: PgCandidates.LockedGate, own: string | null): "interval" | "process" =>
  ZoneVersion.isNewer(zone_data, own) ? "interval" : "process"

/** Whether the window of a gate is closed by newer time zone data of this process than its interval follows from. */
const windowHolds = (gate: PgCandidates.LockedGate, own: string | null, now: number): boolean =>
  ZoneVersion.isNewer(own, gate.zone_data) && !Gate.mayStart(Gates.toGate(gate), now)

/**
 * Claims runs. `PgTurns.settle` writes the order of turns, at the latest before the next claim, so that the claimed runs do
 * not wait for that.
 *
 * Gates without a startable run, for example because their runs were interrupted or wait for credentials, must not hide
 * others: while a round had as many candidates as requested and too few runs, the claim continues with further gates.
 * It also continues if another process took the runs that it had chosen.
 */
export const claim = (
  sql: SqlClient.SqlClient,
  options: Options
): Effect.Effect<ReadonlyArray<ClaimedRun>, StoreUnavailable> =>
  Effect.gen(function* () {
    const all: Array<ClaimedRun> = []
    for (let round = 0; round < maxRounds; round++) {
      yield* PgTurns.settle(sql, options.memory)
      const wanted = options.limit - all.length
      const asked = Math.max(wanted, Math.min(2 ** round, mostCandidates))
      const taken = yield* Effect.result(
        options.transact((steps) => take(steps, { ...options, limit: wanted, candidates: asked }))
      )
      // Runs that an earlier round has claimed are returned even if the database has become unreachable since.
      if (Result.isFailure(taken)) return all.length > 0 ? all : yield* taken.failure
      const { claimed, isLate, isMore, seen, spent, turns } = taken.success
      all.push(...claimed)
      for (const { run } of claimed) {
        const version = seen.get(run.id)
        if (version !== undefined) options.held.keep({ run, seen: version })
      }
      // Immediately, because the scheduler reads the instant of the next start there.
      if (spent.length > 0) yield* Effect.ignore(withoutSqlErrors(PgPaces.note(sql, spent)))
      for (const [workflowId, turn] of turns) options.memory.turns.set(workflowId, turn)
      // Once, as a busy server may be late each time.
      if (isLate && round === 0) continue
      if (all.length === options.limit || !isMore) break
    }
    return all
  })

/** The maximum number of rounds, in case the first gates stay locked by others. */
const maxRounds = 50
const mostCandidates = 256

/**
 * A claim that finds no gate after this time, in milliseconds, looks again: one that opened or was edited since the clock
 * was read is not found.
 */
const lateMillis = 10

const nothing = {
  claimed: [],
  isMore: false,
  isLate: false,
  turns: new Map<string, PgTurns.Turn>(),
  spent: [],
  seen: new Map<string, string>()
}

const take = (
  { first, last, sql }: Pipeline.Steps,
  {
    candidates: asked,
    leaseMillis,
    limit,
    memory,
    turns: ofWorkspaces = none,
    worker
  }: Options & { readonly candidates: number }
) =>
  Effect.gen(function* () {
    const before = yield* Clock.currentTimeMillis
    const { found, locked, within } = PgCandidates.read(
      yield* first(PgCandidates.lock(sql, before, { asked, limit, turns: ofWorkspaces }))
    )
    if (locked.length === 0) return { ...nothing, isLate: (yield* Clock.currentTimeMillis) > before + lateMillis }
    const paces = yield* PgPaces.lock(
      sql,
      locked.map((gate) => ({ workflowId: gate.workflow_id, pace: Gates.paceOf(gate) }))
    )
    // The locked runs may start as of the first instant, so it is not earlier.
    const now = Math.max(before, yield* Clock.currentTimeMillis)
    const zoneData = yield* ZoneVersion.ZoneVersion
    const open = locked
      .flatMap((gate): ReadonlyArray<PgCandidates.OpenGate> => {
        const among = ReleasedRuns.among(gate, now, windowHolds(gate, zoneData, now))
        return among === null ? [] : [{ ...gate, among }]
      })
      .sort((a, b) => a.turn - b.turn)
    const allowed = new Map([...paces].map(([id, paced]) => [id, Pace.allowance(paced.pace, paced, now)]))
    const { ahead, credentials, isOutrun, limits, looked, rows } = yield* PgCandidates.choose(sql, open, {
      limit,
      now,
      places: memory.places,
      allowed,
      found: found.filter((row) => !PgCandidates.isTooLate(row, now))
    })
    const spentAfter = (starts: ReadonlyMap<string, number>) =>
      open.flatMap(({ revision, workflow_id }): ReadonlyArray<PgPaces.SpentPace> => {
        const paced = paces.get(workflow_id)
        const until = paced === undefined ? null : PgPaces.spentUntil(paced, starts.get(workflow_id) ?? 0, now)
        return until === null ? [] : [{ workflowId: workflow_id, revision, until }]
      })
    const isMore = locked.length === asked || isOutrun
    // Gates that were not examined, or had the smaller share, come first next time. With equal shares nothing is written.
    const isUneven = locked.length === asked || [...looked.values()].some(({ held }) => held !== null)
    const turns = new Map([...looked].filter(([id, { isEmpty }]) => isEmpty || ahead.has(id) || isUneven))
    if (rows.length === 0) {
      // Runs that were submitted while the statement waited for the lock of a gate are not in what it read.
      const isLate = locked.some(({ wanted }) => wanted !== null)
      return { ...nothing, isMore, isLate, turns, spent: spentAfter(new Map()) }
    }

    const gates = new Map(open.map((gate) => [gate.workflow_id, gate]))
    const fences = rows.map(({ fence }) => Number(fence)).sort((a, b) => a - b)
    const changes = rows.flatMap((row, index) => {
      const run = Runs.toRun(row)
      const gate = gates.get(run.workflowId)
      const fence = fences[index]
      if (gate === undefined || fence === undefined) throw new Error(`Claimed run ${run.id} without its gate or fence`)
      const lease = { worker, fence, until: now + leaseMillis }
      const change = Run.isWaiting(run)
        ? Transition.claim(run, judged(gate, zoneData), lease, now, credentials.get(run.id))
        : null
      return change === null ? [] : { ...change, before: run, start: startOf(change.run, gate, zoneData, now) }
    })
    if (changes.length < rows.length) {
      yield* Effect.logError("Some runs stay waiting: the database says that they may start, and their gate does not")
    }
    // Before the starts are written, as they are the last statement of most claims.
    const versions = yield* versionsOf(sql, memory, new Set(rows.map((row) => row.version_id)))
    const starts = new Map<string, number>()
    for (const { run } of changes) starts.set(run.workflowId, (starts.get(run.workflowId) ?? 0) + 1)
    const spent = spentAfter(starts)
    const pacedUntil = new Map(spent.map(({ until, workflowId }) => [workflowId, until]))
    yield* PgPaces.take(sql, paces, starts, now)
    yield* PgLimits.take(sql, limits)
    for (const { run } of changes) {
      if (run.credentials.length > 0) yield* PgSlots.serve(sql, run.credentials, BigInt(run.lease.fence))
    }
    const written = changes.map((change) => Writing.writtenOf(change, now, null))
    const seen = yield* last(Writing.write(sql, written, within))
    if (seen.size < changes.length) {
      return yield* new StoreUnavailable({
        reason: "the connection of a claim was replaced before its starts were written"
      })
    }
    return {
      claimed: changes.map(({ run }): ClaimedRun => {
        const version = versions.get(run.versionId)
        // Undone with its transaction: the run is not dropped, and the log says why it cannot start.
        if (version === undefined) throw new Error(`Run ${run.id} has version ${run.versionId}, which is not there`)
        const opened = gates.get(run.workflowId)?.starts_at?.getTime() ?? 0
        const until = pacedUntil.get(run.workflowId)
        return {
          run,
          version,
          startableSince: Math.max(run.createdAt, run.notBefore, opened, pacedSince(paces.get(run.workflowId), now)),
          ...(until === undefined ? {} : { pacedUntil: until })
        }
      }),
      isMore,
      isLate: false,
      turns,
      spent,
      seen
    }
  })

/** The instant since which a pace has allowed the next start. */
const pacedSince = (paced: PgPaces.Paced | undefined, now: number): number =>
  paced === undefined || paced.pace.maxStartsPerMinute === null
    ? 0
    : Math.min(now, paced.takenUntil - Pace.toleranceMillis)

/** Why a run of a locked gate starts. */
const startOf = (run: Run.RunningRun, gate: PgCandidates.OpenGate, own: string | null, at: number): Start.Start =>
  Start.of(run, Gates.toGate(gate), {
    at,
    windowHash: gate.run_window === null ? null : sha256(gate.run_window),
    zoneData: (judgedBy(gate, own) === "interval" ? gate.zone_data : own) ?? "unknown",
    isOpen: gate.among === "all"
  })

/** A locked gate for evaluation here: without its window where its interval already shows that the window is open. */
const judged = (gate: PgCandidates.OpenGate, own: string | null): Gate.Gate => {
  const read = Gates.toGate(gate)
  return gate.among === "all" && judgedBy(gate, own) === "interval" ? Gate.withoutWindow(read) : read
}

/** The versions of these ids. Those that were read before are not read again. */
const versionsOf = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { versions }: Memory,
  ids: ReadonlySet<string>
) {
  const found = new Map([...ids].map((id) => [id, versions.get(id)]))
  const unknown = [...ids].filter((id) => found.get(id) === undefined)
  if (unknown.length === 0) return found
  const rows = yield* sql<Workflows.VersionRow>`
    select * from workflow_versions where ${sql.in("version_id", unknown)}`
  for (const row of rows) {
    const version = Workflows.toVersion(row)
    found.set(row.version_id, version)
    versions.set(row.version_id, version, Contents.sizeOf(row))
  }
  return found
})
