/**
 * What an installation keeps in its database, as it goes into a backup or into another database: the tables in an order
 * in which each comes after those that it refers to, and a digest that tells whether all rows arrived.
 */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"

/** A table with the columns that are written. */
export interface Table {
  readonly name: string
  readonly columns: ReadonlyArray<string>
}

/** How many rows a table has, and a digest of them that does not depend on their order. */
export interface Sum {
  readonly rows: number
  readonly digest: string
}

/** What was read of a database. */
export interface DatabaseSums {
  /** The tables that have rows. */
  readonly tables: Readonly<Record<string, Sum>>
  /** The last value of each sequence that was used. */
  readonly sequences: Readonly<Record<string, string>>
  /** A number above each transaction that events name. */
  readonly transactions: number
}

/** Tables that say nothing about another database: the processes that use it, beside its own migrations. */
const own = ["processes"]

/** The tables that survive a crash. */
export const tables = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const found = yield* sql<Table & { readonly refers: ReadonlyArray<string> }>`
    select relname::text as name,
      array(select attname::text from pg_attribute
        where attrelid = one.oid and attnum > 0 and not attisdropped and attgenerated = '' order by attnum) as columns,
      array(select distinct other.relname::text from pg_constraint
        join pg_class other on other.oid = confrelid
        where conrelid = one.oid and contype = 'f' and confrelid <> one.oid) as refers
    from pg_class one
    where relnamespace = current_schema()::regnamespace and relkind = 'r' and relpersistence = 'p'
      and not ${sql.in("relname", own)} and relname not like '%\\_migrations'
    order by relname`
  const ordered: Array<Table> = []
  const left = new Map(found.map((table) => [table.name, table]))
  while (left.size > 0) {
    const ready = [...left.values()].filter(({ refers }) => refers.every((name) => !left.has(name)))
    if (ready.length === 0) throw new Error(`The tables ${[...left.keys()].join(", ")} refer to each other`)
    for (const { columns, name } of ready) {
      left.delete(name)
      ordered.push({ name, columns })
    }
  }
  return ordered
})

/** The names of the tables that have rows. */
export const filled = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, all: ReadonlyArray<Table>) {
  const parts = all.map(({ name }) => `select '${name}' as name where exists (select from "${name}")`)
  const rows = yield* sql.unsafe<{ readonly name: string }>(parts.join(" union all "))
  return new Set(rows.map(({ name }) => name))
})

/** The bytes of a digest. */
const digestBytes = 16
const modulus = 1n << BigInt(digestBytes * 8)

/** Adds up the rows of a table. */
export class Summing {
  private rows = 0
  private total = 0n

  add(row: string): void {
    this.rows += 1
    const hash = createHash("sha256").update(row).digest("hex")
    this.total = (this.total + BigInt(`0x${hash.slice(0, digestBytes * 2)}`)) % modulus
  }

  get sum(): Sum {
    return { rows: this.rows, digest: this.total.toString(16).padStart(digestBytes * 2, "0") }
  }
}

/** Settings under which the text of a row depends on its values only, and a long transaction is not ended. */
export const settle = (sql: SqlClient.SqlClient) =>
  sql.unsafe(
    "select set_config('timezone', 'UTC', true), set_config('extra_float_digits', '1', true), set_config('statement_timeout', '0', true), set_config('idle_in_transaction_session_timeout', '0', true)"
  )

/** The size of one read of rows in bytes, estimated from the former rows. */
const askedBytes = 4 * 1_024 * 1_024
const mostRows = 2_000

/** Passes on the rows that a statement answers as `row`, some at a time. Must run in a transaction. */
export const rowsOf = Effect.fnUntraced(function* <E, R>(
  sql: SqlClient.SqlClient,
  statement: string,
  take: (rows: ReadonlyArray<string>) => Effect.Effect<void, E, R>
) {
  yield* sql.unsafe(`declare taken no scroll cursor for ${statement}`)
  let count = 16
  for (;;) {
    const found = yield* sql.unsafe<{ readonly row: string }>(`fetch ${count} from taken`)
    if (found.length === 0) break
    const rows = found.map(({ row }) => row)
    yield* take(rows)
    const bytes = rows.reduce((total, row) => total + row.length, 0)
    count = Math.max(1, Math.min(mostRows, Math.floor((askedBytes * rows.length) / bytes)))
  }
  yield* sql.unsafe("close taken")
})
