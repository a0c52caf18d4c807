/** Failures counted by PostgreSQL. */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { ErrorReports, type Group, order } from "../../../core/run/evidence/ErrorReports.ts"
import { asValue } from "../list/PgLabels.ts"
import { arrayOf } from "../list/PgRunSource.ts"
import { withoutSqlErrors } from "../Transaction.ts"
import * as Evidence from "../tables/Evidence.ts"

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
      report: Effect.fn("ErrorReports.report")((workspaceId, { codes, from, limit, to, workflowIds }) =>
        sql<Row>`
          with framed as materialized (
            select run_id, position, at, error_code from run_errors
            where workspace_id = ${workspaceId}
              and ${workflowIds === undefined ? sql`true` : sql`workflow_id = any(${arrayOf(workflowIds)}::uuid[])`}
              and ${codes === undefined ? sql`true` : sql.in("error_code", codes.map(asValue))}
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
    const code = Evidence.toCode({ error_code })
    const group = groups.get(error_code) ?? { code, count: Number(failures), errors: [] }
    if (run_id !== null && body !== null) {
      group.errors.push(Evidence.toFailure({ run_id, body }))
    }
    groups.set(error_code, group)
  }
  return [...groups.values()].sort(order)
}
