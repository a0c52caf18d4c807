/** When models decided, beside what they decided: retention looks for the oldest. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `alter table run_decisions add column at timestamptz`,
  `update run_decisions set at = substring(body from '"created_at":"([^"]+)"')::timestamptz`,
  `alter table run_decisions alter column at set not null`,
  `create index run_decisions_by_age on run_decisions (at)`
]

export const decisionAge = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
