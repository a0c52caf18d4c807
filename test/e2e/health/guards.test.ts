import { spawnSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Migrations from "../../../adapters/postgres/Migrations.ts"
import * as DataFolder from "../../../apps/cli/guards/DataFolder.ts"
import * as HomeFolder from "../../../apps/cli/guards/HomeFolder.ts"
import { unknown } from "../../../apps/cli/guards/Variables.ts"
import "../../../apps/cli/Settings.ts"
import { freshDatabase } from "../../support/databases.ts"
import { completed, dataDir, masterKey, sluice } from "../../support/processes.ts"

/** A port of loopback that is in use. */
const taken = Effect.acquireRelease(
  Effect.callback<ReturnType<typeof createServer>>((resume) => {
    const server = createServer()
    server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
  }),
  (server) => Effect.sync(() => server.close())
)

/** A folder on a disk of 1 MB; `null` where this user may not mount one. */
const smallDisk = Effect.gen(function* () {
  const folder = join(yield* dataDir, "small")
  mkdirSync(folder)
  return yield* Effect.acquireRelease(
    Effect.sync(() => {
      const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], { stdio: "ignore" })
      return status === 0 ? folder : null
    }),
    (mounted) => Effect.sync(() => mounted !== null && spawnSync("umount", [mounted]))
  )
})

const linesOf = (output: string): ReadonlyArray<string> =>
  output.split("\n").filter((line) => line !== "" && !line.startsWith("timestamp="))

describe("a process that cannot start as it is set up", () => {
  it.live("says all that is wrong in one sentence each, with the variable to change, and ends", () =>
    Effect.gen(function* () {
      const folder = yield* dataDir
      const file = join(folder, "file")
      writeFileSync(file, "")
      const port = ((yield* taken).address() as AddressInfo).port
      const small = yield* smallDisk
      const same = { PORT: "41999", SLUICE_SMTP_PORT: "41999", SLUICE_HEALTH_PORT: "41999" }
      const [up, worker, wrong, readOnly, twice, full] = yield* Effect.all(
        [
          completed(["up"], {
            SLUICE_DATA_DIR: file,
            SLUICE_CONCURENCY: "3",
            SLUICE_SMTP_PORT: "2525",
            SLUICE_MODEL: "small",
            PORT: String(port)
          }),
          completed(["worker"], { SLUICE_DATA_DIR: ".sluice" }),
          completed(["api"], { PORT: "eighty" }),
          completed(["scheduler"], { SLUICE_DATA_DIR: "/proc/sluice" }),
          completed(["up"], { SLUICE_DATA_DIR: folder, SLUICE_INBOX_DOMAIN: "inbox.example", ...same }),
          small === null ? Effect.succeed(null) : completed(["worker"], { SLUICE_DATA_DIR: small })
        ],
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(linesOf(up.output), [
        "There is no setting SLUICE_CONCURENCY; did you mean SLUICE_CONCURRENCY?",
        "SLUICE_SMTP_PORT is set, and SLUICE_INBOX_DOMAIN is not: set it to the domain whose mail is received",
        "Cannot use a model: SLUICE_MODEL is set; set SLUICE_MODEL_URL as well",
        `Cannot use the data folder ${file} (SLUICE_DATA_DIR): it is a file`,
        `Cannot listen on 127.0.0.1:${port} (HOST, PORT): another process uses the port`
      ])
      assert.deepStrictEqual(linesOf(worker.output), [
        "`sluice worker` works with other processes on one database: set DATABASE_URL, or SLUICE_DATA_DIR for a separate embedded database"
      ])
      assert.include(wrong.output, 'Cannot use "eighty" for --port (PORT): expected a port number from 0 to 65535')
      assert.isAtMost(linesOf(wrong.output).length, 3)
      assert.match(
        linesOf(readOnly.output).join("\n"),
        /^Cannot use the data folder \/proc\/sluice \(SLUICE_DATA_DIR\): it cannot be written: .+$/
      )
      assert.deepStrictEqual(linesOf(twice.output), [
        "PORT and SLUICE_SMTP_PORT are both 41999: set them to different ports",
        "PORT and SLUICE_HEALTH_PORT are both 41999: set them to different ports",
        "SLUICE_SMTP_PORT and SLUICE_HEALTH_PORT are both 41999: set them to different ports"
      ])
      if (full !== null) {
        assert.deepStrictEqual(linesOf(full.output), [
          `Cannot use the data folder ${small} (SLUICE_DATA_DIR): its disk has 1 MB left, and at least 64 MB are needed`
        ])
      }
      const all = [up, worker, wrong, readOnly, twice, ...(full === null ? [] : [full])]
      assert.deepStrictEqual([...new Set(all.map(({ code }) => code))], [1])
    }).pipe(Effect.scoped)
  )

  it.live("names HOME at once where its user has no home folder", () =>
    Effect.gen(function* () {
      const settings = { SLUICE_DATA_DIR: yield* dataDir, HOME: "" }
      const ended = yield* Effect.forEach(["up", "worker"], (part) => completed([part], settings), { concurrency: 2 })
      for (const { code, output } of ended) {
        assert.strictEqual(code, 1)
        assert.deepStrictEqual(linesOf(output), [
          "The user of this process has no home folder, which the browser needs: set HOME to a folder that the user may write to"
        ])
      }
      // As for a user that the system does not list.
      const unlisted = (): string => {
        throw new Error("uv_os_homedir returned ENOENT")
      }
      assert.include(HomeFolder.problemOf(unlisted) ?? "", "set HOME")
      assert.isNull(HomeFolder.problemOf(() => "/home/one"))
    }).pipe(Effect.scoped)
  )

  it.live("ends when its database has an address that is refused, without a piece of the password", () =>
    Effect.gen(function* () {
      const settings = { SLUICE_MASTER_KEY: masterKey, SLUICE_DATA_DIR: yield* dataDir }
      const [nonsense, unencoded] = yield* Effect.forEach(
        ["postgres://u:pass@db/d?sslmode=nonsense&sslmod=require", "postgres://u:pa@ss/w#ord@127.0.0.1:1/d"],
        (DATABASE_URL) => completed(["scheduler"], { ...settings, DATABASE_URL }),
        { concurrency: "unbounded" }
      )
      const said = linesOf(nonsense?.output ?? "")
      assert.lengthOf(said, 2)
      assert.include(said[0], 'DATABASE_URL has a parameter "sslmod", which is unknown: expected one of host, ')
      assert.include(said[1], "sslmode=nonsense in DATABASE_URL is refused: expected disable, allow, prefer, require")
      assert.deepStrictEqual(linesOf(unencoded?.output ?? ""), [
        "DATABASE_URL cannot be read: write the characters @ / # ? % of its user, password and database name percent-encoded, as %40 %2F %23 %3F %25"
      ])
    }).pipe(Effect.scoped)
  )

  it.live("ends when a later version has migrated its database", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`create table sluice_migrations (
          migration_id integer primary key, created_at timestamptz not null default now(), name text not null)`
        for (const one of [Migrations.newest, "9999_later"]) {
          const row = { migration_id: Number(one.slice(0, 4)), name: one.slice(5) }
          yield* sql`insert into sluice_migrations ${sql.insert(row)}`
        }
      }).pipe(Effect.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })))
      const settings = { DATABASE_URL: url, SLUICE_MASTER_KEY: masterKey, SLUICE_DATA_DIR: yield* dataDir }
      const { code, output } = yield* completed(["scheduler"], settings)
      assert.strictEqual(code, 1)
      const said = linesOf(output)
      assert.include(
        said.join("\n"),
        "Cannot use the database at DATABASE_URL: its tables were made by another version of Sluice, with migration 9999_later, which this version does not have. Nothing was changed. Run the version that made it, or name an empty database in DATABASE_URL"
      )
      assert.lengthOf(said, 1, output)
    }).pipe(Effect.scoped)
  )

  it.live("ends when its database cannot be opened, also while other parts of it are open", () =>
    Effect.gen(function* () {
      const settings = {
        DATABASE_URL: "postgres://nobody@127.0.0.1:1/none",
        SLUICE_MASTER_KEY: masterKey,
        SLUICE_WAIT_SECONDS: "0",
        SLUICE_HEALTH_PORT: "0",
        SLUICE_DATA_DIR: yield* dataDir
      }
      const process = yield* sluice(["scheduler"], settings)
      assert.strictEqual(yield* process.ended, 1)
      assert.include(process.output(), "Cannot use the database at DATABASE_URL")
    }).pipe(Effect.scoped)
  )
})

describe("the level of the log", () => {
  it.live("is changed by a signal while the process runs, and set back by the next one", () =>
    Effect.gen(function* () {
      const { child, ended, output, said } = yield* sluice(["scheduler"], {
        DATABASE_URL: "postgres://nobody@127.0.0.1:1/none",
        SLUICE_MASTER_KEY: masterKey,
        SLUICE_DATA_DIR: yield* dataDir,
        SLUICE_LOG_LEVEL: "warn"
      })
      yield* said(/Waiting for the database/)
      child.kill("SIGUSR2")
      yield* said(/"Log level changed","log_level":"debug"/)
      child.kill("SIGUSR2")
      yield* said(/"Log level changed","log_level":"warn"/)
      assert.notInclude(output(), "Process starts")
      child.kill("SIGTERM")
      yield* ended
    }).pipe(Effect.scoped)
  )
})

describe("a variable that begins like a setting", () => {
  it("is refused unless it is one, or the bootstrap or the cluster sets it", () => {
    const environment = {
      SLUICE_DATA_DIR: "/data",
      SLUICE_NODE: "/usr/bin/node",
      SLUICE_PORT: "tcp://10.0.0.1:8787",
      SLUICE_SERVICE_HOST: "10.0.0.1",
      SLUICE_SERVICE_PORT_HTTP: "8787",
      SLUICE_PORT_8787_TCP_ADDR: "10.0.0.1"
    }
    assert.deepStrictEqual(unknown(environment), [])
    assert.deepStrictEqual(unknown({ ...environment, SLUICE_RETENTION_DAY: "3", SLUICE_PORT: "8787", SLUICE_: "1" }), [
      "There is no setting SLUICE_PORT; docs/settings.md has all",
      "There is no setting SLUICE_RETENTION_DAY; did you mean SLUICE_RETENTION_DAYS?",
      "There is no setting SLUICE_; docs/settings.md has all"
    ])
  })
})

describe("a data folder", () => {
  it.live("is refused when it cannot be written", () =>
    Effect.gen(function* () {
      const folder = yield* dataDir
      assert.isNull(DataFolder.problemOf(join(folder, "new")))
      assert.match(
        DataFolder.problemOf("/proc/sluice") ?? "",
        /^Cannot use the data folder \/proc\/sluice \(SLUICE_DATA_DIR\): it cannot be written: /
      )
    }).pipe(Effect.scoped)
  )

  it.live("is refused when its disk has no room", (context) =>
    Effect.gen(function* () {
      const folder = yield* smallDisk
      if (folder === null) return context.skip("this user may not mount a small disk")
      assert.strictEqual(
        DataFolder.problemOf(folder),
        `Cannot use the data folder ${folder} (SLUICE_DATA_DIR): its disk has 1 MB left, and at least 64 MB are needed`
      )
    }).pipe(Effect.scoped)
  )
})
