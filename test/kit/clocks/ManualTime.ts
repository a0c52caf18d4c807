/** A manual time with its sleepers. It moves only when a test moves it. */
import { type Clock, Duration, Effect } from "effect"

export interface Sleeper {
  /** The instant at which it is due, in epoch milliseconds. */
  readonly until: number
  readonly wake: () => void
}

export interface ManualTime {
  readonly clock: Clock.Clock
  /** The time that the clock shows, in epoch milliseconds. */
  readonly now: () => number
  /** Changes the time shown, and wakes nothing. */
  readonly show: (at: number) => void
  /**
   * The sleeper that is due first by an instant, if any; of those due at one instant, the one that began to sleep
   * first.
   */
  readonly firstBy: (at: number) => Sleeper | null
  /** Wakes a sleeper. */
  readonly wake: (sleeper: Sleeper) => void
}

export const make = (at: number): ManualTime => {
  let now = at
  const sleepers = new Set<Sleeper>()
  const nanos = () => BigInt(Math.round(now * 1_000)) * 1_000n
  return {
    clock: {
      currentTimeMillisUnsafe: () => now,
      currentTimeMillis: Effect.sync(() => now),
      currentTimeNanosUnsafe: nanos,
      currentTimeNanos: Effect.sync(nanos),
      monotonicTimeNanosUnsafe: nanos,
      monotonicTimeNanos: Effect.sync(nanos),
      sleep: (duration) =>
        Effect.callback<void>((resume) => {
          const sleeper = { until: now + Duration.toMillis(duration), wake: () => resume(Effect.void) }
          if (sleeper.until <= now) return sleeper.wake()
          sleepers.add(sleeper)
          return Effect.sync(() => void sleepers.delete(sleeper))
        })
    },
    now: () => now,
    show: (to) => {
      now = to
    },
    firstBy: (to) =>
      [...sleepers].reduce<Sleeper | null>(
        (first, one) => (one.until <= to && (first === null || one.until < first.until) ? one : first),
        null
      ),
    wake: (sleeper) => {
      sleepers.delete(sleeper)
      sleeper.wake()
    }
  }
}
