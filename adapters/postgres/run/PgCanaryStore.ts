/** The runs of canaries in PostgreSQL. */
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { CanaryStore } from "../../../core/run/canary/CanaryStore.ts"
import { RunId, type WorkspaceId } from "../../../core/workspace/Ids.ts"
import { withoutSqlErrors } from "../Transaction.ts"
import * as Workflows from "../tables/Workflows.ts"
import * as Writing from "../Writing.ts"

interface EndedRow {
  readonly version_id: string
  readonly status: string
  readonly runs: number
  readonly last: RunId
  readonly ended_at: Date
}

export const layer = Layer.effect(
  CanaryStore,
  Effect.map(SqlClient.SqlClient, (sql) =>
    CanaryStore.of({
      running: sql<Workflows.CanaryRow & { readonly workspace_id: WorkspaceId }>`
        select canaries.*, workspace_id from canaries join gates using (workflow_id)
        where running and removed_at is null order by workflow_id`.pipe(
        Effect.map((rows) => rows.map((row) => ({ ...Workflows.toCanary(row), workspaceId: row.workspace_id }))),
        withoutSqlErrors
      ),
      evidence: Effect.fn("CanaryStore.evidence")((workflowId, { base, candidate, startedAt }) =>
        sql<EndedRow>`
          select version_id, status, count(*)::int as runs, max(ended_at) as ended_at,
            (array_agg(id order by ended_at desc))[1] as last
          from runs
          where workflow_id = ${workflowId} and status in ('execution.success', 'execution.failed')
            and created_at >= ${new Date(startedAt)}
            and version_id in (${base.versionId}, ${candidate.versionId})
          group by version_id, status`.pipe(
          Effect.map((rows) => {
            const counted = (versionId: string) => {
              const of = (status: string) =>
                rows.find((row) => row.version_id === versionId && row.status === status)?.runs ?? 0
              return { succeeded: of("execution.success"), failed: of("execution.failed") }
            }
            const [last] = rows
              .filter((row) => row.version_id === candidate.versionId)
              .sort((a, b) => b.ended_at.getTime() - a.ended_at.getTime())
            return {
              evidence: { base: counted(base.versionId), candidate: counted(candidate.versionId) },
              last: last === undefined ? null : last.last
            }
          }),
          withoutSqlErrors
        )
      ),
      announce: Effect.fn("CanaryStore.announce")((event) =>
        Clock.currentTimeMillis.pipe(
          Effect.flatMap((at) => Writing.events(sql, [{ runId: RunId.make(event.runId), event }], at)),
          withoutSqlErrors
        )
      )
    })
  )
)
