import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Logger, Option, Redacted, Result, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import * as Postgres from "../../adapters/postgres/Stores.ts"
import * as Client from "../../adapters/postgres/server/Client.ts"
import { Probe } from "../../adapters/postgres/server/Probe.ts"
import { transaction, withoutSqlErrors } from "../../adapters/postgres/Transaction.ts"
import * as PgWorkspaceStore from "../../adapters/postgres/workspace/PgWorkspaceStore.ts"
import { GateStore } from "../../core/gate/GateStore.ts"
import * as Attempt from "../../core/run/Attempt.ts"
import { Executor } from "../../core/run/Executor.ts"
import { RunStore } from "../../core/run/RunStore.ts"
import * as Transition from "../../core/run/Transition.ts"
import * as StoreUnavailable from "../../core/runtime/StoreUnavailable.ts"
import { RunId } from "../../core/workspace/Ids.ts"
import { WorkspaceStore } from "../../core/workspace/WorkspaceStore.ts"
import { linkTo } from "../support/databaseLink.ts"
import { migratedDatabase } from "../support/databases.ts"
import { makeWorkflow, makeWorkspace, submission } from "../support/fixtures.ts"
import { leastOf, millisOf } from "../support/leastOf.ts"

/** The stores over a separate link. */
const linked = Effect.gen(function* () {
  const link = yield* linkTo(yield* migratedDatabase)
  const services = yield* Layer.build(Postgres.layer(Redacted.make(link.url), 5))
  return { link, services }
})

it.live("a connection that is lost in a transaction is a store that cannot be reached, and no defect", () =>
  Effect.gen(function* () {
    const { link, services } = yield* linked
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const began = yield* Deferred.make<void>()
      const working = yield* transaction(
        sql,
        sql`select 1`.pipe(Effect.andThen(Deferred.succeed(began, undefined)), Effect.andThen(sql`select pg_sleep(30)`))
      ).pipe(Effect.flip, Effect.forkChild)
      yield* Deferred.await(began)
      yield* link.cut
      assert.strictEqual((yield* Fiber.join(working))._tag, "StoreUnavailable")
      assert.strictEqual((yield* Effect.flip(transaction(sql, sql`select 1`)))._tag, "StoreUnavailable")
      yield* link.restore
      yield* transaction(sql, sql`select 1`)
    }).pipe(Effect.provideContext(services))
  }).pipe(Effect.scoped)
)

const failed: ReadonlyArray<readonly [kind: string, exit: Exit.Exit<never, string>]> = [
  ["failure", Exit.fail("refused")],
  ["defect", Exit.die("a mistake")]
]

it.live.each(failed)("a transaction keeps its %s where its connection is lost before it is rolled back", ([, exit]) =>
  Effect.gen(function* () {
    const { link, services } = yield* linked
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const failing = transaction(sql, sql`select 1`.pipe(Effect.andThen(link.cut), Effect.andThen(exit)))
      assert.deepStrictEqual(yield* Effect.exit(failing), exit)
    }).pipe(Effect.provideContext(services))
  }).pipe(Effect.scoped)
)

it.live("a transaction does not wait for a reader that waits for its connection", () =>
  Effect.gen(function* () {
    const url = Redacted.make(yield* migratedDatabase)
    const client = Client.layer({ url, maxConnections: 1, maxMessageSize: 1_048_576 })
    const services = yield* Layer.build(Layer.provideMerge(PgWorkspaceStore.layer, client))
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const workspaces = yield* WorkspaceStore
      const { workspaceId } = yield* makeWorkspace()
      const [holds, waits] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const read = Effect.map(workspaces.get(workspaceId), Option.isSome)
      const inside = yield* sql`select 1`.pipe(
        Effect.andThen(Deferred.succeed(holds, undefined)),
        Effect.andThen(Deferred.await(waits)),
        Effect.andThen(read),
        (steps) => transaction(sql, steps),
        Effect.forkChild
      )
      yield* Deferred.await(holds)
      // The only connection belongs to the transaction.
      const outside = yield* Effect.forkChild(read, { startImmediately: true })
      yield* Deferred.succeed(waits, undefined)
      assert.isTrue(yield* Fiber.join(inside))
      assert.isTrue(yield* Fiber.join(outside))
    }).pipe(Effect.provideContext(services))
  }).pipe(Effect.scoped)
)

it.live("statements that were prepared before another version added columns are prepared again", () =>
  Effect.gen(function* () {
    const services = yield* Layer.build(Postgres.layer(Redacted.make(yield* migratedDatabase), 3))
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const caller = yield* makeWorkspace()
      const runs = yield* RunStore
      const gates = yield* GateStore
      const workflow = yield* makeWorkflow(caller)
      const { id } = workflow.workflow
      const used = Effect.gen(function* () {
        yield* runs.submit(submission(workflow))
        yield* gates.change(caller.workspaceId, id, (gate) => Result.succeed({ ...gate, revision: gate.revision + 1 }))
        // A claim that waited for an edit of the gate may find that others took what it read; a worker looks again too.
        const [claimed] = yield* runs
          .claim({ worker: "w", limit: 1, leaseMillis: 30_000 })
          .pipe(Effect.repeat({ until: (found) => found.length > 0 }))
        const lease = { id: claimed?.run.id ?? RunId.make(""), fence: claimed?.run.lease.fence ?? 0 }
        yield* runs.settle(lease, (locked, at) => Transition.settle(locked, { _tag: "Success", data: {} }, at))
      })
      // Each connection prepares them.
      yield* Effect.forEach([1, 2, 3, 4, 5, 6], () => used, { concurrency: 3, discard: true })
      for (const table of ["gates", "runs", "workflows", "workflow_versions"]) {
        yield* sql.unsafe(`alter table ${table} add column rehearsed text`)
      }
      yield* Effect.forEach([1, 2, 3, 4, 5, 6], () => used, { concurrency: 3, discard: true })
    }).pipe(Effect.provideContext(services))
  }).pipe(Effect.scoped)
)

it.live(
  "a server that hangs fails what waits for it, refuses what follows at once, and is used again when it is back",
  () =>
    Effect.gen(function* () {
      const link = yield* linkTo(yield* migratedDatabase)
      const options = { url: Redacted.make(link.url), maxConnections: 3, maxMessageSize: 1_000_000, suspectMillis: 200 }
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { ask } = yield* Probe
        const one = withoutSqlErrors(sql`select 1`)
        const slow = yield* Effect.forkChild(withoutSqlErrors(sql`select pg_sleep(0.5)`))
        yield* Effect.forEach([1, 2, 3, 4, 5], () => one, { concurrency: "unbounded" })
        assert.isNotNull(yield* ask)
        // A slow statement on a server that answers is not ended.
        yield* Fiber.join(slow)
        yield* link.freeze
        // More than there are connections: some wait for an answer, and some for a connection.
        const failed = yield* Effect.forEach(
          [...Array(20).keys()],
          (turn) => Effect.flip(turn % 2 === 0 ? one : transaction(sql, sql`select 1`)),
          { concurrency: "unbounded" }
        ).pipe(Effect.timeout("50 seconds"))
        assert.deepStrictEqual([...new Set(failed.map(({ _tag }) => _tag))], ["StoreUnavailable"])
        assert.isBelow(yield* leastOf(500, millisOf(Effect.flip(one))), 500)
        assert.isNull(yield* ask)
        yield* link.restore
        yield* one.pipe(Effect.retry({ schedule: Schedule.spaced("50 millis") }), Effect.timeout("50 seconds"))
        assert.isNotNull(yield* ask)
      }).pipe(Effect.provide(Client.layer(options)))
    }).pipe(Effect.scoped)
)

it.live("a process that starts while the server is away waits for it with one line, or fails at once", () =>
  Effect.gen(function* () {
    const link = yield* linkTo(yield* migratedDatabase)
    const lines: Array<string> = []
    const log = Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])
    const building = (waitMillis: number) =>
      Layer.build(Postgres.layer(Redacted.make(link.url), 4, waitMillis)).pipe(Effect.provide(log))
    yield* link.cut
    const refused = yield* Effect.flip(building(0))
    assert.strictEqual(refused._tag, "DatabaseUnavailable")
    assert.deepStrictEqual(lines, [])
    const waiting = yield* Effect.forkChild(building(60_000))
    while (lines.length === 0) yield* Effect.sleep("10 millis")
    yield* Effect.sleep("700 millis")
    yield* link.restore
    yield* Effect.timeout(Fiber.join(waiting), "20 seconds")
    const wrong = new URL(link.url)
    wrong.pathname = "/none"
    const misnamed = yield* Effect.flip(Layer.build(Postgres.layer(Redacted.make(wrong.href), 4, 60_000)))
    assert.include(misnamed.message, 'database "none" does not exist')
    assert.deepStrictEqual(
      lines.map((line) => line.replace(/:\d+$/, "")),
      ["Waiting for the database at DATABASE_URL: connect ECONNREFUSED 127.0.0.1"]
    )
  }).pipe(Effect.scoped)
)

it.live("a run in progress survives a lost connection, in a mark and at its end", () =>
  Effect.gen(function* () {
    const { link, services } = yield* linked
    const back = Effect.andThen(Effect.sleep("300 millis"), link.restore)
    const outage = Effect.andThen(link.cut, Effect.forkDetach(back))
    const executor = Executor.of({
      execute: Effect.fnUntraced(function* (_claimed, reporter) {
        yield* reporter.mark({ acted: true })
        yield* outage
        yield* reporter.mark({ committed: true })
        yield* outage
        return { _tag: "Success", data: { done: true } }
      })
    })
    yield* Effect.gen(function* () {
      const runs = yield* RunStore
      const sent = submission(yield* makeWorkflow(yield* makeWorkspace()))
      yield* runs.submit(sent)
      const [claimed] = yield* runs.claim({ worker: "w", limit: 1, leaseMillis: 30_000 })
      assert.isDefined(claimed)
      yield* Attempt.carryOut(claimed).pipe(Effect.provideService(Executor, executor), Effect.timeout("50 seconds"))
      const { run } = yield* runs.get(sent.workspaceId, sent.id).pipe(StoreUnavailable.retry)
      assert.deepInclude(run, { status: "execution.success", attempts: 1, errors: [], data: { done: true } })
    }).pipe(Effect.provideContext(services))
  }).pipe(Effect.scoped)
)

it.live("the server ends a statement after 30 seconds, unless the URL says otherwise", () =>
  Effect.gen(function* () {
    const url = yield* migratedDatabase
    const shown = (address: string) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const [row] = yield* sql<{ readonly statement_timeout: string }>`show statement_timeout`
        return row?.statement_timeout
      }).pipe(
        Effect.provide(Client.layer({ url: Redacted.make(address), maxConnections: 1, maxMessageSize: 1_000_000 }))
      )
    assert.strictEqual(yield* shown(url), "30s")
    assert.strictEqual(yield* shown(`${url}?options=-c%20statement_timeout%3D5s`), "5s")
    const slow = withoutSqlErrors(Effect.flatMap(SqlClient.SqlClient, (sql) => sql`select pg_sleep(5)`))
    const quick = Redacted.make(`${url}?options=-c%20statement_timeout%3D50ms`)
    const failed = yield* Effect.flip(slow).pipe(
      Effect.provide(Client.layer({ url: quick, maxConnections: 1, maxMessageSize: 1_000_000 }))
    )
    assert.strictEqual(failed._tag, "StoreUnavailable")
  }).pipe(Effect.scoped)
)
