/**
 * The process of an embedded database: what it keeps, what it refuses, and how it ends.
 */
import { execFileSync, spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { inspect } from "node:util"
import { assert, beforeAll, describe, it, layer } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import * as Database from "../../../adapters/embedded/Database.ts"
import * as Embedded from "../../../adapters/embedded/Embedded.ts"
import { embeddedTemplate } from "../../support/embeddedTemplate.ts"
import { until } from "../../support/waiting.ts"

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

/** A module with this text, as a file: a process starts no other. */
const moduleOf = (text: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "sluice-module-"))),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
    ),
    (folder) => {
      const file = join(folder, "module.mjs")
      writeFileSync(file, text)
      return pathToFileURL(file)
    }
  )

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
          assert.match(inspect(failed, { depth: 10 }), /could not create file "pg_wal/)
          const refused = yield* Effect.flip(query("select 1"))
          assert.match(inspect(refused, { depth: 10 }), /required WAL directory "pg_wal" does not exist/)
        })
      )
      assert.lengthOf(lost, 1)
      assert.match(
        lost[0]?.message ?? "",
        /The embedded database in .* ended unexpectedly: required WAL directory "pg_wal" does not exist/
      )
    }).pipe(Effect.scoped)
  )

  it.live("is one in memory whose process exits, or is killed", () =>
    Effect.gen(function* () {
      for (const [ends, reason] of [
        ["process.exit(3)", "its process ended with code 3"],
        ["process.abort()", "its process ended with SIGABRT"]
      ] as const) {
        const module = yield* moduleOf(`process.on("message", ({ _tag }) => { if (_tag === "Sent") ${ends} })
          process.send({ _tag: "Opened" })`)
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
    }).pipe(Effect.scoped)
  )

  it.live("is started again with all that was answered, and lost when it ends again within a minute", () =>
    Effect.gen(function* () {
      const folder = yield* dataFolder
      const restarts: Array<string> = []
      const lost: Array<string> = []
      const database = yield* Effect.acquireRelease(
        Effect.promise(() =>
          Database.open({
            folder: join(folder, "database"),
            template: null,
            onRestart: (reason) => restarts.push(reason),
            onLost: ({ message }) => lost.push(message)
          })
        ),
        ({ close }) => Effect.promise(close)
      )
      const writer = () => JSON.parse(readFileSync(join(folder, "database.writer"), "utf8")).pid
      yield* asClient(database)(
        Effect.gen(function* () {
          yield* query("create table kept (number integer)")
          yield* query("insert into kept values (1)")
          const first = writer()
          process.kill(first, "SIGTRAP")
          // Fails as with a server that cannot be reached, or waits: then it is carried out.
          const rows = yield* until("the database", Effect.option(query("select number from kept")), Option.isSome)
          assert.deepStrictEqual(Option.getOrThrow(rows), [{ number: 1 }])
          assert.deepStrictEqual(restarts, ["its process ended with SIGTRAP"])
          assert.notStrictEqual(writer(), first)
          assert.deepStrictEqual(lost, [])
          process.kill(writer(), "SIGKILL")
          yield* until(
            "the loss",
            Effect.sync(() => lost),
            ({ length }) => length === 1
          )
          assert.match(
            lost[0] ?? "",
            /The embedded database in .* ended unexpectedly: its process ended with SIGKILL\. Start/
          )
          assert.lengthOf(restarts, 1)
        })
      )
    }).pipe(Effect.scoped)
  )

  it.live("can be closed before it is started again", () =>
    Effect.gen(function* () {
      const folder = yield* dataFolder
      const closed: Array<Promise<void>> = []
      const database = yield* Effect.promise(() =>
        Database.open({
          folder: join(folder, "database"),
          template: null,
          onRestart: () => closed.push(database.close()),
          onLost: unexpected
        })
      )
      process.kill(JSON.parse(readFileSync(join(folder, "database.writer"), "utf8")).pid, "SIGTRAP")
      yield* until(
        "the restart",
        Effect.sync(() => closed),
        ({ length }) => length === 1
      )
      yield* Effect.promise(() => Promise.all(closed))
    }).pipe(Effect.scoped)
  )

  it.live("waits for the process of a service that was killed, which still writes", () =>
    Effect.gen(function* () {
      const folder = yield* dataFolder
      const former = yield* Effect.acquireRelease(
        Effect.sync(() => spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"])),
        (child) => Effect.sync(() => child.kill("SIGKILL"))
      )
      const stat = readFileSync(`/proc/${former.pid}/stat`, "utf8")
      const began = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]
      writeFileSync(join(folder, "database.writer"), JSON.stringify({ pid: former.pid, began }))
      let isOver = false
      former.once("exit", () => {
        isOver = true
      })
      // It does not end by itself, and its owner is gone.
      yield* inFolder(folder, unexpected)
      assert.isTrue(isOver)
    }).pipe(Effect.scoped)
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
      assert.match(
        output,
        /DatabaseLost: The embedded database in .* ended unexpectedly: required WAL directory "pg_wal" does not exist/
      )
    }).pipe(Effect.scoped)
  )
})
