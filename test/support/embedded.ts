/**
 * The stores on an embedded database that tests of the HTTP interface share. After a test file, its database is emptied and
 * reused by the next file, because making one takes half a second.
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Database from "../../adapters/embedded/Database.ts"
import * as Embedded from "../../adapters/embedded/Embedded.ts"
import * as MemoryArtifacts from "../../adapters/memory/run/MemoryArtifacts.ts"
import { embeddedTemplate } from "./embeddedTemplate.ts"
import { emptyDatabase, filledTables } from "./emptyDatabase.ts"

/** The unused databases. */
const idle: Array<Database.Database> = []

/** A database that no other test uses until the scope closes. */
export const sharedDatabase = Effect.acquireRelease(
  Effect.promise(async () => idle.pop() ?? (await Database.open({ folder: null, template: await embeddedTemplate() }))),
  (open) => Effect.sync(() => void idle.push(open))
)

/** The last dump of each database, and its snapshot: the transactions that had ended. */
const dumps = new WeakMap<SqlClient.SqlClient, { readonly snapshot: string; readonly text: string }>()

/** All stored rows as text, for comparison and search. They are read again only after a transaction that wrote. */
export const dump = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [{ snapshot } = { snapshot: "" }] = yield* sql.unsafe<{ readonly snapshot: string }>(
    "select pg_current_snapshot()::text as snapshot"
  )
  const before = dumps.get(sql)
  if (before !== undefined && before.snapshot === snapshot) return before.text
  const text = yield* rowsOf(sql)
  dumps.set(sql, { snapshot, text })
  return text
}).pipe(Effect.orDie)

const rowsOf = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const parts = (yield* filledTables).map(
    ({ name }) =>
      `select '${name}' as name, string_agg(row_to_json(t)::text, ',' order by t::text) as rows from ${name} t`
  )
  if (parts.length === 0) return ""
  const all = yield* sql.unsafe<{ readonly name: string; readonly rows: string }>(parts.join(" union all "))
  return all.map(({ name, rows }) => `${name}: ${rows}`).join("\n")
})

/** The stores, empty at the start. */
export const layer = Layer.effectDiscard(emptyDatabase).pipe(
  Layer.provideMerge(
    Layer.merge(
      Embedded.layerOn(Layer.unwrap(Effect.map(sharedDatabase, Embedded.layerClientOf))),
      MemoryArtifacts.layer
    )
  ),
  Layer.orDie
)
