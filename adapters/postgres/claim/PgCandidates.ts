/**
 * Chooses what a claim starts: locks the gates whose turn it is, and the first runs of each that may start.
 */
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { Turns } from "../../../core/runtime/Shares.ts"
import * as Pipeline from "../Pipeline.ts"
import type * as Gates from "../tables/Gates.ts"
import * as Runs from "../tables/Runs.ts"
import * as PgLimits from "./PgLimits.ts"
import * as PgQueues from "./PgQueues.ts"
import * as PgSlots from "./PgSlots.ts"
import type { Turn } from "./PgTurns.ts"
import type * as ReleasedRuns from "./ReleasedRuns.ts"

/** A locked gate. */
export type LockedGate = Gates.Row &
  Gates.IntervalRow &
  Gates.LimitedRow & {
    readonly workspace_id: string
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
export type OpenGate = LockedGate & { readonly among: ReleasedRuns.Among }

/** The runs that a claim starts. */
interface Chosen {
  readonly rows: ReadonlyArray<WaitingRow>
  readonly credentials: ReadonlyMap<string, PgSlots.Assigned["credentials"]>
  /** The gates that were examined. */
  readonly looked: ReadonlyMap<string, Turn>
  /** The gates whose share was one run larger than that of others. */
  readonly ahead: ReadonlySet<string>
  /** What is taken of the minutes of limits once these runs have started. */
  readonly limits: ReturnType<PgSlots.Ledger["taken"]>
  /** Whether others took runs that were chosen. */
  readonly isOutrun: boolean
}

const idsOf = (ids: ReadonlyArray<string>): string => `{${ids.join(",")}}`

/** A locked run, with the fence that it gets if it starts. */
export type WaitingRow = Runs.Row & { readonly fence: bigint }

/**
 * Locks the gates whose turn it is, in the order of their ids, and then the first runs of each. The gates cannot change
 * until the transaction ends.
 *
 * Runs are only locked if every gate is open and has neither a pace, nor limits, nor runs that need slots. Otherwise others are locked
 * before them. Each gate and each run is in one row, and a gate is with the first of its runs.
 */
export const lock = (
  sql: SqlClient.SqlClient,
  at: number,
  { asked, limit, turns }: { readonly asked: number; readonly limit: number; readonly turns: Turns }
) => {
  const before = new Date(at)
  return sql<CandidateRow>`
  with candidates as materialized (
    select workflow_id, (row_number() over (
      order by nth, array_position(${idsOf(turns.served)}::uuid[], workspace_id) nulls first, served_at nulls first, workflow_id
    ))::integer as turn
    from (
      select *, row_number() over (partition by workspace_id order by served_at nulls first, workflow_id) as nth from (
      select workflow_id, workspace_id, served_at from gates where waiting and starts_at is not null
        and greatest(starts_at, ready_at, paced_until) <= ${before} and (stops_at is null or stops_at > ${before})
      union all
      select workflow_id, workspace_id, served_at from gates where released_ready_at <= ${before} and removed_at is null
        and (paced_until is null or paced_until <= ${before})
        and (not waiting or starts_at is null or greatest(starts_at, ready_at) > ${before} or stops_at <= ${before})
      ) as startable where workspace_id <> all (${idsOf(turns.full)}::uuid[])
    ) as numbered
    order by turn limit ${asked}
  ), locked as materialized (
    select gates.*, candidates.turn from gates join candidates using (workflow_id)
    order by gates.workflow_id for share of gates
  ), shared as materialized (
    select workflow_id, ${limit}::integer / count(*) over () as share,
      row_number() over (order by turn) <= ${limit}::integer % count(*) over () as is_ahead,
      bool_and(not slots and limited is null and max_starts_per_minute is null and max_running is null and removed_at is null
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
  select ${sql.literal(Pipeline.inside)} as within, gate.*, run.*, gate.gate_id as locked_id,
    gate.workspace_id as locked_workspace
  from gate full join run on run.gate_id = gate.gate_id order by run.place`
}

/** A gate, a run of it, or both. The columns of what a row has not are null. */
type CandidateRow = { readonly within: string } & (
  | (LockedGate & { readonly locked_id: string; readonly locked_workspace: string; readonly id: null })
  | (LockedGate & WaitingRow & { readonly locked_id: string; readonly locked_workspace: string })
  | (WaitingRow & { readonly locked_id: null })
)

/** Whether a run should have started before an instant, and did not: see `Run.isTooLate`. */
export const isTooLate = ({ start_by, started_at }: WaitingRow, at: number): boolean =>
  start_by !== null && start_by.getTime() <= at && started_at === null

/** The gates that were locked, the runs that were locked with them, and the transaction of both. */
export const read = (rows: ReadonlyArray<CandidateRow>) => ({
  within: rows[0]?.within ?? null,
  locked: rows.flatMap(
    (row): ReadonlyArray<LockedGate> =>
      row.locked_id === null ? [] : [{ ...row, workflow_id: row.locked_id, workspace_id: row.locked_workspace }]
  ),
  found: rows.flatMap((row): ReadonlyArray<WaitingRow> => (row.id === null ? [] : [row]))
})

/**
 * Locks the runs that start: the share of each workflow first, within what its pace allows. Unused shares are distributed
 * again.
 */
export const choose = (
  sql: SqlClient.SqlClient,
  open: ReadonlyArray<OpenGate>,
  {
    allowed,
    found: locked,
    limit,
    now,
    places
  }: {
    /** The runs that were locked with the gates. */
    readonly found: ReadonlyArray<WaitingRow>
    readonly limit: number
    readonly places: PgQueues.Places
    readonly now: number
    /** How many runs of each paced workflow may start. */
    readonly allowed: ReadonlyMap<string, number>
  }
) =>
  Effect.gen(function* () {
    const ledger = PgSlots.ledger(sql, now)
    const limited = open.filter((gate) => gate.limited !== null)
    ledger.know(yield* PgLimits.of(sql, ofWorkflows(limited)))
    const queues = new Map(
      open
        .filter((gate) => gate.slots || gate.limited !== null)
        .map((gate) => [
          gate.workflow_id,
          PgQueues.startable(sql, ledger, gate.workflow_id, {
            now,
            most: limit,
            places,
            among: gate.among,
            isLimited: gate.limited !== null
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
      if (mayGive(workflow_id) <= 0) looked.set(workflow_id, { isEmpty: false, blocked: null, held: null, among })
    }
    for (const gate of limited) {
      const limit = ledger.limitOf({ ...gate, tags: [] })
      if (limit === null) continue
      const held = PgLimits.hold([limit], { of: gate, now, isServed: false, queues: [] })
      looked.set(gate.workflow_id, { isEmpty: true, blocked: null, held, among: gate.among })
    }
    const taken = new Map<string, Array<WaitingRow>>()
    for (const row of locked) taken.set(row.workflow_id, [...(taken.get(row.workflow_id) ?? []), row])
    for (const { among, is_ahead, wanted, workflow_id } of open) {
      if (wanted === null || wanted === 0) continue
      const first = taken.get(workflow_id) ?? []
      rows.push(...first)
      if (is_ahead) ahead.add(workflow_id)
      looked.set(workflow_id, { isEmpty: first.length < wanted, blocked: null, held: null, among })
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
          gate,
          turn,
          wanted: Math.min(mayGive(gate.workflow_id), share + (turn < over ? 1 : 0))
        }))
        .filter(({ wanted }) => wanted > 0)
      const plain = asked.filter(({ workflow_id }) => !queues.has(workflow_id))
      const found = yield* oldest(sql, plain, rows, now)
      rows.push(...found)
      const given = new Map<string, number>()
      for (const { workflow_id } of found) given.set(workflow_id, (given.get(workflow_id) ?? 0) + 1)
      for (const { among, gate, wanted, workflow_id } of asked) {
        const queue = queues.get(workflow_id)
        if (queue !== undefined) {
          const some = yield* queue.next(wanted)
          assigned.push(...some)
          given.set(workflow_id, some.length)
        }
        const count = given.get(workflow_id) ?? 0
        total.set(workflow_id, (total.get(workflow_id) ?? 0) + count)
        const isEmpty = count < wanted
        const limits = isEmpty ? (queue?.limits() ?? []) : []
        const isServed = (total.get(workflow_id) ?? 0) > 0
        looked.set(workflow_id, {
          isEmpty,
          blocked: isEmpty ? (queue?.blocked() ?? null) : null,
          held:
            limits.length === 0
              ? null
              : PgLimits.hold(limits, { of: gate, now, isServed, queues: queue?.heldQueues() ?? [] }),
          among
        })
      }
      willing = willing.filter(
        ({ workflow_id }) => looked.get(workflow_id)?.isEmpty !== true && mayGive(workflow_id) > 0
      )
    }
    const confirmed = assigned.length === 0 ? [] : yield* ledger.confirm(assigned)
    const started = confirmed.length === 0 ? [] : yield* those(sql, confirmed, now)
    const startedIds = new Set(started.map(({ id }) => id))
    return {
      rows: [...rows, ...started],
      credentials: new Map(confirmed.map(({ credentials, id }) => [id, credentials])),
      looked,
      ahead,
      limits: ledger.taken(confirmed.filter(({ id }) => startedIds.has(id))),
      isOutrun: started.length < assigned.length
    } satisfies Chosen
  })

/** The workflows of these gates, by their workspaces. */
const ofWorkflows = (gates: ReadonlyArray<OpenGate>): ReadonlyArray<PgLimits.Drawn> =>
  gates.map(({ workflow_id, workspace_id }) => ({ workspaceId: workspace_id, workflowIds: [workflow_id] }))

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
  from json_to_recordset(${JSON.stringify(
    asked.map(({ past, turn, wanted, workflow_id }) => ({ workflow_id, turn, wanted, past }))
  )}::json) as asked (workflow_id uuid, turn integer, wanted integer, past timestamptz)
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
