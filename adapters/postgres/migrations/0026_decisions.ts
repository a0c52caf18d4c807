/**
 * What models decided in runs. What comes from pages and users is kept as JSON text: it may hold any character.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `create table run_decisions (
    run_id uuid not null references runs,
    position integer not null,
    body text not null,
    primary key (run_id, position)
  )`
]

export const decisions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
