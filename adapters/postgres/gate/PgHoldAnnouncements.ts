/**
 * Announces to the waiting runs of a gate that an edit closed it: not in the edit, whose cost does not depend on how
 * many wait, but afterwards, in pieces. Where both are locked, the gate is locked before its announcement.
 */
import { Clock, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import * as Gate from "../../../core/gate/Gate.ts"
import type { Announce } from "../../../core/run/RunStore.ts"
import { transaction } from "../Transaction.ts"
import * as Gates from "../tables/Gates.ts"
import * as Runs from "../tables/Runs.ts"
import * as Writing from "../Writing.ts"

/** Records, while a gate is locked, that the runs waiting now get an event, if the edit holds them. */
export const note = (
  sql: SqlClient.SqlClient,
  workflowId: string,
  { after, before }: { readonly before: Gate.Gate; readonly after: Gate.Gate },
  at: number
) =>
  Gate.mayStart(before, at) && !Gate.mayStart(after, at)
    ? sql`
        insert into hold_announcements (workflow_id, told_to, last)
        select workflow_id, 0, sequence from runs
        where workflow_id = ${workflowId} and status in ('execution.queued', 'execution.requeued')
        order by sequence desc limit 1
        on conflict (workflow_id) do update set told_to = 0, last = excluded.last`.pipe(Effect.asVoid)
    : Effect.void

/** Announces the hold to up to `limit` runs of one gate, and returns whether there may be more. */
export const tell = (sql: SqlClient.SqlClient, limit: number, announce: Announce) =>
  transaction(
    sql,
    Effect.gen(function* () {
      const [next] = yield* sql<{ readonly workflow_id: string }>`select workflow_id from hold_announcements limit 1`
      if (next === undefined) return false
      const [gateRow] = yield* sql<Gates.Row>`select * from gates where workflow_id = ${next.workflow_id} for share`
      const [place] = yield* sql<{ readonly told_to: bigint; readonly last: bigint }>`
        select told_to, last from hold_announcements where workflow_id = ${next.workflow_id} for update skip locked`
      if (gateRow === undefined || place === undefined) return false
      const gate = Gates.toGate(gateRow)
      const now = yield* Clock.currentTimeMillis
      const rows = Gate.mayStart(gate, now)
        ? []
        : yield* sql<Runs.Row & { readonly sequence: bigint }>`
            select * from runs where workflow_id = ${next.workflow_id}
              and status in ('execution.queued', 'execution.requeued')
              and sequence > ${place.told_to} and sequence <= ${place.last}
            order by sequence limit ${limit}`
      yield* Writing.events(
        sql,
        rows.map(Runs.toRun).flatMap((run) => announce({ run, gate }, now).map((event) => ({ runId: run.id, event }))),
        now
      )
      const last = rows.at(-1)
      if (last === undefined || rows.length < limit) {
        yield* sql`delete from hold_announcements where workflow_id = ${next.workflow_id}`
      } else {
        yield* sql`
          update hold_announcements set told_to = ${last.sequence} where workflow_id = ${next.workflow_id}`
      }
      return true
    })
  )
