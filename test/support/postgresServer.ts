/**
 * One PostgreSQL server for a whole test run, unless `SLUICE_TEST_DATABASE_URL` names one, and a database on it with all
 * tables. Tests copy this database, because migrating takes seconds.
 */
import { Effect, Exit, Layer, Redacted, Scope } from "effect"
import * as Postgres from "../../adapters/postgres/Stores.ts"
import { freshDatabase } from "./databases.ts"
import { startServer } from "./ownServer.ts"

/** Starts the server with these settings and a limit of connections. Returns the function that stops it. */
export const start = async (settings: ReadonlyArray<string>) => {
  // Each project that needs the server runs this; the first one starts it.
  if (process.env.SLUICE_TEST_TEMPLATE) return
  const server = process.env.SLUICE_TEST_DATABASE_URL ? null : await startServer(["max_connections=200", ...settings])
  if (server !== null) process.env.SLUICE_TEST_DATABASE_URL = server.url

  const scope = Effect.runSync(Scope.make())
  const url = await Effect.runPromise(Scope.provide(freshDatabase, scope))
  await Effect.runPromise(Effect.scoped(Layer.build(Postgres.layer(Redacted.make(url), 8))))
  process.env.SLUICE_TEST_TEMPLATE = new URL(url).pathname.slice(1)

  return async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await server?.stop()
  }
}

/** No test simulates a power failure, so the server does not wait for the disk. */
export default () => start(["fsync=off", "full_page_writes=off"])
