import { mkdtempSync, openAsBlob, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { PGlite } from "@electric-sql/pglite"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Embedded from "../../adapters/embedded/Embedded.ts"
import * as Migrations from "../../adapters/postgres/Migrations.ts"
import { Build } from "../../core/runtime/Build.ts"
import * as databases from "../support/databases.ts"
import { embeddedTemplate } from "../support/embeddedTemplate.ts"
import { dumpSchema } from "./SchemaDump.ts"

const file = new URL("./schema.txt", import.meta.url)

for (const [name, [layer]] of Object.entries({ embedded: databases.embedded, postgres: databases.postgres })) {
  it.live(`the schema of ${name} is the one that was reviewed`, () =>
    Effect.gen(function* () {
      const dump = yield* dumpSchema
      // Written on request only, so that a change of the schema is seen in review.
      if (process.env.SLUICE_UPDATE_SCHEMA === "1") writeFileSync(file, dump)
      assert.strictEqual(dump, readFileSync(file, "utf8"))
    }).pipe(Effect.provide(layer), Effect.scoped)
  )
}

const migrationsOf = {
  "an earlier version": {
    rows: [[1, "foundation"] as const, [36, "remembered_messages"] as const],
    first: "0001_foundation"
  },
  "a later version": { rows: [[1, "schema"] as const, [2, "later"] as const], first: "0002_later" }
}

for (const [version, { first, rows }] of Object.entries(migrationsOf)) {
  it.live(`a database of ${version} is refused, and nothing in it changes`, () =>
    Effect.gen(function* () {
      const url = yield* databases.freshDatabase
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`create table sluice_migrations (
          migration_id integer primary key, created_at timestamptz not null default now(), name text not null)`
        for (const [migration_id, name] of rows) {
          yield* sql`insert into sluice_migrations ${sql.insert({ migration_id, name })}`
        }
        const before = yield* dumpSchema
        const refused = yield* Effect.flip(Effect.scoped(Layer.build(Migrations.layer)))
        assert.strictEqual(refused._tag, "ForeignSchema")
        assert.include(refused.message, `with migration ${first}, which this version does not have`)
        assert.include(refused.message, "name an empty database in DATABASE_URL")
        assert.strictEqual(yield* dumpSchema, before)
        assert.lengthOf(yield* sql`select from sluice_migrations`, rows.length)
      }).pipe(Effect.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })))
    }).pipe(Effect.scoped)
  )
}

it.live("a data folder of an earlier version is refused with the folder and what to do", () =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "sluice-schema-"))),
      (made) => Effect.sync(() => rmSync(made, { recursive: true }))
    )
    yield* Effect.promise(async () => {
      const database = await PGlite.create({
        dataDir: join(folder, "database"),
        loadDataDir: await openAsBlob(await embeddedTemplate())
      })
      await database.exec("update sluice_migrations set name = 'foundation'")
      await database.close()
    })
    const refused = yield* Effect.flip(Effect.scoped(Layer.build(Embedded.layer(folder))))
    assert.strictEqual(refused._tag, "CannotOpenData")
    assert.include(refused.message, `Cannot open the data folder ${folder}: its tables were made by another version`)
    assert.include(refused.message, "move the folder away to start with an empty one")
  }).pipe(Effect.scoped)
)

/** Makes a database one of the last version whose builds noted nothing of their migrations. */
const withoutNotes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from sluice_migrations where migration_id > 2`
  yield* sql`alter table processes drop column worker, drop column workspace_runs`
  yield* sql`drop table limits, canaries, model_terms, model_days, model_ledger`
  yield* sql`drop function version_for`
  yield* sql`drop table alerts, alert_receivers, former_secrets, file_deliveries, file_destinations, run_references`
  yield* sql`drop function note_limits cascade`
  yield* sql`drop sequence limit_changes`
  yield* sql`alter table gates drop column limited`
  yield* sql`drop function label_reference cascade`
  yield* sql`alter table runs drop column reference, drop column model_calls`
  yield* sql`alter table sluice_migrations drop column content, drop column build`
})

const refusesOtherBuilds = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const again = Effect.scoped(Layer.build(Layer.fresh(Migrations.layer))).pipe(
    Effect.provideService(Build, "0.1.0+own")
  )
  const noted = sql<{ readonly content: string | null }>`select name, content from sluice_migrations order by name`
  const first = yield* noted
  for (const { content } of first) assert.match(content ?? "", /^[0-9a-f]{64}$/)
  yield* again

  yield* sql`update sluice_migrations set content = ${"0".repeat(64)}, build = '0.1.0+other' where migration_id = 1`
  const refused = yield* Effect.flip(again)
  assert.strictEqual(refused._tag, "ForeignSchema")
  assert.include(
    refused.message,
    "its tables were made by the build 0.1.0+other, whose migration 0001_schema has another content than that of this build, 0.1.0+own. Nothing was changed. Run the version that made it, or name an empty database"
  )

  // As a build made it that noted nothing: with the same columns it is taken, and noted.
  yield* withoutNotes
  yield* sql`create table of_somebody_else (id integer)`
  yield* again
  assert.deepStrictEqual(yield* noted, first)

  yield* withoutNotes
  yield* sql`alter table workspaces add column of_another_build text`
  const unlike = yield* Effect.flip(again)
  assert.include(unlike.message, "made by a build that did not note its name, whose migration 0002_run_warnings")
  assert.lengthOf(
    yield* sql`select from information_schema.columns where column_name = 'content' and table_name = 'sluice_migrations'`,
    0
  )
})

const refusal = "a database of another build with the same migrations is refused, and both builds are named"

it.live(`embedded: ${refusal}`, () => refusesOtherBuilds.pipe(Effect.provide(Embedded.layer(null)), Effect.scoped))

it.live(`postgres: ${refusal}`, () => refusesOtherBuilds.pipe(Effect.provide(databases.postgresLayer), Effect.scoped))

it.live("the columns after a migration that could be made without a note are those that it is recognized by", () =>
  Effect.gen(function* () {
    const url = yield* databases.freshDatabase
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const [migration, hash] of Object.entries(Migrations.columnsAfter)) {
        for (const statement of Migrations.all[migration] ?? []) yield* sql.unsafe(statement)
        assert.strictEqual(yield* Migrations.columns, hash, migration)
      }
    }).pipe(Effect.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })))
  }).pipe(Effect.scoped)
)

it.live("a database whose encoding is not UTF8 is refused, with what to do, and nothing in it changes", () =>
  Effect.gen(function* () {
    for (const encoding of ["SQL_ASCII", "LATIN1"]) {
      const url = yield* databases.encodedDatabase(encoding)
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const refused = yield* Effect.flip(Effect.scoped(Layer.build(Migrations.layer)))
        assert.strictEqual(refused._tag, "DatabaseUnavailable")
        assert.include(refused.message, `its encoding is ${encoding}, and only UTF8 is supported`)
        assert.include(refused.message, "ENCODING 'UTF8' TEMPLATE template0")
        assert.lengthOf(yield* sql`select from pg_tables where schemaname = 'public'`, 0)
      }).pipe(Effect.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })))
    }
  }).pipe(Effect.scoped)
)
