/** API keys get names, so that users can distinguish them. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const keyNames = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table api_keys add column name text`
})
