import { assert, it } from "@effect/vitest"
import { Clock, Effect, Layer, Redacted, Result } from "effect"
import { SqlClient } from "effect/sql"
import * as Postgres from "../../adapters/postgres/Stores.ts"
import * as DatabaseClock from "../../adapters/postgres/server/DatabaseClock.ts"
import * as Gate from "../../core/gate/Gate.ts"
import { GateStore } from "../../core/gate/GateStore.ts"
import { RunStore } from "../../core/run/RunStore.ts"
import * as ClockSkew from "../../core/runtime/ClockSkew.ts"
import { migratedDatabase } from "../support/databases.ts"
import { makeWorkflow, makeWorkspace, submission } from "../support/fixtures.ts"
import { until } from "../support/waiting.ts"

/** The stores of a process whose machine shows a time that is so many milliseconds ahead. */
const ofMachine = (url: string, ahead: number) =>
  DatabaseClock.layer.pipe(
    Layer.provide(
      Layer.effect(
        Clock.Clock,
        Effect.map(
          Clock.Clock,
          (own): Clock.Clock =>
            Object.assign(Object.create(own), { currentTimeMillisUnsafe: () => own.currentTimeMillisUnsafe() + ahead })
        )
      )
    ),
    Layer.provideMerge(Postgres.layer(Redacted.make(url), 4))
  )

const databaseTime = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly at: Date }>`select clock_timestamp() as at`
  return row?.at.getTime() ?? 0
})

it.live("a worker whose clock is ahead starts nothing before its gate opens by the clock of the database", () =>
  Effect.gen(function* () {
    const services = yield* Layer.build(ofMachine(yield* migratedDatabase, 4_000))
    yield* Effect.gen(function* () {
      const [runs, gates] = [yield* RunStore, yield* GateStore]
      const caller = yield* makeWorkspace()
      const made = yield* makeWorkflow(caller)
      const opensAt = (yield* databaseTime) + 1_500
      yield* gates.change(caller.workspaceId, made.workflow.id, (gate) =>
        Result.succeed(Gate.pause(gate, { at: 0, by: caller.userId }, { reason: "Wait", until: opensAt }))
      )
      yield* runs.submit(submission(made))
      const claim = runs.claim({ worker: "w", limit: 1, leaseMillis: 30_000 })
      yield* until("the start of the run", claim, (claimed) => claimed.length > 0)
      assert.isAtLeast(yield* databaseTime, opensAt)
      // A slow answer of the database tells the time less exactly.
      assert.approximately(yield* (yield* ClockSkew.ClockSkew).millis, 4_000, 3_000)
      assert.isTrue(yield* ClockSkew.mayClaim)
    }).pipe(Effect.provideContext(services))
  }).pipe(Effect.scoped)
)

it.live("a process whose clock is far behind has the time of the database, and may not claim", () =>
  Effect.gen(function* () {
    const services = yield* Layer.build(ofMachine(yield* migratedDatabase, -40_000))
    yield* Effect.gen(function* () {
      const before = yield* Clock.currentTimeMillis
      const now = yield* databaseTime
      // A slow answer of the database tells the time less exactly.
      assert.isAtLeast(now, before - 20_000)
      assert.isAtMost(now, (yield* Clock.currentTimeMillis) + 20_000)
      assert.isFalse(yield* ClockSkew.mayClaim)
    }).pipe(Effect.provideContext(services))
  }).pipe(Effect.scoped)
)

it("an answer of the database moves the clock only as far as it proves it wrong", () => {
  // The database says 1,000,000 at some instant of the monotonic clock from 5,000 on.
  const answer = (took: number) => ({ at: 1_000_000, askedAt: 5_000, answeredAt: 5_000 + took })
  const { offsetOf } = DatabaseClock
  assert.strictEqual(offsetOf(answer(20), null), 994_990)
  assert.strictEqual(offsetOf(answer(700), 994_990), 994_990)
  assert.strictEqual(offsetOf(answer(20), 990_000), 994_980)
  assert.strictEqual(offsetOf(answer(20), 999_000), 995_000)
})
