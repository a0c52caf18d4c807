/** Sign-in links arrive like codes, and are distinguished from them. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `alter table received_codes add column kind text not null default 'code' check (kind in ('code', 'link'))`,
  `alter table received_codes alter column kind drop default`
]

export const receivedLinks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
