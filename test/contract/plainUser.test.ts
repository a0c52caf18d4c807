/** The rights that the service needs on a server: those of the user that `deploy/postgres.sql` makes, and no more. */
import { randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Postgres from "../../adapters/postgres/Stores.ts"
import { WriteProbe } from "../../adapters/postgres/server/WriteProbe.ts"
import { promises } from "../kit/contracts/run/StoreContract.ts"
import { emptyDatabase } from "../support/emptyDatabase.ts"
import { root } from "../support/Source.ts"

const clientOf = (url: string) => PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })

const executed = (url: string, statements: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    for (const statement of statements) yield* sql.unsafe(statement)
  }).pipe(Effect.provide(clientOf(url)), Effect.orDie)

/** The statements before and after the file connects to the database that it makes, for a user and database of a name. */
const statementsFor = (name: string, password: string) =>
  readFileSync(join(root, "deploy/postgres.sql"), "utf8")
    .replaceAll(/^(?:--|\\set ).*$/gm, "")
    .replaceAll(/\bsluice\b/g, name)
    .replace(":'password'", `'${password}'`)
    .split(`\\connect ${name}\n`)
    .map((part) => part.split(";").filter((statement) => statement.trim() !== ""))

/** The database as its superuser reaches it: only that one removes what was never to be removed. */
class Superuser extends Context.Service<Superuser, { readonly sql: SqlClient.SqlClient }>()("test/Superuser") {}

/** The addresses of a database on the server of the tests, for its superuser and for a user who does not own it. */
const plain = Effect.gen(function* () {
  const admin = process.env.SLUICE_TEST_DATABASE_URL ?? assert.fail("no server")
  const name = `plain_${randomUUID().replaceAll("-", "")}`
  const [before = [], after = []] = statementsFor(name, "secret")
  const url = new URL(admin)
  url.pathname = `/${name}`
  yield* Effect.acquireRelease(executed(admin, before), () =>
    executed(admin, [`drop database ${name} with (force)`, `drop role ${name}`])
  )
  yield* executed(url.href, after)
  const superuser = url.href
  url.username = name
  url.password = "secret"
  return { superuser, url: url.href }
})

const stores = Layer.unwrap(
  Effect.map(plain, ({ superuser, url }) =>
    Layer.merge(
      Postgres.layer(Redacted.make(url), 20),
      Layer.effect(
        Superuser,
        Effect.map(SqlClient.SqlClient, (sql) => ({ sql }))
      ).pipe(Layer.provide(clientOf(superuser)))
    )
  )
)

const empty = Effect.flatMap(Superuser, ({ sql }) => Effect.provideService(emptyDatabase, SqlClient.SqlClient, sql))

it.layer(stores)("a user who may only connect, and make tables in one schema", (it) => {
  it.effect("is no superuser, owns no database, and makes neither databases nor roles", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [rights] = yield* sql`
        select rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls,
          exists (select from pg_database where datdba = pg_roles.oid) as owns,
          exists (select from pg_auth_members where member = pg_roles.oid) as belongs
        from pg_roles where rolname = current_user`
      assert.deepStrictEqual(rights, {
        rolsuper: false,
        rolcreatedb: false,
        rolcreaterole: false,
        rolreplication: false,
        rolbypassrls: false,
        owns: false,
        belongs: false
      })
    })
  )

  it.effect("makes the tables of the service, which can be written", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* (yield* WriteProbe).ask, { _tag: "Accepted" })
    })
  )

  for (const { keeps, title } of promises) {
    it.effect(title, () => Effect.andThen(empty, keeps))
  }
})
