/**
 * The clock of an installation for tests: it is ahead of the clock below by what the database says, so that all processes
 * have the same time, also after a restart.
 */
import { Clock, Context, Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Signals } from "../../../core/runtime/Signals.ts"
import { TestTime } from "../../../core/runtime/TestTime.ts"
import { withoutSqlErrors } from "../Transaction.ts"

/** The interval at which a process reads the offset of the clock. */
const readEvery = "250 millis"

/** The time after which every process has read what was written. */
const seenAfter = "600 millis"

export const layer = Layer.effectContext(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const signals = yield* Signals
    const inner = yield* Clock.Clock
    let ahead = 0

    const read = Effect.map(
      withoutSqlErrors(sql<{ readonly ahead_ms: bigint }>`select ahead_ms from test_clock`),
      ([row]) => {
        ahead = Number(row?.ahead_ms ?? 0)
      }
    )
    yield* Effect.ignore(read)
    yield* Effect.sleep(readEvery).pipe(Effect.andThen(Effect.ignore(read)), Effect.forever, Effect.forkScoped)

    const moveTo = Effect.fnUntraced(function* (at: number) {
      const wanted = Math.max(0, Math.ceil(at - inner.currentTimeMillisUnsafe()))
      yield* withoutSqlErrors(sql`
        insert into test_clock (ahead_ms) values (${wanted})
        on conflict (single) do update set ahead_ms = greatest(test_clock.ahead_ms, excluded.ahead_ms)`)
      yield* read
      yield* inner.sleep(Duration.fromInputUnsafe(seenAfter))
      for (const _tag of ["due", "work", "events"] as const) yield* signals.publish({ _tag })
    })

    const millis = () => inner.currentTimeMillisUnsafe() + ahead
    const nanos = () => inner.currentTimeNanosUnsafe() + BigInt(ahead) * nanosPerMilli
    const clock: Clock.Clock = {
      currentTimeMillisUnsafe: millis,
      currentTimeMillis: Effect.sync(millis),
      currentTimeNanosUnsafe: nanos,
      currentTimeNanos: Effect.sync(nanos),
      monotonicTimeNanosUnsafe: () => inner.monotonicTimeNanosUnsafe(),
      monotonicTimeNanos: inner.monotonicTimeNanos,
      sleep: (duration) => inner.sleep(duration)
    }
    return Context.make(Clock.Clock, clock).pipe(Context.add(TestTime, { ahead: Effect.sync(() => ahead), moveTo }))
  })
)

const nanosPerMilli = BigInt(1_000_000)
