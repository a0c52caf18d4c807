/**
 * The thread of an embedded database: what it keeps, what it refuses, and how it ends.
 */
import { execFileSync, spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inspect } from "node:util"
import { assert, beforeAll, describe, it, layer } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Database from "../../../adapters/embedded/Database.ts"
import * as Embedded from "../../../adapters/embedded/Embedded.ts"
import { embeddedTemplate } from "../../support/embeddedTemplate.ts"

// Making it takes longer than a test may.
beforeAll(() => embeddedTemplate())

/** A data folder with a database that has all tables. */
const dataFolder = Effect.acquireRelease(
  Effect.promise(async () => {
    const folder = mkdtempSync(join(tmpdir(), "sluice-embedded-"))
    mkdirSync(join(folder, "database"), { mode: 0o700 })
    execFileSync("tar", ["-xf", await embeddedTemplate(), "-C", join(folder, "database")], { stdio: "ignore" })
    return folder
  }),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

const inFolder = (folder: string, lost: (error: Database.DatabaseLost) => void) =>
  Effect.acquireRelease(
    Effect.promise(() => Database.open({ folder: join(folder, "database"), template: null, onLost: lost })),
    (database) => Effect.promise(database.close)
  )

const unexpected = (error: Database.DatabaseLost): void => {
  throw error
}

/** Runs an effect with a separate client. */
const asClient =
  (database: Database.Database) =>
  <A, E>(act: Effect.Effect<A, E, SqlClient.SqlClient>) =>
    Effect.provide(act, Layer.fresh(Embedded.layerClientOf(database)))

const query = <A extends object = Readonly<Record<string, unknown>>>(statement: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe<A>(statement))

describe("an embedded database", () => {
  it.live("keeps what was stored when it is closed and opened again", () =>
    Effect.gen(function* () {
      const folder = yield* dataFolder
      const open = Effect.scoped(
        Effect.gen(function* () {
          const client = asClient(yield* inFolder(folder, unexpected))
          yield* client(query("create table if not exists kept (text text)"))
          yield* client(query("insert into kept select repeat('é', 1000000)"))
          return yield* client(
            query("select count(*)::integer as count, sum(length(text))::integer as length from kept")
          )
        })
      )
      assert.deepStrictEqual(yield* open, [{ count: 1, length: 1_000_000 }])
      assert.deepStrictEqual(yield* open, [{ count: 2, length: 2_000_000 }])
    }).pipe(Effect.scoped)
  )
})

/** One database for several tests, in memory. */
class Shared extends Context.Service<Shared, Database.Database>()("test/Shared") {}

const layerShared = Layer.effect(
  Shared,
  Effect.acquireRelease(
    Effect.promise(async () => Database.open({ folder: null, template: await embeddedTemplate(), onLost: unexpected })),
    (database) => Effect.promise(database.close)
  )
)

layer(layerShared)("a connection to an embedded database", (it) => {
  it.effect("reads an answer of many pieces in order", () =>
    Effect.gen(function* () {
      const client = asClient(yield* Shared)
      const rows = yield* client(
        query<{ readonly at: number; readonly text: string }>(
          "select at, repeat(chr(97 + at % 26), 1000) as text from generate_series(1, 5000) at"
        )
      )
      assert.deepStrictEqual(
        rows.map(({ at }) => at),
        Array.from({ length: 5_000 }, (_, index) => index + 1)
      )
      assert.isTrue(rows.every(({ at, text }) => text === String.fromCharCode(97 + (at % 26)).repeat(1_000)))
    })
  )

  it.effect("gives up an interrupted statement, and serves the next one", () =>
    Effect.gen(function* () {
      const client = asClient(yield* Shared)
      const answered = yield* client(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* query("create table interrupted (n integer)")
          const inserted = yield* Deferred.make<void>()
          const long = query("insert into interrupted values (1)").pipe(
            Effect.andThen(Deferred.succeed(inserted, undefined)),
            Effect.andThen(query("select count(*) from generate_series(1, 1000000)")),
            sql.withTransaction
          )
          const fiber = yield* Effect.forkChild(long)
          yield* Deferred.await(inserted)
          yield* Fiber.interrupt(fiber)
          return yield* query("select n from interrupted")
        })
      )
      assert.deepStrictEqual(answered, [])
    })
  )

  it.effect("leaves nothing of a connection that breaks off within a transaction to the next one", () =>
    Effect.gen(function* () {
      const client = asClient(yield* Shared)
      yield* client(query("create table kept (n integer)"))
      yield* client(
        Effect.gen(function* () {
          yield* query("begin")
          yield* query("set local search_path to pg_catalog")
          yield* query("insert into public.kept values (1)")
        })
      )
      assert.deepStrictEqual(yield* client(query("select n from kept")), [])
      yield* client(query("insert into kept values (2)"))
      assert.deepStrictEqual(yield* client(query("select n from kept")), [{ n: 2 }])
    })
  )

  it.effect("serves a second connection when the first one has left, and the first one until then", () =>
    Effect.gen(function* () {
      const database = yield* Shared
      const client = asClient(database)
      const { opened, second } = yield* client(
        Effect.gen(function* () {
          yield* query("select 1")
          const opened = yield* Deferred.make<void>()
          const connect = () => {
            const stream = database.connect()
            Effect.runSync(Deferred.succeed(opened, undefined))
            return stream
          }
          const second = yield* Effect.forkDetach(asClient({ ...database, connect })(query("select 2 as n")))
          yield* Deferred.await(opened)
          assert.deepStrictEqual(yield* query("select 3 as n"), [{ n: 3 }])
          assert.isUndefined(second.pollUnsafe())
          return { opened, second }
        })
      )
      yield* Deferred.await(opened)
      assert.deepStrictEqual(yield* Fiber.join(second), [{ n: 2 }])
    })
  )

  it.effect("that only waits can leave, and the one after it is served", () =>
    Effect.gen(function* () {
      const client = asClient(yield* Shared)
      const rows = yield* client(
        Effect.gen(function* () {
          yield* query("select 1")
          const waiting = yield* Effect.forkChild(client(query("select 2 as n")))
          assert.deepStrictEqual(yield* query("select 3 as n"), [{ n: 3 }])
          yield* Fiber.interrupt(waiting)
          return yield* query("select 4 as n")
        })
      )
      assert.deepStrictEqual(rows, [{ n: 4 }])
      assert.deepStrictEqual(yield* client(query("select 5 as n")), [{ n: 5 }])
    })
  )
})

describe("a data folder", () => {
  const spoiled: ReadonlyArray<readonly [name: string, spoil: (database: string) => void, reason: RegExp]> = [
    [
      "of another version of PostgreSQL",
      (database) => writeFileSync(join(database, "PG_VERSION"), "14\n"),
      /initialized by PostgreSQL version 14, which is not compatible/
    ],
    [
      "without its write-ahead log",
      (database) => {
        for (const name of readdirSync(join(database, "pg_wal"))) {
          rmSync(join(database, "pg_wal", name), { recursive: true })
        }
      },
      /could not locate a valid checkpoint record/
    ],
    [
      "with a file in place of the database",
      (database) => {
        rmSync(database, { recursive: true })
        writeFileSync(database, "")
      },
      /EEXIST: file already exists/
    ]
  ]

  it.live.each(spoiled)("%s is refused with the reason", ([, spoil, reason]) =>
    Effect.gen(function* () {
      const folder = yield* dataFolder
      spoil(join(folder, "database"))
      const refused = yield* Effect.flip(Effect.scoped(Layer.build(Embedded.layer(folder))))
      assert.strictEqual(refused._tag, "CannotOpenData")
      assert.include(refused.message, `Cannot open the data folder ${folder}`)
      assert.match(refused.message, reason)
      assert.notInclude(readdirSync(folder), "lock")
    }).pipe(Effect.scoped)
  )
})

describe("an embedded database that ends unexpectedly", () => {
  /** Removes the write-ahead log, so that PostgreSQL aborts with its next segment. */
  const losesItsLog = (folder: string) =>
    Effect.andThen(
      Effect.sync(() => rmSync(join(folder, "database", "pg_wal"), { recursive: true })),
      query("select pg_switch_wal()::text").pipe(Effect.andThen(query("checkpoint")))
    )

  it.live("fails what is asked of it, says why, and can still be closed", () =>
    Effect.gen(function* () {
      const folder = yield* dataFolder
      const lost: Array<Database.DatabaseLost> = []
      const client = asClient(yield* inFolder(folder, (error) => lost.push(error)))
      yield* client(
        Effect.gen(function* () {
          const failed = yield* Effect.flip(losesItsLog(folder))
          assert.match(inspect(failed, { depth: 10 }), /could not .*pg_wal/)
          const refused = yield* Effect.flip(query("select 1"))
          assert.match(inspect(refused, { depth: 10 }), /could not .*pg_wal/)
        })
      )
      assert.lengthOf(lost, 1)
      assert.match(lost[0]?.message ?? "", /The embedded database in .* ended unexpectedly: could not .*pg_wal/)
    }).pipe(Effect.scoped)
  )

  it.live("is one whose thread exits, or throws", () =>
    Effect.gen(function* () {
      for (const [ends, reason] of [
        ["process.exit(3)", "its thread ended with code 3"],
        ["throw new Error('a mistake')", "a mistake"]
      ] as const) {
        const text = `import { parentPort } from "node:worker_threads"
          parentPort.on("message", () => { ${ends} })
          parentPort.postMessage({ _tag: "Opened" })`
        const module = new URL(`data:text/javascript,${encodeURIComponent(text)}`)
        const lost = yield* Effect.callback<Database.DatabaseLost>((resume) => {
          const onLost = (error: Database.DatabaseLost) => resume(Effect.succeed(error))
          void Database.open({ folder: null, template: null, module, onLost }).then((database) =>
            database
              .connect()
              .on("error", () => {})
              .write("hello")
          )
        })
        assert.include(lost.message, `The embedded database in memory ended unexpectedly: ${reason}`)
      }
    })
  )

  it.live("ends the process with what happened", () =>
    Effect.gen(function* () {
      const folder = yield* dataFolder
      const script = `
        import { rmSync } from "node:fs"
        import { Effect } from "effect"
        import { SqlClient } from "effect/sql"
        import * as Embedded from "./adapters/embedded/Embedded.ts"
        const act = Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          rmSync(process.env.FOLDER + "/database/pg_wal", { recursive: true })
          yield* Effect.ignore(sql\`select pg_switch_wal()::text\`)
          yield* Effect.ignore(sql\`checkpoint\`)
          yield* Effect.never
        })
        await Effect.runPromise(Effect.provide(act, Embedded.layer(process.env.FOLDER)))`
      const { code, output } = yield* Effect.callback<{ code: number | null; output: string }>((resume) => {
        const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
          env: { ...process.env, FOLDER: folder }
        })
        let output = ""
        child.stderr.on("data", (piece) => {
          output += piece
        })
        child.on("close", (code) => resume(Effect.succeed({ code, output })))
        return Effect.sync(() => child.kill("SIGKILL"))
      })
      assert.strictEqual(code, 1, output)
      assert.match(output, /DatabaseLost: The embedded database in .* ended unexpectedly: could not .*pg_wal/)
    }).pipe(Effect.scoped)
  )
})
