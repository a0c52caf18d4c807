/** Takes from the insertion of a run what the rest of its row implies. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const lightRuns = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // A run names a version, which is of one workflow and so of one workspace; and it is inserted under the lock of that
  // workflow's gate. Looking all of them up again took a quarter of the time of the insertion.
  yield* sql.unsafe("alter table runs drop constraint runs_workspace_id_fkey, drop constraint runs_workflow_id_fkey")
})
