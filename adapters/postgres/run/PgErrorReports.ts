/** Failures counted by PostgreSQL. */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { RunFailure } from "../../../core/event/RunFailure.ts"
import { ErrorReports, type Group, order } from "../../../core/run/evidence/ErrorReports.ts"
import type { RunId } from "../../../core/workspace/Ids.ts"
import { withoutSqlErrors } from "../Transaction.ts"

interface Row {
  readonly error_code: string
  readonly failures: bigint
  readonly run_id: string | null
  readonly body: string | null
}

export const layer = Layer.effect(
  ErrorReports,
  Effect.map(SqlClient.SqlClient, (sql) =>
    ErrorReports.of({
      report: Effect.fn("ErrorReports.report")((workspaceId, workflowId, { from, limit, to }) =>
        sql<Row>`
          with framed as materialized (
            select run_id, position, at, error_code from run_errors
            where workflow_id = ${workflowId} and workspace_id = ${workspaceId}
              and at >= ${new Date(from)} and at <= ${new Date(to)}
          ), groups as (
            select error_code, count(*) as failures from framed group by error_code
          ), newest as (
            select framed.*, body from (select * from framed order by at desc, run_id, position limit ${limit}) as framed
            join run_errors using (run_id, position)
          )
          select groups.error_code, groups.failures, newest.run_id, newest.body
          from groups left join newest on newest.error_code = groups.error_code
          order by newest.at desc, newest.run_id, newest.position`.pipe(Effect.map(toGroups), withoutSqlErrors)
      )
    })
  )
)

/** The groups, each with its failures in the order of the rows. */
const toGroups = (rows: ReadonlyArray<Row>): ReadonlyArray<Group> => {
  const groups = new Map<string, Group & { readonly errors: Array<Group["errors"][number]> }>()
  for (const { body, error_code, failures, run_id } of rows) {
    const code = JSON.parse(error_code) as string
    const group = groups.get(error_code) ?? { code, count: Number(failures), errors: [] }
    if (run_id !== null && body !== null) {
      group.errors.push({ runId: run_id as RunId, error: JSON.parse(body) as RunFailure })
    }
    groups.set(error_code, group)
  }
  return [...groups.values()].sort(order)
}
