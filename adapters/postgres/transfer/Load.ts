/**
 * Copies the rows of one database into another one of the same schema, in one transaction: all rows are written and
 * checked, or nothing is changed.
 */
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { type DatabaseSums, filled, rowsOf, Summing, settle, type Table, tables } from "./Content.ts"

/** Raised for a database that has data. */
export class NotEmpty extends Schema.TaggedError<NotEmpty>()("NotEmpty", { table: Schema.String }) {
  override get message() {
    return `Cannot write to this database: it has data already, in the table ${this.table}. Nothing was changed; name an empty database or data folder`
  }
}

/** Raised when the rows in the database are not those that were read. */
export class Different extends Schema.TaggedError<Different>()("Different", {
  table: Schema.String,
  expected: Schema.Int,
  found: Schema.Int
}) {
  override get message() {
    return `The rows of the table ${this.table} are not those that were read: ${this.expected} were expected, ${this.found} arrived. Nothing was changed`
  }
}

/** Writes rows, each as JSON, into a table. */
type Insert = (table: string, rows: ReadonlyArray<string>) => Effect.Effect<void, SqlError.SqlError>

const quoted = (names: ReadonlyArray<string>): string => names.map((name) => `"${name}"`).join(", ")

/**
 * Runs `fill`, which inserts rows and answers what was read, and then `check`, which may refuse what is there by then.
 * No trigger runs for the rows: what triggers would write is among them.
 */
export const into = <E, R, F, S>(
  sql: SqlClient.SqlClient,
  fill: (insert: Insert) => Effect.Effect<DatabaseSums, E, R>,
  check: Effect.Effect<void, F, S>
) =>
  Effect.gen(function* () {
    yield* settle(sql)
    const all = yield* tables(sql)
    yield* sql.unsafe(`lock table ${quoted(all.map(({ name }) => name))} in access exclusive mode`)
    const [full] = yield* filled(sql, all)
    if (full !== undefined) return yield* new NotEmpty({ table: full })
    yield* triggers(sql, all, "disable")
    const columns = new Map(all.map((table) => [table.name, quoted(table.columns)]))
    const taken = yield* fill((table, rows) =>
      sql
        .unsafe(
          `insert into "${table}" (${columns.get(table)}) overriding system value
           select ${columns.get(table)} from json_populate_recordset(null::"${table}", $1::text::json)`,
          [`[${rows.join(",")}]`]
        )
        .pipe(Effect.asVoid)
    )
    yield* verify(sql, all, taken)
    for (const [name, last] of Object.entries(taken.sequences)) {
      yield* sql`select setval(${`"${name}"`}::text::regclass, ${last}::text::bigint)`
    }
    yield* passTransactions(sql, taken.transactions)
    yield* triggers(sql, all, "enable")
    yield* check
    return taken
  }).pipe(sql.withTransaction)

const triggers = (sql: SqlClient.SqlClient, all: ReadonlyArray<Table>, change: "enable" | "disable") =>
  sql.unsafe(`do $$ begin ${all.map(({ name }) => `alter table "${name}" ${change} trigger user;`).join(" ")} end $$`)

/** Reads all rows again and compares them. */
const verify = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, all: ReadonlyArray<Table>, taken: DatabaseSums) {
  const names = yield* filled(sql, all)
  for (const { columns, name } of all) {
    if (!names.has(name) && taken.tables[name] === undefined) continue
    const summing = new Summing()
    yield* rowsOf(
      sql,
      `select row_to_json(one)::text as row from (select ${quoted(columns)} from "${name}") as one`,
      (rows) =>
        Effect.sync(() => {
          for (const row of rows) summing.add(row)
        })
    )
    const [expected, { digest, rows }] = [taken.tables[name], summing.sum]
    if (digest !== (expected?.digest ?? new Summing().sum.digest) || rows !== (expected?.rows ?? 0))
      return yield* new Different({ table: name, expected: expected?.rows ?? 0, found: rows })
  }
})

/** Uses up transaction numbers until those of later events are above those that were read. */
const passTransactions = (sql: SqlClient.SqlClient, number: number) =>
  sql.unsafe(`do $$
    declare
      reached bigint := pg_current_xact_id()::text::bigint;
    begin
      while reached <= ${number} loop
        begin
          -- A subtransaction that writes takes a number.
          create temporary table number_taken () on commit drop;
          drop table number_taken;
          reached := reached + 1;
        exception when others then raise;
        end;
      end loop;
    end $$`)
