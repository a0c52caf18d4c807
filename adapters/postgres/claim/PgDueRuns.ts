/** The runs that are due for an end or a retry. */
import { Clock, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { Run } from "../../../core/run/Run.ts"
import type { RunStore } from "../../../core/run/RunStore.ts"
import type * as Transition from "../../../core/run/Transition.ts"
import { transaction, withoutSqlErrors } from "../Transaction.ts"
import * as Runs from "../tables/Runs.ts"
import type { LockedRuns } from "../verb/PgLockedRuns.ts"

/** The operations of the store on due runs. */
export const make = (
  sql: SqlClient.SqlClient,
  { lockedOf, write }: Pick<LockedRuns, "lockedOf" | "write">
): Pick<RunStore["Service"], "reap" | "nextDue"> => {
  /**
   * Clears the mark `waiting` of deleted workflows without waiting runs. Checked under the lock, as where turns are
   * settled.
   */
  const forgetRemoved = Effect.gen(function* () {
    const locked = yield* sql<{ readonly workflow_id: string }>`
      select workflow_id from gates where removed_at is not null and waiting for no key update skip locked`
    if (locked.length === 0) return
    const ids = locked.map((row) => row.workflow_id)
    yield* sql`
      update gates set waiting = false where ${sql.in("workflow_id", ids)} and not exists (
        select from runs where runs.workflow_id = gates.workflow_id
          and status in ('execution.queued', 'execution.requeued'))`
  })

  const reap = Effect.fn("RunStore.reap")(
    (limit: number, decide: (locked: Transition.LockedRun, now: number) => Transition.Change | null) =>
      transaction(
        sql,
        Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const due = yield* sql<Runs.Row>`
            select * from runs where id in (
              (select id from runs where status = 'execution.start' and lease_until <= ${new Date(now)}
                order by lease_until limit ${limit})
              union
              (select id from runs where status in ('execution.queued', 'execution.requeued')
                and expires_at <= ${new Date(now)} order by expires_at limit ${limit})
              union
              (select id from runs where status in ('execution.queued', 'execution.requeued')
                and started_at is null and start_by <= ${new Date(now)} order by start_by limit ${limit})
              union
              (select id from runs where status in ('execution.queued', 'execution.requeued') and workflow_id in
                (select workflow_id from gates where removed_at is not null and waiting) limit ${limit})
            ) order by id limit ${limit} for update skip locked`
          const changed: Array<Run> = []
          for (const row of due) {
            const locked = yield* lockedOf(Runs.toRun(row))
            const change = decide(locked, now)
            if (change === null) continue
            yield* write(locked, change, now)
            changed.push(change.run)
          }
          yield* forgetRemoved
          return changed
        })
      )
  )

  return {
    reap,
    nextDue: Effect.fn("RunStore.nextDue")((after) =>
      sql<{ readonly due: Date | null }>`
        select least(
          (select min(lease_until) from runs where status = 'execution.start'),
          (select min(expires_at) from runs
            where status in ('execution.queued', 'execution.requeued') and expires_at is not null),
          (select min(start_by) from runs
            where status in ('execution.queued', 'execution.requeued') and start_by is not null
              and started_at is null),
          (select min(removed_at) from gates where removed_at is not null and waiting),
          (select min(not_before) from runs where status = 'execution.requeued' and not_before > ${new Date(after)})
        ) as due`.pipe(
        Effect.map(([row]) => row?.due?.getTime() ?? null),
        withoutSqlErrors
      )
    )
  }
}
