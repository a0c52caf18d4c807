/** The appearance of elements, in PostgreSQL: a row for each node of a workflow. */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { ElementMemory, mostRemembered, Remembered } from "../../../core/agent/recovery/ElementMemory.ts"
import { transaction, withoutSqlErrors } from "../Transaction.ts"

const json = Schema.fromJsonString(Remembered)
const decode = Schema.decodeUnknownSync(json)
const encode = Schema.encodeSync(json)

export const layer = Layer.effect(
  ElementMemory,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return ElementMemory.of({
      of: Effect.fn("ElementMemory.of")((workspaceId, workflowId) =>
        sql<{ readonly body: string }>`
          select body from element_memory
          where workflow_id = ${workflowId} and workspace_id = ${workspaceId} order by node_id`.pipe(
          Effect.map((rows) => rows.map(({ body }) => decode(body))),
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
            for (const one of rows) {
              yield* sql`
                insert into element_memory ${sql.insert({
                  workspace_id: workspaceId,
                  workflow_id: workflowId,
                  node_id: one.nodeId,
                  seen_at: new Date(one.seenAt),
                  body: encode(one)
                })}
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
