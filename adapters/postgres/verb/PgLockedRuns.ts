/** A run whose row is locked, and the effects of a change of it on other rows. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { isRunning, isWaiting, LeaseLost, type Run } from "../../../core/run/Run.ts"
import type { GatedRun, LeaseRef } from "../../../core/run/RunStore.ts"
import * as Slots from "../../../core/run/Slots.ts"
import type * as Transition from "../../../core/run/Transition.ts"
import * as PgFailedLogins from "../claim/PgFailedLogins.ts"
import * as PgLimits from "../claim/PgLimits.ts"
import * as PgPaces from "../claim/PgPaces.ts"
import * as PgSlots from "../claim/PgSlots.ts"
import * as Gates from "../tables/Gates.ts"
import * as Runs from "../tables/Runs.ts"
import * as Writing from "../Writing.ts"

export type LockedRuns = ReturnType<typeof make>

/** Whether limits may count a run. */
interface Limited {
  readonly isLimited: boolean
}

/** The reads and writes of single runs that several operations of the store share. */
export const make = (sql: SqlClient.SqlClient) => {
  const rowOf = (run: Pick<Run, "id" | "workflowId">) =>
    Effect.map(
      sql<Gates.Row & Gates.LimitedRow>`select * from gates where workflow_id = ${run.workflowId}`,
      ([row]) => {
        if (row === undefined) throw new Error(`Run ${run.id} has no gate`)
        return row
      }
    )

  const gateOf = (run: Pick<Run, "id" | "workflowId">) => Effect.map(rowOf(run), Gates.toGate)

  /** The facts that decisions read, for a run whose row is locked. */
  const lockedOf = Effect.fnUntraced(function* <R extends Run>(run: R) {
    const row = yield* rowOf(run)
    const locked: Transition.LockedRun<R> & Limited = {
      run,
      gate: Gates.toGate(row),
      isLimited: row.limited !== null,
      files: yield* Writing.filesOf(sql, run)
    }
    return locked
  })

  /** The run of a lease, locked. */
  const owned = Effect.fnUntraced(function* ({ fence, id }: LeaseRef) {
    const [row] = yield* sql<Runs.Row>`
      select * from runs where id = ${id} and lease_fence = ${fence} for update`
    const run = row === undefined ? null : Runs.toRun(row)
    return run !== null && isRunning(run) ? run : yield* new LeaseLost({ sessionId: id, fence })
  })

  /** Locks are taken in the order run, gate, entries of the vault. */
  const write = ({ gate, isLimited, run: before }: GatedRun & Limited, change: Transition.Change, at: number) =>
    Effect.gen(function* () {
      yield* Writing.changes(sql, [{ ...change, before }], at)
      const limits = yield* PgLimits.namesOf(sql, isLimited && isRunning(before) ? [PgLimits.drawnOf(before)] : [])
      yield* PgSlots.giveBack(sql, [...Slots.freed(before.credentials, change.run.credentials), ...limits])
      yield* PgPaces.lookAgain(sql, isRunning(before) ? [{ workflowId: before.workflowId, pace: gate.pace }] : [])
      if (isWaiting(change.run)) yield* remind(change.run)
      yield* PgFailedLogins.note(sql, change, at)
    })

  /**
   * Lets claims find the gate of a run that waits again from the instant on at which the run may start. The lock keeps
   * a claim from forgetting the gate meanwhile.
   */
  const remind = ({ notBefore, release, workflowId }: Run) => {
    const from = new Date(notBefore)
    const isReleased = release !== null
    return sql`select from gates where workflow_id = ${workflowId} for no key update`.pipe(
      Effect.andThen(sql`
        update gates set waiting = true, ready_at = case when waiting then least(ready_at, ${from}) else ${from} end,
          released_ready_at = case when ${isReleased} then least(released_ready_at, ${from}) else released_ready_at end
        where workflow_id = ${workflowId} and (not waiting or ready_at > ${from}
          or (${isReleased} and (released_ready_at is null or released_ready_at > ${from})))`)
    )
  }

  return { gateOf, lockedOf, owned, remind, write }
}
