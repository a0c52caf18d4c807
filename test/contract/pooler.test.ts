import { type ChildProcess, spawn } from "node:child_process"
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Postgres from "../../adapters/postgres/Stores.ts"
import * as Doctor from "../../apps/cli/handlers/Doctor.ts"
import { RunStore } from "../../core/run/RunStore.ts"
import { migratedDatabase } from "../support/databases.ts"
import { makeWorkflow, makeWorkspace, submission } from "../support/fixtures.ts"
import { freePort } from "../support/ownServer.ts"

/** PgBouncer as the packages of the system have it. */
const program = "/usr/sbin/pgbouncer"

/** The address of a database through PgBouncer in a mode, until the scope closes. */
const pooled = (url: string, mode: string, more: ReadonlyArray<string> = []) =>
  Effect.gen(function* () {
    const port = yield* Effect.promise(freePort)
    const folder = mkdtempSync(join(tmpdir(), "sluice-pooler-"))
    chmodSync(folder, 0o755)
    const { hostname, password, pathname, port: to, username } = new URL(url)
    const settings = [
      "[databases]",
      `* = host=${hostname} port=${to} user=${username} password=${password}`,
      "[pgbouncer]",
      "listen_addr = 127.0.0.1",
      `listen_port = ${port}`,
      "unix_socket_dir =",
      "auth_type = any",
      `pool_mode = ${mode}`,
      "ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout",
      ...more
    ]
    writeFileSync(join(folder, "pgbouncer.ini"), `${settings.join("\n")}\n`, { mode: 0o644 })
    yield* Effect.acquireRelease(
      Effect.callback<ChildProcess>((resume) => {
        // It refuses to run as root.
        const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
        const started = spawn(program, [join(folder, "pgbouncer.ini")], user)
        let said = ""
        started.stderr.on("data", (chunk) => {
          said += String(chunk)
          if (said.includes("process up")) resume(Effect.succeed(started))
        })
        started.once("exit", () => resume(Effect.die(new Error(said))))
      }),
      (started) =>
        Effect.callback<void>((resume) => {
          started.removeAllListeners("exit").once("exit", () => resume(Effect.void))
          started.kill("SIGQUIT")
        }).pipe(Effect.andThen(Effect.sync(() => rmSync(folder, { recursive: true, force: true }))))
    )
    return `postgres://${username}:x@127.0.0.1:${port}${pathname}`
  })

const stores = (url: string) => Postgres.layer(Redacted.make(url), 4)

const modes = [
  ["transaction", []],
  ["transaction", ["server_round_robin = 1"]],
  ["statement", []]
] as const

for (const [mode, more] of modes) {
  it.live.runIf(existsSync(program))(
    `PgBouncer with pool_mode = ${[mode, ...more].join(", ")} is refused at the start`,
    () =>
      Effect.gen(function* () {
        const url = yield* pooled(yield* migratedDatabase, mode, more)
        const refused = yield* Effect.flip(Layer.build(stores(url)))
        assert.strictEqual(
          refused.message,
          "Cannot use the database at DATABASE_URL: a pooler shares its sessions among connections. PgBouncer needs pool_mode = session for this database; or name the server itself"
        )
      }).pipe(Effect.scoped)
  )
}

it.live.runIf(existsSync(program))("PgBouncer with pool_mode = session is used", () =>
  Effect.gen(function* () {
    const url = yield* pooled(yield* migratedDatabase, "session")
    yield* Effect.gen(function* () {
      const runs = yield* RunStore
      yield* runs.submit(submission(yield* makeWorkflow(yield* makeWorkspace())))
      assert.lengthOf(yield* runs.claim({ worker: "w", limit: 1, leaseMillis: 1_000 }), 1)
    }).pipe(Effect.provide(stores(url)))
  }).pipe(Effect.scoped)
)

it.live("`sluice doctor` says that a pooler shares sessions, and that a database accepts no writes", () =>
  Effect.gen(function* () {
    const url = yield* migratedDatabase
    const found = (address: string) =>
      Effect.map(Doctor.database({ databaseUrl: Option.some(Redacted.make(address)) }), ([one]) => one)
    const good = yield* found(url)
    assert.strictEqual(good?.state, "ok")
    assert.match(good?.text ?? "", /^PostgreSQL \d+\S*.*, which accepts writes$/)
    const name = new URL(url).pathname.slice(1)
    yield* Effect.flatMap(SqlClient.SqlClient, (sql) =>
      sql.unsafe(`alter database ${name} set default_transaction_read_only = on`)
    ).pipe(Effect.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })))
    const refusing = yield* found(url)
    assert.strictEqual(refusing?.state, "warning")
    assert.match(
      refusing?.text ?? "",
      /accepts no writes: its sessions are read-only \(default_transaction_read_only\)$/
    )
    const silent = yield* found("postgres://nobody:canary@127.0.0.1:1/none")
    assert.strictEqual(silent?.state, "problem")
    assert.notInclude(silent?.text ?? "", "canary")
    if (!existsSync(program)) return
    const shared = yield* found(yield* pooled(yield* migratedDatabase, "transaction"))
    assert.strictEqual(shared?.state, "problem")
    assert.include(shared?.text ?? "", "a pooler shares its sessions among connections")
  }).pipe(Effect.scoped)
)
