/**
 * How many runs all workers of the installation carry out at once, as far as that is known.
 */
import { Context, Effect } from "effect"
import type { StoreUnavailable } from "../runtime/StoreUnavailable.ts"

export interface Workers {
  /** How many runs they carry out at once, together. */
  readonly capacity: number
  /** How many they carry out now. */
  readonly running: number
}

/** `null` where no list of the workers is kept, as where a program embeds the service. It may be some seconds old. */
export const WorkerCapacity = Context.Reference<{
  readonly current: Effect.Effect<Workers | null, StoreUnavailable>
}>("sluice/core/gate/WorkerCapacity", { defaultValue: () => ({ current: Effect.succeed(null) }) })
