/** The appearance of elements, in PostgreSQL: a row for each node of a workflow. */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { ElementMemory, ElementRecord, mostRemembered } from "../../../core/agent/recovery/ElementMemory.ts"
import type { WorkflowId, WorkspaceId } from "../../../core/workspace/Ids.ts"
import { transaction, withoutSqlErrors } from "../Transaction.ts"
import * as Table from "../tables/Table.ts"

/** What is remembered of a node, with its place. */
interface Placed {
  readonly workspaceId: WorkspaceId
  readonly workflowId: WorkflowId
  readonly remembered: ElementRecord
}

const column = Table.of<Placed>()

export const table = Table.make(
  "element_memory",
  {
    workspace_id: column(Table.uuid<WorkspaceId>(), ({ workspaceId }) => workspaceId),
    workflow_id: column(Table.uuid<WorkflowId>(), ({ workflowId }) => workflowId),
    node_id: column(Table.text, ({ remembered }) => remembered.nodeId),
    seen_at: column(Table.instant, ({ remembered }) => remembered.seenAt),
    body: column(Table.encoded(ElementRecord), ({ remembered }) => remembered)
  },
  ["workflow_id", "node_id"]
)

export const layer = Layer.effect(
  ElementMemory,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return ElementMemory.of({
      of: Effect.fn("ElementMemory.of")((workspaceId, workflowId) =>
        sql<Table.Row<typeof table.columns>>`
          select * from element_memory
          where workflow_id = ${workflowId} and workspace_id = ${workspaceId} order by node_id`.pipe(
          Effect.map((rows) => rows.map((row) => table.decode(row).body)),
          withoutSqlErrors
        )
      ),
      keep: Effect.fn("ElementMemory.keep")(function* (workspaceId, workflowId, seen) {
        // In one order everywhere, so that two runs that end at once do not wait for each other.
        const rows = [...seen].sort((a, b) => (a.nodeId < b.nodeId ? -1 : 1))
        if (rows.length === 0) return
        yield* transaction(
          sql,
          Effect.gen(function* () {
            const [owner] = yield* sql<{ readonly id: string }>`
              select id from workflows join gates on gates.workflow_id = workflows.id
              where id = ${workflowId} and workflows.workspace_id = ${workspaceId} and removed_at is null
              for share of gates`
            if (owner === undefined) return
            for (const remembered of rows) {
              yield* sql`
                insert into element_memory ${sql.insert(table.encode({ workspaceId, workflowId, remembered }))}
                on conflict (workflow_id, node_id) do update set seen_at = excluded.seen_at, body = excluded.body
                where element_memory.seen_at <= excluded.seen_at`
            }
            yield* sql`
              delete from element_memory where (workflow_id, node_id) in (
                select workflow_id, node_id from element_memory where workflow_id = ${workflowId}
                order by seen_at desc, node_id offset ${mostRemembered})`
          })
        )
      })
    })
  })
)
