/** Which time step of a secret for one-time codes was used last. The secret is known by its fingerprint. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `create table time_steps (
    key text primary key,
    last_step bigint not null,
    until timestamptz not null
  )`,
  `create index time_steps_by_age on time_steps (until)`
]

export const timeSteps = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
