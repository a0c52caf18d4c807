import { assert, it } from "@effect/vitest"
import { Effect, Exit, Layer, Redacted } from "effect"
import * as Postgres from "../../adapters/postgres/Stores.ts"
import * as DatabaseClock from "../../adapters/postgres/server/DatabaseClock.ts"
import { is as isUnavailable } from "../../core/runtime/StoreUnavailable.ts"
import { linkTo } from "../support/databaseLink.ts"
import { freshDatabase, migratedDatabase } from "../support/databases.ts"
import { hangMillis } from "../support/limits.ts"

for (const [state, database, step] of [
  ["migrated", Effect.map(migratedDatabase, Effect.succeed), 1],
  ["empty", Effect.succeed(freshDatabase), 17]
] as const) {
  it.live(`connections to a database that is ${state} may end at any message of a start`, () =>
    Effect.gen(function* () {
      const url = yield* database
      let cuts = 0
      for (let messages = 1; ; messages += step) {
        const isCut = yield* Effect.gen(function* () {
          const link = yield* linkTo(yield* url)
          const isCut = link.cutAfter(messages)
          const stores = Postgres.layer(Redacted.make(link.url), 4, hangMillis)
          const built = yield* Effect.exit(Layer.build(Layer.provideMerge(DatabaseClock.layer, stores)))
          if (Exit.isFailure(built)) {
            const [reason] = built.cause.reasons
            assert.isTrue(reason?._tag === "Fail" && isUnavailable(reason.error), `${messages}: ${String(built.cause)}`)
          }
          return isCut()
        }).pipe(Effect.scoped)
        if (!isCut) break
        cuts += 1
      }
      assert.isAbove(cuts, 5)
    })
  )
}
