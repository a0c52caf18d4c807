/** The patches of workflows in PostgreSQL. */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { kind } from "../../../core/workflow/patch/Patch.ts"
import { PatchStore } from "../../../core/workflow/patch/PatchStore.ts"
import * as PgCollection from "../PgCollection.ts"
import { withoutSqlErrors } from "../Transaction.ts"
import { patches } from "../tables/Workflows.ts"

const read = PgCollection.reader(kind)

export const layer = Layer.effect(
  PatchStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const collection = yield* PgCollection.make(kind, patches)
    return PatchStore.of({
      ...collection,
      ofWorkflow: Effect.fn("PatchStore.ofWorkflow")((workspaceId, workflowId) =>
        sql<PgCollection.Row>`
          select id, body from patches
          where workflow_id = ${workflowId} and workspace_id = ${workspaceId} order by position`.pipe(
          Effect.map((rows) => rows.map(read)),
          withoutSqlErrors
        )
      )
    })
  })
)
