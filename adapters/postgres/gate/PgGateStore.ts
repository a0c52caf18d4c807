/**
 * Gates in PostgreSQL. A change locks the gate's row alone; submissions and claims share the lock among themselves.
 */
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Forecast from "../../../core/gate/Forecast.ts"
import * as Gate from "../../../core/gate/Gate.ts"
import {
  countOf,
  type Decide,
  durationsMeasured,
  type GateChange,
  GateStore,
  mostCounted
} from "../../../core/gate/GateStore.ts"
import { ZoneData } from "../../../core/gate/ZoneData.ts"
import { RunId, WorkflowId, WorkflowNotFound, type WorkspaceId } from "../../../core/workspace/Ids.ts"
import * as ReleasedRuns from "../claim/ReleasedRuns.ts"
import { transaction, withoutSqlErrors } from "../Transaction.ts"
import * as Gates from "../tables/Gates.ts"
import * as PgHoldAnnouncements from "./PgHoldAnnouncements.ts"
import { ZoneVersion } from "./ZoneVersion.ts"

/** How many workflows a warning names. */
const mostNamed = 20

export const layer = Layer.effect(
  GateStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const get = Effect.fn("GateStore.get")((workspaceId: WorkspaceId, workflowId: WorkflowId) =>
      sql<Gates.Row>`
        select * from gates where workflow_id = ${workflowId} and workspace_id = ${workspaceId}
          and removed_at is null`.pipe(
        Effect.flatMap(([row]) => (row === undefined ? notFound(workflowId) : Effect.succeed(Gates.toGate(row)))),
        withoutSqlErrors
      )
    )

    // In descending order, because entries of started runs remain at the other end of the index until it is vacuumed.
    const count = (workflowId: WorkflowId) =>
      Effect.map(
        sql<{ readonly found: bigint }>`
          select count(*) as found from (
            select from runs
            where workflow_id = ${workflowId} and status in ('execution.queued', 'execution.requeued')
            order by sequence desc limit ${mostCounted + 1}) waiting`,
        ([row]) => countOf(Number(row?.found ?? 0))
      )

    /** Answered by an index alone. */
    const countAll = (workflowId: WorkflowId) =>
      Effect.map(
        sql<{ readonly found: bigint }>`
          select count(*) as found from runs
          where workflow_id = ${workflowId} and status in ('execution.queued', 'execution.requeued')`,
        ([row]) => Number(row?.found ?? 0)
      )

    /** Each part is answered by one index, and reads a bounded number of its entries. */
    const queue = (workflowId: WorkflowId, of: RunId | undefined) => {
      const waiting = sql`workflow_id = ${workflowId} and status in ('execution.queued', 'execution.requeued')`
      const most = Forecast.mostCounted + 1
      return sql<{
        readonly waiting: number
        readonly ahead: number
        readonly running: number
        readonly taken_until: Date | null
        readonly duration: number | null
        readonly deadlines: ReadonlyArray<string>
      }>`
        select
          (select count(*) from (select from runs where ${waiting} order by place limit ${most}) found)::integer as waiting,
          ${
            of === undefined
              ? sql`0`
              : sql`(select count(*) from (
                  select from runs where ${waiting} and place < (select place from runs where id = ${of})
                  order by place limit ${most}) found)::integer`
          } as ahead,
          (select count(*) from runs where workflow_id = ${workflowId} and status = 'execution.start')::integer as running,
          (select taken_until from gate_paces where workflow_id = ${workflowId}) as taken_until,
          (select avg(extract(epoch from ended_at - started_at) * 1000)::double precision from (
            select ended_at, started_at from runs
            where workflow_id = ${workflowId} and status = 'execution.success'
            order by created_at desc, sequence desc limit ${durationsMeasured}) ended) as duration,
          array(select ahead || ' ' || round(extract(epoch from deadline) * 1000) from (
            select row_number() over (order by place) as ahead,
              least(expires_at, case when started_at is null then start_by end) as deadline
            from runs where ${waiting} order by place limit ${Forecast.mostCounted}) placed
            where deadline is not null order by ahead) as deadlines`
    }

    const decideAlone = <E>(workspaceId: WorkspaceId, workflowId: WorkflowId, decide: Decide<E>) =>
      Effect.gen(function* () {
        const before = yield* lock(sql, workspaceId, workflowId)
        const at = yield* Clock.currentTimeMillis
        const after = yield* Effect.fromResult(decide(before, at))
        if (after !== before) yield* write(sql, workflowId, { before, after }, at)
        const [workflow] = yield* sql<{ readonly name: string }>`select name from workflows where id = ${workflowId}`
        return { workflowName: workflow?.name ?? "", before, after, at } satisfies GateChange
      })

    /** Names the workflows whose next opening or closing is at another instant than older time zone data had it. */
    const warn = Effect.fnUntraced(function* (moved: ReadonlyArray<Gates.Row>, zoneData: string | null) {
      if (moved.length === 0) return
      const named = yield* sql<{ readonly id: string; readonly name: string }>`
        select id, name from workflows
        where ${sql.in(
          "id",
          moved.map(({ workflow_id }) => workflow_id)
        )} order by name, id limit ${mostNamed}`
      const names = named.map(({ id, name }) => `"${name}" (${id})`).join(", ")
      const rest = moved.length > named.length ? ` and ${moved.length - named.length} more` : ""
      yield* Effect.logWarning(
        `With the time zone data ${zoneData} these workflows open or close at other times than older data had it: ${names}${rest}`
      )
    })

    /** Keeps which workflows newer time zone data move, before the version of the older data is overwritten. */
    const note = (moved: ReadonlyArray<Gates.Row>, now: number) =>
      moved.length === 0
        ? Effect.void
        : sql`
          update gates set moved_at = ${new Date(now)}, moved_from = zone_data
          where ${sql.in(
            "workflow_id",
            moved.map(({ workflow_id }) => workflow_id)
          )}`

    const review = Effect.fn("GateStore.review")((limit: number) =>
      transaction(
        sql,
        Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const zoneData = yield* ZoneVersion
          const due = yield* sql<Gates.Row>`
            select * from gates where review_at <= ${new Date(now)}
            order by review_at limit ${limit} for no key update skip locked`
          // In a separate statement: each of the two reads only its index.
          const outdated = yield* sql<Gates.Row & Gates.IntervalRow>`
            select * from gates where zone_data < ${zoneData}::text and review_at > ${new Date(now)}
            limit ${limit - due.length} for no key update skip locked`
          const all = [...due, ...outdated]
          const moved = outdated.filter((row) => Gate.opensOtherwise(Gates.toGate(row), Gates.toInterval(row), now))
          yield* note(moved, now)
          yield* Effect.forEach(
            all,
            (row) => sql`
              update gates set ${sql.update(Gates.intervalOf(Gates.toGate(row), { at: now, zoneData, decides: true }))}, ${ReleasedRuns.lookAgain(sql)}
              where workflow_id = ${row.workflow_id}`,
            { discard: true }
          )
          yield* warn(moved, zoneData)
          return all.length
        })
      )
    )

    const nextDue = Effect.fn("GateStore.nextDue")((after: number) =>
      sql<{ readonly due: Date | null }>`
        select least(
          (select min(review_at) from gates where review_at is not null),
          (select min(greatest(starts_at, ready_at, paced_until)) from gates
            where waiting and starts_at is not null and greatest(starts_at, ready_at, paced_until) > ${new Date(after)}),
          (select min(greatest(released_ready_at, paced_until)) from gates
            where released_ready_at is not null and greatest(released_ready_at, paced_until) > ${new Date(after)})
        ) as due`.pipe(
        Effect.map(([row]) => row?.due?.getTime() ?? null),
        withoutSqlErrors
      )
    )

    const moved = Effect.fn("GateStore.moved")((workspaceId: WorkspaceId, since: number, limit: number) =>
      sql<{ readonly id: string; readonly name: string; readonly moved_at: Date; readonly moved_from: string }>`
        select w.id, w.name, g.moved_at, g.moved_from from gates g join workflows w on w.id = g.workflow_id
        where g.workspace_id = ${workspaceId} and g.moved_at >= ${new Date(since)} and g.removed_at is null
        order by g.moved_at desc, w.name, w.id limit ${limit}`.pipe(
        Effect.map((rows) =>
          rows.map((row) => ({
            workflowId: WorkflowId.make(row.id),
            name: row.name,
            at: row.moved_at.getTime(),
            from: row.moved_from
          }))
        ),
        withoutSqlErrors
      )
    )

    return GateStore.of({
      get,
      moved,
      review,
      nextDue,
      windows: Effect.fn("GateStore.windows")((workspaceId, workflowId, { before, limit }) =>
        Effect.andThen(
          get(workspaceId, workflowId),
          Effect.map(
            withoutSqlErrors(sql<Gates.WindowRow>`
              select revision, definition, set_at, set_by from run_windows
              where workflow_id = ${workflowId} and revision < ${before} order by revision desc limit ${limit}`),
            (rows) => rows.map(Gates.toWindow)
          )
        )
      ),
      countWaiting: Effect.fn("GateStore.countWaiting")((workflowId) => withoutSqlErrors(count(workflowId))),
      firstWaiting: Effect.fn("GateStore.firstWaiting")((workflowId, limit) =>
        Effect.map(
          withoutSqlErrors(sql<{ readonly id: string; readonly created_at: Date }>`
            select id, created_at from runs
            where workflow_id = ${workflowId} and status in ('execution.queued', 'execution.requeued')
            order by created_at, sequence limit ${limit}`),
          (rows) => rows.map(({ created_at, id }) => ({ id: RunId.make(id), createdAt: created_at.getTime() }))
        )
      ),
      queue: Effect.fn("GateStore.queue")((workflowId, of) =>
        Effect.map(withoutSqlErrors(queue(workflowId, of)), ([row]) => ({
          waiting: Math.min(row?.waiting ?? 0, Forecast.mostCounted),
          atLeast: (row?.waiting ?? 0) > Forecast.mostCounted,
          ahead: row?.ahead ?? 0,
          deadlines: (row?.deadlines ?? []).map((text) => {
            const [place = 0, at = 0] = text.split(" ").map(Number)
            return { place, at }
          }),
          running: row?.running ?? 0,
          takenUntil: row?.taken_until?.getTime() ?? 0,
          durationMillis: row?.duration ?? null
        }))
      ),
      paced: Effect.fn("GateStore.paced")((workspaceId, workflowIds, limit) =>
        Effect.map(
          withoutSqlErrors(sql<Gates.Row>`
            select * from gates
            where workspace_id = ${workspaceId} and (max_starts_per_minute is not null or max_running is not null)
              and waiting and removed_at is null
              and ${workflowIds === undefined ? sql`true` : sql.in("workflow_id", workflowIds)}
            order by workflow_id limit ${limit}`),
          (rows) => rows.map((row) => ({ workflowId: WorkflowId.make(row.workflow_id), gate: Gates.toGate(row) }))
        )
      ),
      change: Effect.fn("GateStore.change")((workspaceId, workflowId, decide) =>
        transaction(sql, decideAlone(workspaceId, workflowId, decide))
      ),
      changeAndCount: Effect.fn("GateStore.changeAndCount")((workspaceId, workflowId, decide, isCounted) =>
        transaction(
          sql,
          Effect.gen(function* () {
            const changed = yield* decideAlone(workspaceId, workflowId, decide)
            return { ...changed, waiting: isCounted(changed) ? yield* countAll(workflowId) : 0 }
          })
        )
      )
    })
  })
)

/** Locks a gate against other transactions until the transaction ends, and reads it. */
export const lock = (sql: SqlClient.SqlClient, workspaceId: WorkspaceId, workflowId: WorkflowId) =>
  Effect.flatMap(
    sql<Gates.Row>`
      select * from gates where workflow_id = ${workflowId} and workspace_id = ${workspaceId}
        and removed_at is null for no key update`,
    ([row]) => (row === undefined ? notFound(workflowId) : Effect.succeed(Gates.toGate(row)))
  )

/** How the interval of a gate is computed that this process writes at an instant. */
export const computedAt = Effect.fnUntraced(function* (at: number) {
  const zoneData = yield* ZoneVersion
  return { at, zoneData, decides: yield* (yield* ZoneData).decides } satisfies Gates.Computation
})

/** Writes a gate whose row is locked. */
export const write = (
  sql: SqlClient.SqlClient,
  workflowId: WorkflowId,
  change: { readonly before: Gate.Gate; readonly after: Gate.Gate },
  at: number
) =>
  Effect.andThen(
    Effect.flatMap(
      computedAt(at),
      (computed) => sql`
        update gates set ${sql.update(Gates.fromGate(change.after, computed))}, paced_until = null,
          moved_at = case when window_revision = ${change.after.windowRevision}::integer then moved_at end,
          ${ReleasedRuns.lookAgain(sql)}
        where workflow_id = ${workflowId}`
    ),
    PgHoldAnnouncements.note(sql, workflowId, change, at)
  )

const notFound = (workflowId: WorkflowId) => Effect.fail(new WorkflowNotFound({ workflowId }))
