/**
 * The stores on each kind of database that they run on, empty at the start.
 */
import { randomUUID } from "node:crypto"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Embedded from "../../adapters/embedded/Embedded.ts"
import * as Memory from "../../adapters/memory/Memory.ts"
import { Tables } from "../../adapters/memory/Tables.ts"
import * as Postgres from "../../adapters/postgres/Stores.ts"

const serverUrl = (): string => {
  const url = process.env.SLUICE_TEST_DATABASE_URL
  if (url === undefined) throw new Error("The test server was not started: run the tests with test/vitest.config.ts")
  return url
}

/** The URL of a new, empty database on the real server, which is dropped when the scope closes. */
export const freshDatabase = Effect.gen(function* () {
  const url = new URL(serverUrl())
  const name = `sluice_${randomUUID().replaceAll("-", "")}`
  const admin = PgClient.layer({ url: Redacted.make(url.href), maxConnections: 1 })
  const execute = (statement: string) =>
    Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement)).pipe(Effect.provide(admin), Effect.orDie)
  yield* Effect.acquireRelease(execute(`create database ${name}`), () => execute(`drop database ${name} with (force)`))
  url.pathname = `/${name}`
  return url.href
})

/** The stores on a fresh database of the real server. */
export const postgresLayer = Layer.unwrap(Effect.map(freshDatabase, (url) => Postgres.layer(Redacted.make(url), 20)))

/** Empties the tables of a database. */
const truncate = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`truncate workspaces cascade`).pipe(Effect.orDie)

const clear = Effect.map(Tables, (tables) => {
  for (const entries of tables.collections.values()) entries.clear()
  for (const [name, table] of Object.entries(tables)) {
    if (table instanceof Map && name !== "collections") table.clear()
  }
  tables.events.length = 0
})

/** Each kind of store as a layer, with what empties it. */
export const memory = [Memory.layer, clear] as const
export const embedded = [Embedded.layer(null), truncate] as const
export const postgres = [postgresLayer, truncate] as const
