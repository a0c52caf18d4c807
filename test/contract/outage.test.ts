import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Postgres from "../../adapters/postgres/Stores.ts"
import { transaction } from "../../adapters/postgres/Transaction.ts"
import { linkTo } from "../support/databaseLink.ts"
import { migratedDatabase } from "../support/databases.ts"

/** The stores by way of a link of their own. */
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
