/**
 * The stores on an embedded database that tests of the HTTP interface share: a database that a test file has done with is
 * emptied and given to the next one, because making one takes half a second.
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Database from "../../adapters/embedded/Database.ts"
import * as Embedded from "../../adapters/embedded/Embedded.ts"
import * as MemoryArtifacts from "../../adapters/memory/run/MemoryArtifacts.ts"
import { embeddedTemplate } from "./embeddedTemplate.ts"

/** The databases that no test uses now. */
const idle: Array<Database.Database> = []

const database = Effect.acquireRelease(
  Effect.promise(async () => idle.pop() ?? (await Database.open({ folder: null, template: await embeddedTemplate() }))),
  (open) => Effect.sync(() => void idle.push(open))
)

/** The tables that hold what was stored. */
const tables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly name: string }>`
    select tablename as name from pg_tables
    where schemaname = 'public' and tablename not like '%migrations' order by tablename`
  return rows.map(({ name }) => name)
})

/** Removes everything that is stored. */
export const empty = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`truncate ${(yield* tables).join(", ")} restart identity cascade`)
}).pipe(Effect.orDie)

/** Everything that is stored, as text to compare and to search. */
export const dump = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const parts = (yield* tables).map(
    (name) =>
      `select '${name}' as name, coalesce(string_agg(row_to_json(t)::text, ',' order by t::text), '') as rows from ${name} t`
  )
  const all = yield* sql.unsafe<{ readonly name: string; readonly rows: string }>(parts.join(" union all "))
  return all.map(({ name, rows }) => `${name}: ${rows}`).join("\n")
}).pipe(Effect.orDie)

/** The stores, empty at the start. */
export const layer = Layer.effectDiscard(empty).pipe(
  Layer.provideMerge(
    Layer.merge(Embedded.layerOn(Layer.unwrap(Effect.map(database, Embedded.layerClientOf))), MemoryArtifacts.layer)
  ),
  Layer.orDie
)
