/**
 * The clock of an installation for tests, which can be moved forward: windows open, leases and sessions run out, and
 * schedules fire in seconds.
 */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "./StoreUnavailable.ts"

export interface TestTime {
  /** By how many milliseconds the clock of the installation is ahead of that of its database. */
  readonly ahead: Effect.Effect<number>

  /**
   * Moves the clock of all processes forward to an instant, in epoch milliseconds. It never goes back: an instant that has
   * passed changes nothing. Once it succeeds, every process that reaches the database has the new time.
   */
  readonly moveTo: (at: number) => Effect.Effect<void, StoreUnavailable>
}

/** `null` for an installation whose clock cannot be moved, which is every one that is not for tests. */
export const TestTime = Context.Reference<TestTime | null>("sluice/core/runtime/TestTime", {
  defaultValue: () => null
})
