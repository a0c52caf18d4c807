import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Pipeline from "../../adapters/postgres/Pipeline.ts"
import * as Postgres from "../../adapters/postgres/Stores.ts"
import { migratedDatabase } from "../support/databases.ts"

const onServer = <A, E>(test: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.gen(function* () {
    const services = yield* Layer.build(Postgres.layer(Redacted.make(yield* migratedDatabase), 3))
    return yield* Effect.provideContext(test, services)
  }).pipe(Effect.scoped)

interface Inside {
  readonly within: string
  readonly pid: number
}

const began = (sql: SqlClient.SqlClient) =>
  sql<Inside>`select ${sql.literal(Pipeline.inside)} as within, pg_backend_pid() as pid`

/** Inserts a row in the transaction of this id alone. */
const inserted = (sql: SqlClient.SqlClient, within: string) =>
  sql`insert into kept select 1 where ${within}::xid8 = pg_current_xact_id() returning 1`

it.live("a pipelined transaction is one transaction, whose last statement is committed with it", () =>
  onServer(
    Effect.gen(function* () {
      const usual = yield* SqlClient.SqlClient
      yield* usual`create table kept (value integer)`
      const transact = yield* Pipeline.make
      const rows = yield* transact(({ first, last, sql }) =>
        Effect.gen(function* () {
          const [row] = yield* first(began(sql))
          assert.lengthOf(yield* usual`select * from kept`, 0)
          return yield* last(inserted(sql, row?.within ?? ""))
        })
      )
      assert.lengthOf(rows, 1)
      assert.lengthOf(yield* usual`select * from kept`, 1)
    })
  )
)

it.live("what a pipelined transaction did is undone when its body fails, and the next one is not affected", () =>
  onServer(
    Effect.gen(function* () {
      const usual = yield* SqlClient.SqlClient
      yield* usual`create table kept (value integer)`
      const transact = yield* Pipeline.make
      const failed = yield* Effect.exit(
        transact(({ first, sql }) =>
          Effect.gen(function* () {
            yield* first(began(sql))
            yield* sql`insert into kept values (2)`
            return yield* Effect.fail("a refusal" as const)
          })
        )
      )
      assert.strictEqual(failed._tag, "Failure")
      assert.lengthOf(yield* usual`select * from kept`, 0)
      yield* transact(({ first, sql }) => Effect.andThen(first(began(sql)), sql`insert into kept values (3)`))
      assert.lengthOf(yield* usual`select * from kept`, 1)
    })
  )
)

it.live("a pipelined transaction whose connection is replaced before its last statement changes nothing", () =>
  onServer(
    Effect.gen(function* () {
      const usual = yield* SqlClient.SqlClient
      yield* usual`create table kept (value integer)`
      const transact = yield* Pipeline.make
      const outcome = yield* Effect.exit(
        transact(({ first, last, sql }) =>
          Effect.gen(function* () {
            const [row] = yield* first(began(sql))
            yield* usual`select pg_terminate_backend(${row?.pid ?? 0}, 5000)`
            // The connection may be known to be lost by now, or the statement finds out.
            const again = inserted(sql, row?.within ?? "")
            return yield* Effect.catch(last(again), () => last(again))
          })
        )
      )
      if (outcome._tag === "Success") assert.lengthOf(outcome.value, 0)
      assert.lengthOf(yield* usual`select * from kept`, 0)
    })
  )
)
