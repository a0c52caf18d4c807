import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Logger, Option, Redacted, Result } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { vi } from "vitest"
import * as Postgres from "../../adapters/postgres/Stores.ts"
import * as Client from "../../adapters/postgres/server/Client.ts"
import * as Probe from "../../adapters/postgres/server/Probe.ts"
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
import { awaited, until } from "../support/waiting.ts"

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
        const claim = runs.claim({ worker: "w", limit: 1, leaseMillis: 30_000 })
        const [claimed] = yield* until("the start of a run", claim, ({ length }) => length > 0)
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
        const { ask } = yield* Probe.Probe
        const one = withoutSqlErrors(sql`select 1`)
        // A process that was busy itself may find an answer too late.
        const answered = until("an answer of the server", ask, (answer) => answer !== null)
        const slow = yield* Effect.forkChild(withoutSqlErrors(sql`select pg_sleep(0.5)`))
        yield* Effect.forEach([1, 2, 3, 4, 5], () => one, { concurrency: "unbounded" })
        yield* answered
        // A slow statement on a server that answers is not ended.
        yield* Fiber.join(slow)
        yield* link.freeze
        // More than there are connections: some wait for an answer, and some for a connection.
        const failed = yield* awaited(
          "all that waits for the server to fail",
          Effect.forEach(
            [...Array(20).keys()],
            (turn) => Effect.flip(turn % 2 === 0 ? one : transaction(sql, sql`select 1`)),
            { concurrency: "unbounded" }
          )
        )
        assert.deepStrictEqual([...new Set(failed.map(({ _tag }) => _tag))], ["StoreUnavailable"])
        assert.strictEqual((yield* Effect.flip(one))._tag, "StoreUnavailable")
        // What is not refused opens a connection, and fails for another cause: when that takes too long.
        assert.include(String((yield* Effect.flip(sql`select 1`)).reason.cause), "the server does not answer")
        assert.isNull(yield* ask)
        yield* link.restore
        yield* until("a statement on the server that is back", Effect.exit(one), Exit.isSuccess)
        yield* answered
      }).pipe(Effect.provide(Client.layer(options)))
    }).pipe(Effect.scoped)
)

it.effect("a server that is silent is said to be away within a second", () =>
  Effect.gen(function* () {
    const silent = (() => Effect.never) as unknown as SqlClient.SqlClient
    const { ask } = yield* Probe.make(silent)
    const asking = yield* Effect.forkChild(ask, { startImmediately: true })
    yield* TestClock.adjust("1 second")
    assert.isNull(yield* awaited("an answer of the probe", Fiber.join(asking)))
  }).pipe(Effect.scoped)
)

it.live("a process that starts while the server is away waits for it with one line, or fails at once", () =>
  Effect.gen(function* () {
    const link = yield* linkTo(yield* migratedDatabase)
    // It says again every ten seconds that it waits. They do not pass here.
    yield* Effect.acquireRelease(
      Effect.sync(() => vi.spyOn(performance, "now").mockReturnValue(performance.now())),
      (spy) => Effect.sync(() => spy.mockRestore())
    )
    const lines: Array<string> = []
    const log = Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])
    const building = (waitMillis: number) =>
      Layer.build(Postgres.layer(Redacted.make(link.url), 4, waitMillis)).pipe(Effect.provide(log))
    yield* link.cut
    const refused = yield* Effect.flip(building(0))
    assert.strictEqual(refused._tag, "DatabaseUnavailable")
    assert.deepStrictEqual(lines, [])
    const waiting = yield* Effect.forkChild(building(60_000))
    yield* until(
      "a line",
      Effect.sync(() => lines),
      ({ length }) => length > 0
    )
    yield* link.hangUp
    yield* until("two more attempts", Effect.sync(link.opened), (opened) => opened >= 2)
    yield* link.restore
    yield* awaited("the process to start", Fiber.join(waiting))
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
    let outages = 0
    /** The database is back when an operation has noticed that it is away. */
    const noticed = <A, E, R>(operation: Effect.Effect<A, E, R>) =>
      Effect.tapError(operation, () =>
        Effect.andThen(
          Effect.sync(() => outages++),
          link.restore
        )
      )
    const executor = Executor.of({
      execute: Effect.fnUntraced(function* (_claimed, reporter) {
        yield* reporter.mark({ acted: true })
        yield* link.cut
        yield* reporter.mark({ committed: true })
        yield* link.cut
        return { _tag: "Success", data: { done: true } }
      })
    })
    yield* Effect.gen(function* () {
      const runs = yield* RunStore
      const sent = submission(yield* makeWorkflow(yield* makeWorkspace()))
      yield* runs.submit(sent)
      const [claimed] = yield* runs.claim({ worker: "w", limit: 1, leaseMillis: 30_000 })
      assert.isDefined(claimed)
      const attempt = Attempt.carryOut(claimed).pipe(
        Effect.provideService(Executor, executor),
        Effect.provideService(RunStore, {
          ...runs,
          report: (lease, report) => noticed(runs.report(lease, report)),
          settle: (lease, decide) => noticed(runs.settle(lease, decide))
        })
      )
      yield* awaited("the end of the attempt", attempt)
      assert.strictEqual(outages, 2)
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
