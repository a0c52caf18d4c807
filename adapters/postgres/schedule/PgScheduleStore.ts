/**
 * Schedules in PostgreSQL.
 *
 * Locks are taken in the order run, gate, schedule: an edit of a window, which locks its gate, marks the schedules that
 * follow it.
 */
import { Clock, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { RunStore } from "../../../core/run/RunStore.ts"
import * as Transition from "../../../core/run/Transition.ts"
import * as RunSchedule from "../../../core/schedule/RunSchedule.ts"
import {
  type Decidable,
  type GatedSchedule,
  keptMillis,
  ScheduleOutdated,
  ScheduleStore,
  type Step
} from "../../../core/schedule/ScheduleStore.ts"
import { type RunId, WorkflowNotFound, type WorkspaceId } from "../../../core/workspace/Ids.ts"
import { transaction, withoutSqlErrors } from "../Transaction.ts"
import * as Gates from "../tables/Gates.ts"
import type * as Table from "../tables/Table.ts"
import * as ScheduleTables from "./ScheduleTables.ts"

/** A schedule beside the gate of its workflow. */
type PlacedRow = Gates.Row & { readonly schedule_id: RunSchedule.ScheduleId; readonly body: string }

const toPlaced = (row: PlacedRow): GatedSchedule => ({
  schedule: ScheduleTables.toSchedule(row),
  gate: Gates.toGate(row)
})

export const layer = Layer.effect(
  ScheduleStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const runs = yield* RunStore

    const placed = sql`
      select gates.*, schedules.id as schedule_id, schedules.body from schedules join gates using (workflow_id)`

    const named = (workspaceId: WorkspaceId, id: RunSchedule.ScheduleId) =>
      sql`schedules.id = ${id} and schedules.workspace_id = ${workspaceId} and gates.removed_at is null`

    const required = ([row]: ReadonlyArray<PlacedRow>, id: RunSchedule.ScheduleId) =>
      row === undefined
        ? Effect.fail(new RunSchedule.ScheduleNotFound({ scheduleId: id }))
        : Effect.succeed(toPlaced(row))

    const write = (schedule: RunSchedule.RunSchedule) =>
      sql`update schedules set ${sql.update(ScheduleTables.states.encode(schedule))} where id = ${schedule.id}`

    const open = sql`select runs.id from runs where runs.id = any(schedules.runs::uuid[]) and runs.ended_at is null`

    const isCurrent = (before: RunSchedule.RunSchedule) => sql`id = ${before.id} and revision = ${before.revision}`

    const stop = ({ before, why }: Step, id: RunId) =>
      runs
        .change(before.workspaceId, id, (locked, at) =>
          Transition.interrupt(locked, at, { code: "INTERRUPTED-E0001", message: why, address: null })
        )
        .pipe(Effect.catchTags({ RunEnded: () => Effect.void, RunNotFound: () => Effect.void }))

    /** The windows since the one that a schedule follows, of those that were edited since. */
    const withFormer = Effect.fnUntraced(function* (
      placed: GatedSchedule
    ): Effect.fn.Return<Decidable, SqlError.SqlError> {
      const { gate, schedule } = placed
      if (!RunSchedule.isOutdated(schedule, gate)) return { ...placed, former: [] }
      const rows = yield* sql<Gates.WindowRow>`
        select revision, definition, set_at, set_by from run_windows
        where workflow_id = ${schedule.workflowId}
          and revision between ${schedule.windowRevision} and ${gate.windowRevision} order by revision`
      return { ...placed, former: RunSchedule.formerWindows(rows.map(Gates.toWindow)) }
    })

    /** Records firings; returns whether none of them was dealt with before. */
    const noteFirings = Effect.fnUntraced(function* ({ after, firings }: Pick<Step, "after" | "firings">, now: number) {
      const [first, ...rest] = firings.map((one) => ScheduleTables.firings.encode({ ...one, scheduleId: after.id }))
      if (first === undefined) return true
      // An instant that waited for an earlier run is dealt with once more; no other one is.
      const noted = yield* sql`
        insert into schedule_firings ${sql.insert([first, ...rest])}
        on conflict (schedule_id, instant, by_hand) do update set
          decided_at = excluded.decided_at, outcome = excluded.outcome, run_id = excluded.run_id,
          reason = excluded.reason
        where schedule_firings.outcome = 'queued' returning instant`
      yield* sql`
        delete from schedule_firings where schedule_id = ${after.id} and decided_at < ${new Date(now - keptMillis)}`
      return noted.length === firings.length
    })

    const commit = Effect.fn("ScheduleStore.commit")(function* (step: Step) {
      const { after, before, replaces, submission } = step
      return yield* transaction(
        sql,
        Effect.gen(function* () {
          // Without a lock, so that a late process does not submit runs that it would have to undo.
          const seen = yield* sql`select from schedules where ${isCurrent(before)}`
          if (seen.length === 0) return yield* new ScheduleOutdated()
          for (const id of replaces) yield* stop(step, id)
          const submitted =
            submission === null
              ? null
              : yield* runs.submit(submission).pipe(Effect.catchTag("ReferenceTaken", Effect.die))
          const locked = yield* sql`select from schedules where ${isCurrent(before)} for update`
          if (locked.length === 0) return yield* new ScheduleOutdated()
          yield* write(after)
          const areNew = yield* noteFirings(step, yield* Clock.currentTimeMillis)
          if (!areNew) return yield* new ScheduleOutdated()
          return submitted
        })
      )
    })

    return ScheduleStore.of({
      commit,
      insert: Effect.fn("ScheduleStore.insert")((schedule) =>
        transaction(
          sql,
          Effect.gen(function* () {
            const { workflowId, workspaceId } = schedule
            const gates = yield* sql`
              select from gates where workflow_id = ${workflowId} and workspace_id = ${workspaceId}
                and removed_at is null for share`
            if (gates.length === 0) return yield* new WorkflowNotFound({ workflowId })
            yield* sql`insert into schedules ${sql.insert(ScheduleTables.schedules.encode(schedule))}`
          })
        )
      ),
      get: Effect.fn("ScheduleStore.get")((workspaceId, id) =>
        sql<PlacedRow>`${placed} where ${named(workspaceId, id)}`.pipe(
          Effect.flatMap((rows) => required(rows, id)),
          withoutSqlErrors
        )
      ),
      list: Effect.fn("ScheduleStore.list")((workspaceId, { after, limit, workflowId }) => {
        const conditions = [
          sql`schedules.workspace_id = ${workspaceId}`,
          sql`gates.removed_at is null`,
          ...(workflowId === undefined ? [] : [sql`schedules.workflow_id = ${workflowId}`]),
          ...(after === undefined ? [] : [sql`schedules.id > ${after}`])
        ]
        return sql<PlacedRow>`${placed} where ${sql.and(conditions)} order by schedules.id limit ${limit}`.pipe(
          Effect.map((rows) => rows.map(toPlaced)),
          withoutSqlErrors
        )
      }),
      change: Effect.fn("ScheduleStore.change")((workspaceId, id, decide) =>
        transaction(
          sql,
          Effect.gen(function* () {
            const rows = yield* sql<PlacedRow>`${placed} where ${named(workspaceId, id)} for update of schedules`
            const before = yield* required(rows, id)
            const now = yield* Clock.currentTimeMillis
            const { firings, schedule } = yield* Effect.fromResult(decide(yield* withFormer(before), now))
            if (schedule !== before.schedule) yield* write(schedule)
            yield* noteFirings({ after: schedule, firings: firings.map((one) => ({ ...one, runId: null })) }, now)
            return { ...before, schedule }
          })
        )
      ),
      remove: Effect.fn("ScheduleStore.remove")((workspaceId, id) =>
        transaction(
          sql,
          Effect.gen(function* () {
            const rows = yield* sql<PlacedRow>`${placed} where ${named(workspaceId, id)} for update of schedules`
            const before = yield* required(rows, id)
            yield* sql`delete from schedules where id = ${id}`
            return before
          })
        )
      ),
      firings: Effect.fn("ScheduleStore.firings")((id, limit) =>
        sql<Table.Row<typeof ScheduleTables.firings.columns>>`
          select * from schedule_firings where schedule_id = ${id} order by instant desc limit ${limit}`.pipe(
          Effect.map((rows) => rows.map(ScheduleTables.toFiring)),
          withoutSqlErrors
        )
      ),
      due: Effect.fn("ScheduleStore.due")((limit) =>
        Effect.gen(function* () {
          const now = new Date(yield* Clock.currentTimeMillis)
          const rows = yield* sql<PlacedRow & { readonly open: ReadonlyArray<RunId> }>`
            with due as (
              (select id from schedules where due_at <= ${now} order by due_at limit ${limit})
              union
              (select id from schedules where waits and not exists (${open}) limit ${limit})
            )
            select placed.*, array(${open})::text[] as open
            from schedules join due using (id) join (${placed}) placed on placed.schedule_id = schedules.id
            where placed.removed_at is null order by schedules.due_at nulls last limit ${limit}`
          return yield* Effect.forEach(rows, (row) =>
            Effect.map(withFormer(toPlaced(row)), (placed) => ({ ...placed, open: row.open }))
          )
        }).pipe(withoutSqlErrors)
      ),
      nextDue: sql<{ readonly at: Date | null; readonly waits: boolean }>`
        select (select min(due_at) from schedules where due_at is not null) as at,
          exists (select from schedules where waits) as waits`.pipe(
        Effect.map(([row]) => ({ at: row?.at?.getTime() ?? null, waits: row?.waits ?? false })),
        withoutSqlErrors
      )
    })
  })
)
