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
