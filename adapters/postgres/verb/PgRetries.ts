/** Runs that repeat ended runs, in PostgreSQL. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { AlreadyRetried, type RunStore } from "../../../core/run/RunStore.ts"
import { type RunId, RunNotFound } from "../../../core/workspace/Ids.ts"
import type { Submit } from "../run/PgSubmit.ts"
import { transaction, withoutSqlErrors } from "../Transaction.ts"

interface Row {
  readonly id: RunId
  readonly retry_of: RunId
}

export const make = (sql: SqlClient.SqlClient, submit: Submit) => {
  const of = (ids: ReadonlyArray<RunId>) =>
    sql<Row>`select id, retry_of from runs where ${sql.in("retry_of", ids)} order by sequence`.pipe(
      Effect.map((rows) => rows.map((row) => ({ of: row.retry_of, retry: row.id }))),
      withoutSqlErrors
    )

  const retry = (submission: Parameters<RunStore["Service"]["retry"]>[0], isLatest: boolean) =>
    transaction(
      sql,
      Effect.gen(function* () {
        const { of: id, reason } = submission.retry
        // Retries of one run wait for each other at its row, which is locked before the gate.
        const [locked] = yield* sql`
          select id from runs where id = ${id} and workspace_id = ${submission.workspaceId} for no key update`
        if (locked === undefined) return yield* new RunNotFound({ sessionId: id })
        const [before] = yield* of([id])
        if (before !== undefined && reason === null) {
          return yield* new AlreadyRetried({ sessionId: id, retriedAs: before.retry })
        }
        // A retry has no reference to itself.
        return yield* submit(submission, isLatest).pipe(Effect.catchTag("ReferenceTaken", Effect.die))
      })
    )

  return { of, retry }
}
