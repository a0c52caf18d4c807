/**
 * One real PostgreSQL server for a whole test run, unless `SLUICE_TEST_DATABASE_URL` names one, and databases that have all
 * tables already, on it and embedded: what tests need is copied from them, as making it anew takes seconds each time.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PGlite } from "@electric-sql/pglite"
import { Effect, Exit, Layer, Redacted, Scope } from "effect"
import * as Embedded from "../../adapters/embedded/Embedded.ts"
import * as Postgres from "../../adapters/postgres/Stores.ts"
import { freshDatabase } from "./databases.ts"
import { startServer } from "./ownServer.ts"

/** Makes all tables, and lets go of the database again. */
const migrated = <A, E>(stores: Layer.Layer<A, E>) => Effect.runPromise(Effect.scoped(Layer.build(stores)))

export default async () => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-databases-"))
  const server = process.env.SLUICE_TEST_DATABASE_URL ? null : await startServer(["max_connections=200"])
  if (server !== null) process.env.SLUICE_TEST_DATABASE_URL = server.url

  const scope = Effect.runSync(Scope.make())
  const url = await Effect.runPromise(Scope.provide(freshDatabase, scope))
  await migrated(Postgres.layer(Redacted.make(url), 8))
  process.env.SLUICE_TEST_TEMPLATE = new URL(url).pathname.slice(1)

  const database = await PGlite.create()
  await migrated(Embedded.layerOn(Embedded.layerClientOf(database)))
  const file = join(folder, "embedded.tar")
  await writeFile(file, Buffer.from(await (await database.dumpDataDir("none")).arrayBuffer()))
  await database.close()
  process.env.SLUICE_TEST_EMBEDDED = file

  return async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await server?.stop()
    await rm(folder, { recursive: true, force: true })
  }
}
