/**
 * Removes all rows of a database. Truncating all tables takes a tenth of a second on the embedded database, which is most
 * of the time of a small test: so only the tables with rows are emptied, row by row.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The size from which truncating a table is cheaper than deleting its rows, in bytes. */
const largeBytes = 1_000_000

/** The tables with rows, and their sizes. */
export const filledTables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly name: string }>`
    select tablename as name from pg_tables
    where schemaname = 'public' and tablename not like '%migrations' order by tablename`
  return yield* sql.unsafe<{ readonly name: string; readonly bytes: number }>(
    rows
      .map(
        ({ name }) =>
          `select '${name}' as name, pg_relation_size('${name}')::float8 as bytes where exists (select from ${name})`
      )
      .join(" union all ")
  )
})

export const emptyDatabase = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const filled = yield* filledTables
  const names = filled.map(({ name }) => name)
  if (filled.length === 0) return
  if (filled.some(({ bytes }) => bytes > largeBytes)) {
    yield* sql.unsafe(`truncate ${names.join(", ")} cascade`)
    return
  }
  // Foreign keys need no check, because all rows are removed.
  yield* sql.unsafe(
    `do $$ begin
      set local session_replication_role = replica;
      ${names.map((name) => `delete from ${name};`).join("\n")}
    end $$`
  )
}).pipe(Effect.orDie)
