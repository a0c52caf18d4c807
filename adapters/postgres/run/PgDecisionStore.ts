/** Decisions of models in PostgreSQL. */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { DecisionStore, mostDecisions } from "../../../core/run/evidence/DecisionStore.ts"
import { withoutSqlErrors } from "../Transaction.ts"
import { decisions } from "../tables/Evidence.ts"
import type * as Table from "../tables/Table.ts"

export const layer = Layer.effect(
  DecisionStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return DecisionStore.of({
      // A run has one attempt at a time, so positions do not collide. A decision of a lost attempt that collides may be
      // dropped.
      keep: Effect.fn("DecisionStore.keep")((runId, decision) =>
        sql`
          insert into run_decisions (run_id, position, at, body)
          select ${runId}, count(*) + 1, ${new Date(decision.at)}, ${JSON.stringify(decision)}
          from run_decisions where run_id = ${runId}
          having count(*) < ${mostDecisions}
          on conflict do nothing`.pipe(Effect.asVoid, withoutSqlErrors)
      ),
      expire: Effect.fn("DecisionStore.expire")((before, limit) =>
        // Each way by its own index.
        sql`
          delete from run_decisions where (run_id, position) in (
            select run_id, position from run_decisions where (run_id, position) in (
              (select run_id, position from run_decisions where at < ${new Date(before)} order by at limit ${limit})
              union
              (select run_id, position from run_decisions where run_id in
                (select id from runs join gates using (workflow_id) where removed_at is not null) limit ${limit})
            ) limit ${limit} for update skip locked) returning 1`.pipe(
          Effect.map(({ length }) => length),
          withoutSqlErrors
        )
      ),
      of: Effect.fn("DecisionStore.of")((runId) =>
        sql<Table.Row<typeof decisions.columns>>`
          select * from run_decisions where run_id = ${runId} order by position`.pipe(
          Effect.map((rows) => rows.map((row) => decisions.decode(row).body)),
          withoutSqlErrors
        )
      )
    })
  })
)
