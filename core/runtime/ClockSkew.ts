/**
 * The difference between the clock of this machine and that of the store. With a shared store, `Clock` follows the
 * clock of the store, so windows, leases and retries use it. A process on a machine with a large skew still claims no
 * work.
 */
import { Context, Effect } from "effect"

export interface ClockSkew {
  /** The last measured skew in milliseconds: positive if this machine is ahead, negative if it is behind. */
  readonly millis: Effect.Effect<number>
}

/** The default is 0, for a store in this process. */
export const ClockSkew = Context.Reference<ClockSkew>("sluice/core/runtime/ClockSkew", {
  defaultValue: () => ({ millis: Effect.succeed(0) })
})

/** A skew above this is logged, in milliseconds. */
export const warnsAbove = 1_000

/** A process with a skew above this claims no work, in milliseconds. */
export const claimsUpTo = 5_000

/** Whether this process may claim work. */
export const mayClaim: Effect.Effect<boolean> = Effect.flatMap(ClockSkew, ({ millis }) =>
  Effect.map(millis, (skew) => Math.abs(skew) <= claimsUpTo)
)
