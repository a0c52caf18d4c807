/**
 * A clock for the service that changes only when a test sets it. Sleepers do not wake, so that a jump of decades costs
 * nothing.
 */
import { Clock, Effect, Layer } from "effect"

export const make = () => {
  let millis = 0
  const nanos = () => BigInt(millis) * 1_000_000n
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: () => millis,
    currentTimeMillis: Effect.sync(() => millis),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: nanos,
    monotonicTimeNanos: Effect.sync(nanos),
    sleep: () => Effect.never
  }
  return {
    layer: Layer.succeed(Clock.Clock, clock),
    set: (to: number) =>
      Effect.sync(() => {
        millis = to
      })
  }
}
