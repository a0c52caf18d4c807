/**
 * The stores on each kind of database, empty at the start.
 */
import { randomUUID } from "node:crypto"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Layer, Redacted, References } from "effect"
import { SqlClient } from "effect/sql"
import * as Embedded from "../../adapters/embedded/Embedded.ts"
import * as Memory from "../../adapters/memory/Memory.ts"
import * as Postgres from "../../adapters/postgres/Stores.ts"
import { sharedDatabase } from "./embedded.ts"
import { emptied } from "./emptiedStores.ts"
import { emptyDatabase } from "./emptyDatabase.ts"

const given = (name: string): string => {
  const value = process.env[name]
  if (value === undefined)
    throw new Error(
      `${name} is not set: test files that need a PostgreSQL server belong to the project contract or e2e in test/projects.ts`
    )
  return value
}

/** The URL of a new database on the real server, which is dropped when the scope closes. */
const madeDatabase = Effect.fnUntraced(function* (how: string) {
  const url = new URL(given("SLUICE_TEST_DATABASE_URL"))
  const name = `sluice_${randomUUID().replaceAll("-", "")}`
  const admin = PgClient.layer({ url: Redacted.make(url.href), maxConnections: 1 })
  const execute = (statement: string) =>
    Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement)).pipe(Effect.provide(admin), Effect.orDie)
  yield* Effect.acquireRelease(execute(`create database ${name} ${how}`), () =>
    execute(`drop database ${name} with (force)`)
  )
  url.pathname = `/${name}`
  return url.href
})

/** The URL of a new, empty database with an encoding. */
export const encodedDatabase = (encoding: string) =>
  madeDatabase(`encoding '${encoding}' locale 'C' template template0`)

/** The URL of a new, empty database. */
export const freshDatabase = Effect.suspend(() => madeDatabase(""))

/** The URL of a new database with all tables. */
export const migratedDatabase = Effect.suspend(() => madeDatabase(`template ${given("SLUICE_TEST_TEMPLATE")}`))

/** The stores on a database of the real server. */
export const postgresLayer = Layer.unwrap(Effect.map(migratedDatabase, (url) => Postgres.layer(Redacted.make(url), 20)))

/** The stores on an embedded database that test files share: it is empty for each file. */
const embeddedLayer = Layer.effectDiscard(emptyDatabase).pipe(
  Layer.provideMerge(Embedded.layerOn(Layer.unwrap(Effect.map(sharedDatabase, Embedded.layerClientOf))))
)

/**
 * A scheduler that lets other fibers run after every third step. It interleaves the steps of store operations, which the
 * usual limit of 2,048 steps does rarely and unpredictably.
 */
const yielding = Layer.succeed(References.MaxOpsBeforeYield, 3)

/** Each kind of store as a layer, with the effect that empties it. */
export const memory = [Layer.merge(Memory.layer, yielding), emptied] as const
export const embedded = [Layer.merge(embeddedLayer, yielding), emptyDatabase] as const
export const postgres = [Layer.merge(postgresLayer, yielding), emptyDatabase] as const
