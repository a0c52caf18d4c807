/**
 * Claims runs for a worker.
 *
 * A claim chooses gates that have waiting runs and let them start, takes share locks on them, and only then reads the
 * clock and checks that they still do. Until it commits, no chosen gate can change; an edit that committed first is seen.
 * It reads only open gates with runs that may start by time, so held and postponed runs cost nothing.
 *
 * Locks are taken in one order, so that no two claims wait for each other: gates, paces, entries of the vault, runs. Runs
 * that others have locked are skipped.
 *
 * The paces of the gates are locked before the clock is read, so that claims together never start more runs than a pace
 * allows. A claim without a paced gate skips this step.
 *
 * A closed gate is chosen too if runs of it were released despite its holds: in its turn like any other, and for these
 * runs only.
 */

import { Clock, Effect, Result, Semaphore } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import * as Gate from "../../../core/gate/Gate.ts"
import * as Pace from "../../../core/gate/Pace.ts"
import * as Run from "../../../core/run/Run.ts"
import type { ClaimedRun } from "../../../core/run/RunStore.ts"
import * as Start from "../../../core/run/start/Start.ts"
import * as Transition from "../../../core/run/Transition.ts"
import { StoreUnavailable } from "../../../core/runtime/StoreUnavailable.ts"
import type { WorkflowVersion } from "../../../core/workflow/Workflow.ts"
import * as ZoneVersion from "../gate/ZoneVersion.ts"
import { sha256 } from "../Hash.ts"
import * as Pipeline from "../Pipeline.ts"
import { transaction, withoutSqlErrors } from "../Transaction.ts"
import * as Gates from "../tables/Gates.ts"
import * as Runs from "../tables/Runs.ts"
import * as Workflows from "../tables/Workflows.ts"
import * as Writing from "../Writing.ts"
import * as Contents from "../workflow/Contents.ts"
import type { HeldRuns } from "./HeldRuns.ts"
import * as PgPaces from "./PgPaces.ts"
import * as PgQueues from "./PgQueues.ts"
import * as PgSlots from "./PgSlots.ts"
import * as ReleasedRuns from "./ReleasedRuns.ts"

/** The state that a process keeps from one claim to the next. */
export interface Memory {
  /** The positions at which reads of many queues ended. */
  readonly places: PgQueues.Places
  /** Workflows that had their turn. */
  readonly turns: Map<string, Turn>
  readonly versions: Contents.SizedCache<WorkflowVersion>
  /** The lock for writing past turns. */
  readonly writing: Semaphore.Semaphore
}

/** The result of a claim for one workflow. */
interface Turn {
  /** Whether it had fewer startable runs than wanted. */
  readonly isEmpty: boolean
  /** The queues that wait for an entry, with its name, if all requested waiting runs of the workflow wait for one. */
  readonly blocked: ReadonlyMap<string, string> | null
  /** Which of its runs were considered. */
  readonly among: ReleasedRuns.Among
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
  readonly memory: Memory
  readonly held: HeldRuns
  readonly transact: Pipeline.Transact
}

type LockedGate = Gates.Row &
  Gates.IntervalRow & {
    readonly slots: boolean
    readonly turn: number
    readonly released_ready_at: Date | null
    /** The version of the time zone data that its interval follows from. */
    readonly zone_data: string | null
    /** The number of its runs that were asked for when it was locked; `null` where none were. */
    readonly wanted: number | null
    /** Whether that is one more than was asked for of others. */
    readonly is_ahead: boolean
  }

/** A locked gate that lets runs start, and the condition of these runs. */
type OpenGate = LockedGate & { readonly among: ReleasedRuns.Among }

/**
 * The time zone data that decide whether a window is open: the newer of those that its interval was computed with and
 * those of this process. A process with older data follows the stored interval. One with newer data evaluates the window
 * itself until a scheduler has computed the interval again.
 */
const judgedBy = ({ zone_data }: LockedGate, own: string | null): "interval" | "process" =>
  ZoneVersion.isNewer(zone_data, own) ? "interval" : "process"

/** Whether the window of a gate is closed by newer time zone data of this process than its interval follows from. */
const windowHolds = (gate: LockedGate, own: string | null, now: number): boolean =>
  ZoneVersion.isNewer(own, gate.zone_data) && !Gate.mayStart(Gates.toGate(gate), now)

/**
 * Claims runs. `settleTurns` writes the order of turns, at the latest before the next claim, so that the claimed runs do
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
      yield* settleTurns(sql, options.memory)
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
  turns: new Map<string, Turn>(),
  spent: [],
  seen: new Map<string, string>()
}

/** The runs that a claim starts. */
interface Chosen {
  readonly rows: ReadonlyArray<WaitingRow>
  readonly credentials: ReadonlyMap<string, PgSlots.Assigned["credentials"]>
  /** The gates that were examined. */
  readonly looked: ReadonlyMap<string, Turn>
  /** The gates whose share was one run larger than that of others. */
  readonly ahead: ReadonlySet<string>
  /** Whether others took runs that were chosen. */
  readonly isOutrun: boolean
}

type WaitingRow = Runs.Row & { readonly fence: bigint }

const take = (
  { first, last, sql }: Pipeline.Steps,
  { candidates: asked, leaseMillis, limit, memory, worker }: Options & { readonly candidates: number }
) =>
  Effect.gen(function* () {
    const before = yield* Clock.currentTimeMillis
    const { found, locked, within } = lockedOf(yield* first(lockCandidates(sql, before, { asked, limit })))
    if (locked.length === 0) return { ...nothing, isLate: (yield* Clock.currentTimeMillis) > before + lateMillis }
    const paces = yield* PgPaces.lock(
      sql,
      locked.map((gate) => ({ workflowId: gate.workflow_id, pace: Gates.paceOf(gate) }))
    )
    // The locked runs may start as of the first instant, so it is not earlier.
    const now = Math.max(before, yield* Clock.currentTimeMillis)
    const zoneData = yield* ZoneVersion.ZoneVersion
    const open = locked
      .flatMap((gate): ReadonlyArray<OpenGate> => {
        const among = ReleasedRuns.among(gate, now, windowHolds(gate, zoneData, now))
        return among === null ? [] : [{ ...gate, among }]
      })
      .sort((a, b) => a.turn - b.turn)
    const allowed = new Map([...paces].map(([id, paced]) => [id, Pace.allowance(paced.pace, paced, now)]))
    const { ahead, credentials, isOutrun, looked, rows } = yield* choose(sql, open, {
      limit,
      now,
      memory,
      allowed,
      found: found.filter((row) => !isTooLate(row, now))
    })
    const spentAfter = (starts: ReadonlyMap<string, number>) =>
      open.flatMap(({ revision, workflow_id }): ReadonlyArray<PgPaces.SpentPace> => {
        const paced = paces.get(workflow_id)
        const until = paced === undefined ? null : PgPaces.spentUntil(paced, starts.get(workflow_id) ?? 0, now)
        return until === null ? [] : [{ workflowId: workflow_id, revision, until }]
      })
    const isMore = locked.length === asked || isOutrun
    // Gates that were not examined, or had the smaller share, come first next time. With equal shares nothing is written.
    const turns = new Map(
      [...looked].filter(([id, { isEmpty }]) => isEmpty || ahead.has(id) || locked.length === asked)
    )
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
const startOf = (run: Run.RunningRun, gate: OpenGate, own: string | null, at: number): Start.Start =>
  Start.of(run, Gates.toGate(gate), {
    at,
    windowHash: gate.run_window === null ? null : sha256(gate.run_window),
    zoneData: (judgedBy(gate, own) === "interval" ? gate.zone_data : own) ?? "unknown",
    isOpen: gate.among === "all"
  })

/** A locked gate for evaluation here: without its window where its interval already shows that the window is open. */
const judged = (gate: OpenGate, own: string | null): Gate.Gate => {
  const read = Gates.toGate(gate)
  return gate.among === "all" && judgedBy(gate, own) === "interval" ? Gate.withoutWindow(read) : read
}

/**
 * Locks the gates whose turn it is, in the order of their ids, and then the first runs of each. The gates cannot change
 * until the transaction ends.
 *
 * Runs are only locked if every gate is open and has neither a pace nor runs that need slots. Otherwise others are locked
 * before them. Each gate and each run is in one row, and a gate is with the first of its runs.
 */
const lockCandidates = (
  sql: SqlClient.SqlClient,
  at: number,
  { asked, limit }: { readonly asked: number; readonly limit: number }
) => {
  const before = new Date(at)
  return sql<CandidateRow>`
  with candidates as materialized (
    select workflow_id, (row_number() over (order by served_at nulls first, workflow_id))::integer as turn
    from (
      select workflow_id, served_at from gates where waiting and starts_at is not null
        and greatest(starts_at, ready_at, paced_until) <= ${before} and (stops_at is null or stops_at > ${before})
      union all
      select workflow_id, served_at from gates where released_ready_at <= ${before} and removed_at is null
        and (paced_until is null or paced_until <= ${before})
        and (not waiting or starts_at is null or greatest(starts_at, ready_at) > ${before} or stops_at <= ${before})
    ) as startable
    order by turn limit ${asked}
  ), locked as materialized (
    select gates.*, candidates.turn from gates join candidates using (workflow_id)
    order by gates.workflow_id for share of gates
  ), shared as materialized (
    select workflow_id, ${limit}::integer / count(*) over () as share,
      row_number() over (order by turn) <= ${limit}::integer % count(*) over () as is_ahead,
      bool_and(not slots and max_starts_per_minute is null and max_running is null and removed_at is null
        and starts_at <= ${before} and (stops_at is null or stops_at > ${before})) over () as may_give
    from locked
  ), waiting as materialized (
    select oldest.*, nextval('run_fences') as fence from shared cross join lateral (
      select * from runs
      where may_give and runs.workflow_id = shared.workflow_id and status in ('execution.queued', 'execution.requeued')
        and not_before <= ${before} and ${Runs.isInTime(sql, at)}
      order by place limit share + is_ahead::integer for update skip locked
    ) as oldest
  ), gate as (
    select locked.*, workflow_id as gate_id, case when may_give then share + is_ahead::integer end::integer as wanted,
      is_ahead
    from locked join shared using (workflow_id)
  ), run as (
    select waiting.*,
      case when row_number() over (partition by workflow_id order by place) = 1 then workflow_id end as gate_id
    from waiting
  )
  select ${sql.literal(Pipeline.inside)} as within, gate.*, run.*, gate.gate_id as locked_id
  from gate full join run on run.gate_id = gate.gate_id order by run.place`
}

/** A gate, a run of it, or both. The columns of what a row has not are null. */
type CandidateRow = { readonly within: string } & (
  | (LockedGate & { readonly locked_id: string; readonly id: null })
  | (LockedGate & WaitingRow & { readonly locked_id: string })
  | (WaitingRow & { readonly locked_id: null })
)

/** Whether a run should have started before an instant, and did not: see `Run.isTooLate`. */
const isTooLate = ({ start_by, started_at }: WaitingRow, at: number): boolean =>
  start_by !== null && start_by.getTime() <= at && started_at === null

const lockedOf = (rows: ReadonlyArray<CandidateRow>) => ({
  within: rows[0]?.within ?? null,
  locked: rows.flatMap(
    (row): ReadonlyArray<LockedGate> => (row.locked_id === null ? [] : [{ ...row, workflow_id: row.locked_id }])
  ),
  found: rows.flatMap((row): ReadonlyArray<WaitingRow> => (row.id === null ? [] : [row]))
})

/**
 * Locks the runs that start: the share of each workflow first, within what its pace allows. Unused shares are distributed
 * again.
 */
const choose = (
  sql: SqlClient.SqlClient,
  open: ReadonlyArray<OpenGate>,
  {
    allowed,
    found: locked,
    limit,
    memory,
    now
  }: {
    /** The runs that were locked with the gates. */
    readonly found: ReadonlyArray<WaitingRow>
    readonly limit: number
    readonly memory: Memory
    readonly now: number
    /** How many runs of each paced workflow may start. */
    readonly allowed: ReadonlyMap<string, number>
  }
) =>
  Effect.gen(function* () {
    const ledger = PgSlots.ledger(sql, now)
    const queues = new Map(
      open
        .filter((gate) => gate.slots)
        .map((gate) => [
          gate.workflow_id,
          PgQueues.startable(sql, ledger, gate.workflow_id, {
            now,
            most: limit,
            places: memory.places,
            among: gate.among
          })
        ])
    )
    const rows: Array<WaitingRow> = []
    const assigned: Array<PgSlots.Assigned> = []
    const looked = new Map<string, Turn>()
    const left = () => limit - rows.length - assigned.length
    const ahead = new Set<string>()
    const total = new Map<string, number>()
    const mayGive = (id: string) => (allowed.get(id) ?? Infinity) - (total.get(id) ?? 0)
    for (const { among, workflow_id } of open) {
      if (mayGive(workflow_id) <= 0) looked.set(workflow_id, { isEmpty: false, blocked: null, among })
    }
    const taken = new Map<string, Array<WaitingRow>>()
    for (const row of locked) taken.set(row.workflow_id, [...(taken.get(row.workflow_id) ?? []), row])
    for (const { among, is_ahead, wanted, workflow_id } of open) {
      if (wanted === null || wanted === 0) continue
      const first = taken.get(workflow_id) ?? []
      rows.push(...first)
      if (is_ahead) ahead.add(workflow_id)
      looked.set(workflow_id, { isEmpty: first.length < wanted, blocked: null, among })
    }
    let willing = open.filter(
      ({ workflow_id }) => mayGive(workflow_id) > 0 && looked.get(workflow_id)?.isEmpty !== true
    )
    while (left() > 0 && willing.length > 0) {
      const [share, over] = [Math.floor(left() / willing.length), left() % willing.length]
      for (const { workflow_id } of willing.slice(0, over)) ahead.add(workflow_id)
      const asked = willing
        .map((gate, turn) => ({
          ...askedOf(gate),
          turn,
          wanted: Math.min(mayGive(gate.workflow_id), share + (turn < over ? 1 : 0))
        }))
        .filter(({ wanted }) => wanted > 0)
      const plain = asked.filter(({ workflow_id }) => !queues.has(workflow_id))
      const found = yield* oldest(sql, plain, rows, now)
      rows.push(...found)
      const given = new Map<string, number>()
      for (const { workflow_id } of found) given.set(workflow_id, (given.get(workflow_id) ?? 0) + 1)
      for (const { among, wanted, workflow_id } of asked) {
        const queue = queues.get(workflow_id)
        if (queue !== undefined) {
          const some = yield* queue.next(wanted)
          assigned.push(...some)
          given.set(workflow_id, some.length)
        }
        const count = given.get(workflow_id) ?? 0
        total.set(workflow_id, (total.get(workflow_id) ?? 0) + count)
        const isEmpty = count < wanted
        looked.set(workflow_id, { isEmpty, blocked: isEmpty ? (queue?.blocked() ?? null) : null, among })
      }
      willing = willing.filter(
        ({ workflow_id }) => looked.get(workflow_id)?.isEmpty !== true && mayGive(workflow_id) > 0
      )
    }
    const confirmed = assigned.length === 0 ? [] : yield* ledger.confirm(assigned)
    const started = confirmed.length === 0 ? [] : yield* those(sql, confirmed, now)
    return {
      rows: [...rows, ...started],
      credentials: new Map(confirmed.map(({ credentials, id }) => [id, credentials])),
      looked,
      ahead,
      isOutrun: started.length < assigned.length
    } satisfies Chosen
  })

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

/** The number of wanted runs of a workflow, and the condition of those that may start. */
interface Asked {
  readonly workflow_id: string
  readonly among: ReleasedRuns.Among
  readonly past: Date | null
  readonly turn: number
  readonly wanted: number
}

const askedOf = ({ among, workflow_id }: OpenGate) => ({
  workflow_id,
  among,
  past: among === "all" ? null : among.past
})

/** Locks the first waiting runs of each workflow that may start, as many as wanted, except those that were taken before. */
const oldest = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  asked: ReadonlyArray<Asked>,
  taken: ReadonlyArray<Runs.Row>,
  now: number
) {
  const [all, released] = [asked.filter(({ among }) => among === "all"), asked.filter(({ among }) => among !== "all")]
  const found = [
    ...(all.length === 0 ? [] : yield* oldestOf(sql, all, taken, { now, may: sql`true` })),
    // A separate query, so that the index of released runs is used.
    ...(released.length === 0
      ? []
      : yield* oldestOf(sql, released, taken, {
          now,
          may: sql`released_at is not null and (asked.past is null or released_pause = asked.past)`
        }))
  ]
  return released.length === 0 ? found : found.toSorted((a, b) => a.turn - b.turn)
})

const oldestOf = (
  sql: SqlClient.SqlClient,
  asked: ReadonlyArray<Asked>,
  taken: ReadonlyArray<Runs.Row>,
  { may, now }: { readonly may: Statement.Fragment; readonly now: number }
) => sql<WaitingRow & { readonly turn: number }>`
  select waiting.*, nextval('run_fences') as fence, asked.turn
  from json_to_recordset(${JSON.stringify(asked)}::json) as asked (
    workflow_id uuid, turn integer, wanted integer, past timestamptz)
  cross join lateral (
    select * from runs
    where runs.workflow_id = asked.workflow_id and status in ('execution.queued', 'execution.requeued') and ${may}
      and not_before <= ${new Date(now)} and ${Runs.isInTime(sql, now)}
      and id <> all (${`{${taken.map(({ id }) => id).join(",")}}`}::uuid[])
    order by place limit asked.wanted for update skip locked
  ) as waiting
  order by asked.turn, waiting.place`

/** Those of these runs that no other process has taken, in their order. */
const those = (sql: SqlClient.SqlClient, assigned: ReadonlyArray<PgSlots.Assigned>, now: number) =>
  Effect.map(
    sql<WaitingRow>`
      select *, nextval('run_fences') as fence from runs where ${sql.in(
        "id",
        assigned.map(({ id }) => id)
      )} and status in ('execution.queued', 'execution.requeued') and not_before <= ${new Date(now)}
        and ${Runs.isInTime(sql, now)}
      for update skip locked`,
    (rows) => {
      const byId = new Map(rows.map((row) => [row.id, row]))
      return assigned.flatMap(({ id }) => byId.get(id) ?? [])
    }
  )

/**
 * Puts the other gates first next time, and stops examining workflows that may have no run to start. A workflow for
 * which that fails is examined again.
 */
export const settleTurns = (sql: SqlClient.SqlClient, { turns, writing }: Memory): Effect.Effect<void> =>
  Effect.gen(function* () {
    if (turns.size === 0) return
    const now = yield* Clock.currentTimeMillis
    const over = [...turns]
    turns.clear()
    const emptied = over.filter(([, { among, isEmpty }]) => isEmpty && among === "all")
    const emptiedOfReleased = over.filter(([, { among, isEmpty }]) => isEmpty && among !== "all")
    const others = over.filter(([, { isEmpty }]) => !isEmpty).map(([workflowId]) => workflowId)
    if (others.length > 0) {
      yield* withoutSqlErrors(sql`
        update gates set served_at = ${new Date(now)} where workflow_id in (
          select workflow_id from gates where ${sql.in("workflow_id", others)}
          order by workflow_id for no key update skip locked)`)
    }
    if (emptied.length > 0) yield* transaction(sql, forget(sql, new Map(emptied), now))
    if (emptiedOfReleased.length > 0) {
      yield* transaction(sql, forgetReleased(sql, new Map(emptiedOfReleased), now))
    }
  }).pipe(Effect.ignore, writing.withPermit)

/** The fallback for a lost wake: after this time claims look again at a workflow whose runs wait for a credential. */
const blockedMillis = 600_000
/** Workflows with runs in more queues than this are always looked at. */
const mostBlockedQueues = 8

/**
 * Stops examining workflows without waiting runs until the next submission, workflows whose waiting runs are all postponed
 * until the first of them may start, and workflows whose runs all wait for an entry until one of its slots is released.
 *
 * They are determined after the gate's row is locked, in a separate statement: a submission that the lock waited for is
 * seen, and a later one finds the mark and clears it.
 */
const forget = (sql: SqlClient.SqlClient, turns: ReadonlyMap<string, Turn>, now: number) =>
  Effect.gen(function* () {
    const locked = yield* sql<{ readonly workflow_id: string }>`
      select workflow_id from gates where ${sql.in("workflow_id", [...turns.keys()])}
      order by workflow_id for no key update skip locked`
    if (locked.length === 0) return
    const blocked = yield* stillBlocked(sql, locked, turns, now)
    const forgotten = locked.map(({ workflow_id }) => ({ workflow_id, names: blocked.get(workflow_id) ?? null }))
    // Ordered, so that the index answers: where most runs are of one workflow, a plain EXISTS is planned as a scan of all
    // runs, which took 11 ms beside 100,000 held ones.
    const waiting = sql`select sequence from runs
      where runs.workflow_id = gates.workflow_id and status in ('execution.queued', 'execution.requeued')`
    const putOff = sql`(select not_before from runs where runs.workflow_id = gates.workflow_id
      and status = 'execution.requeued' and not_before > ${new Date(now)} order by not_before limit 1)`
    yield* sql`
      update gates set served_at = ${new Date(now)}, blocked_on = names,
        waiting = (${waiting} order by sequence limit 1) is not null,
        released_ready_at = case when released_ready_at is not null and exists (
            select from runs where runs.workflow_id = gates.workflow_id
              and status in ('execution.queued', 'execution.requeued') and released_at is not null)
          then ${new Date(now + blockedMillis)}::timestamptz end,
        ready_at = case when names is not null then least(${new Date(now + blockedMillis)}, ${putOff})
          when (${waiting} and ${PgQueues.mayByTime(sql, new Date(now))} order by sequence limit 1) is not null then 'epoch'
          else coalesce(${putOff}, 'epoch') end
      from json_to_recordset(${JSON.stringify(forgotten)}::json) as forgotten (workflow_id uuid, names text[])
      where gates.workflow_id = forgotten.workflow_id`
  })

/**
 * Stops examining the released runs of closed gates while none of them may start: until the first postponed one may, until
 * a slot that they wait for is released, or until the gate changes.
 */
const forgetReleased = (sql: SqlClient.SqlClient, turns: ReadonlyMap<string, Turn>, now: number) =>
  Effect.gen(function* () {
    const locked = yield* sql<{ readonly workflow_id: string }>`
      select workflow_id from gates where ${sql.in("workflow_id", [...turns.keys()])}
      order by workflow_id for no key update skip locked`
    const blocked = yield* stillBlocked(sql, locked, turns, now)
    for (const { workflow_id } of locked) {
      const names = blocked.get(workflow_id) ?? null
      const may = ReleasedRuns.condition(sql, turns.get(workflow_id)?.among ?? "all")
      const waiting = sql`runs.workflow_id = ${workflow_id} and status in ('execution.queued', 'execution.requeued')
        and released_at is not null`
      yield* sql`
        update gates set served_at = ${new Date(now)},
          blocked_on = ${names === null ? sql`blocked_on` : sql`coalesce(blocked_on, '{}') || ${names}::text[]`},
          released_ready_at = case
            when not exists (select from runs where ${waiting}) then null
            when ${names === null} and exists (
              select from runs where ${waiting} and ${may} and ${PgQueues.mayByTime(sql, new Date(now))}) then 'epoch'
            else least(${new Date(now + blockedMillis)}::timestamptz, (
              select min(not_before) from runs where ${waiting} and not_before > ${new Date(now)})) end
        where workflow_id = ${workflow_id}`
    }
  })

/** The workflows whose runs still all wait for entries, each with the names that one of must be given back. */
const stillBlocked = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  locked: ReadonlyArray<{ readonly workflow_id: string }>,
  turns: ReadonlyMap<string, Turn>,
  now: number
) {
  const found = new Map<string, ReadonlyArray<string>>()
  const waiting = locked.flatMap(({ workflow_id }) => {
    const blocked = turns.get(workflow_id)?.blocked ?? null
    return blocked === null || blocked.size > mostBlockedQueues ? [] : [{ workflow_id, blocked }]
  })
  if (waiting.length === 0) return found
  const busy = yield* PgSlots.busy(sql, new Set(waiting.flatMap(({ blocked }) => [...blocked.values()])))
  for (const { blocked, workflow_id } of waiting) {
    if (![...blocked.values()].every((entry) => busy.has(entry))) continue
    // Runs that were submitted since the claim may need something else.
    const among = turns.get(workflow_id)?.among ?? "all"
    const queues = yield* PgQueues.withRuns(sql, workflow_id, { among, now, limit: mostBlockedQueues + 1 })
    if (!queues.every(({ queue }) => blocked.has(queue))) continue
    found.set(workflow_id, [...new Set([...blocked.values()].flatMap((entry) => busy.get(entry) ?? []))])
  }
  return found
})
