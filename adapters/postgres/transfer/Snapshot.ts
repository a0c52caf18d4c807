/**
 * Reads all data of a database in a consistent snapshot, while others write to it.
 *
 * Events name the transaction that wrote them, which says nothing in another database. They are given numbers that keep
 * them on the same side of each place that consumers have reached.
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { type DatabaseSums, filled, rowsOf, Summing, settle, type Table, tables } from "./Content.ts"

/** The places in the log that consumers have reached, or have put off events between. */
const places = `(select distinct tx, sequence from (
  select tx, sequence from event_consumers
  union all select from_tx, from_sequence from event_backlogs
  union all select to_tx, to_sequence from event_backlogs) as all_places)`

/** The first number, above those with a meaning of their own. */
const firstNumber = 3

const numberOf = (tx: string, sequence: string): string =>
  `(${firstNumber} + (select count(*) from ${places} as place where (place.tx, place.sequence) < (${tx}, ${sequence})))::text::xid8`

/** All events of the numbers up to that of a place were passed. */
const lastSequence = (sequence: string): string => `greatest(${sequence}, (select max(sequence) from run_events))`

/** The columns whose read form differs from the stored form. */
const changed: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  run_events: { tx: numberOf("run_events.tx", "run_events.sequence") },
  event_consumers: {
    tx: numberOf("event_consumers.tx", "event_consumers.sequence"),
    sequence: lastSequence("event_consumers.sequence")
  },
  event_backlogs: {
    from_tx: numberOf("event_backlogs.from_tx", "event_backlogs.from_sequence"),
    from_sequence: lastSequence("event_backlogs.from_sequence"),
    to_tx: numberOf("event_backlogs.to_tx", "event_backlogs.to_sequence"),
    to_sequence: lastSequence("event_backlogs.to_sequence")
  }
}

/** A statement that answers the rows of a table, each as JSON. */
const reading = ({ columns, name }: Table): string => {
  const read = columns.map((column) => {
    const expression = changed[name]?.[column]
    return expression === undefined ? `"${column}"` : `${expression} as "${column}"`
  })
  return `select row_to_json(one)::text as row from (select ${read.join(", ")} from "${name}") as one`
}

/** Passes on the rows of all tables. No statement of others waits for it. */
export const take = <E, R>(
  sql: SqlClient.SqlClient,
  put: (table: Table, rows: ReadonlyArray<string>) => Effect.Effect<void, E, R>
) =>
  Effect.gen(function* () {
    yield* sql`set transaction isolation level repeatable read, read only`
    yield* settle(sql)
    const sums: Record<string, DatabaseSums["tables"][string]> = {}
    const all = yield* tables(sql)
    const names = yield* filled(sql, all)
    for (const table of all) {
      if (!names.has(table.name)) continue
      const summing = new Summing()
      yield* rowsOf(sql, reading(table), (rows) => {
        for (const row of rows) summing.add(row)
        return put(table, rows)
      })
      sums[table.name] = summing.sum
    }
    const sequences = yield* sql<{ readonly name: string; readonly last: string }>`
      select sequencename::text as name, last_value::text as last from pg_sequences
      where schemaname = current_schema() and last_value is not null order by sequencename`
    const [counted] = yield* sql.unsafe<{ readonly places: number }>(
      `select count(*)::int as places from ${places} as p`
    )
    const taken: DatabaseSums = {
      tables: sums,
      sequences: Object.fromEntries(sequences.map(({ last, name }) => [name, last])),
      transactions: firstNumber + (counted?.places ?? 0) + 1
    }
    return taken
  }).pipe(sql.withTransaction)
