/** The patches of workflows in PostgreSQL. */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { kind, Patch } from "../../../core/workflow/patch/Patch.ts"
import { PatchStore } from "../../../core/workflow/patch/Patches.ts"
import * as PgCollection from "../PgCollection.ts"
import { withoutSqlErrors } from "../Transaction.ts"

const decode = Schema.decodeUnknownSync(Schema.fromJsonString(Patch))

export const layer = Layer.effect(
  PatchStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const collection = yield* PgCollection.make(kind, ({ workflowId }) => ({ workflow_id: workflowId }))
    return PatchStore.of({
      ...collection,
      ofWorkflow: Effect.fn("PatchStore.ofWorkflow")((workspaceId, workflowId) =>
        sql<{ readonly body: string }>`
          select body from patches
          where workflow_id = ${workflowId} and workspace_id = ${workspaceId} order by position`.pipe(
          Effect.map((rows) => rows.map(({ body }) => decode(body))),
          withoutSqlErrors
        )
      )
    })
  })
)
