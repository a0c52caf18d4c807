/**
 * How many runs have a browser, where something other than the worker decides it, such as a browser grid.
 */
import { Context, Effect, Stream } from "effect"

export interface BrowserCapacity {
  /** How many runs may be carried out at once. It may fall below the number that are. */
  readonly count: Effect.Effect<number>
  /** Emits when the capacity may have grown. */
  readonly changes: Stream.Stream<void>
}

export const BrowserCapacity = Context.Reference<BrowserCapacity>("sluice/core/run/BrowserCapacity", {
  defaultValue: () => ({ count: Effect.succeed(Number.POSITIVE_INFINITY), changes: Stream.never })
})
