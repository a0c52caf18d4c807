/**
 * How far the clock of this machine is from that of the store. Windows, leases and retries are judged by the clock of the
 * store, which `Clock` follows where the store is shared; a machine whose own clock is far off is still not trusted.
 */
import { Context, Effect } from "effect"

export interface ClockSkew {
  /** By how much the clock of this machine is ahead, in milliseconds, as last measured. Negative when it is behind. */
  readonly millis: Effect.Effect<number>
}

/** A store in this process has its clock. */
export const ClockSkew = Context.Reference<ClockSkew>("sluice/core/runtime/ClockSkew", {
  defaultValue: () => ({ millis: Effect.succeed(0) })
})

/** A skew that is more than this is logged, in milliseconds. */
export const warnsAbove = 1_000

/** A process whose skew is more than this claims nothing, in milliseconds. */
export const claimsUpTo = 5_000

/** Whether this process may claim work. */
export const mayClaim: Effect.Effect<boolean> = Effect.flatMap(ClockSkew, ({ millis }) =>
  Effect.map(millis, (skew) => Math.abs(skew) <= claimsUpTo)
)
