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
  /** Each of them; left out where one does not say what it gives a workspace. */
  readonly each?: ReadonlyArray<WorkerPlaces>
}

/** The places of one worker. */
export interface WorkerPlaces {
  /** Its name in leases. */
  readonly name: string
  readonly capacity: number
  /** How many of them one workspace may have. */
  readonly workspaceRuns: number
}

/** `null` where no list of the workers is kept, as where a program embeds the service. It may be some seconds old. */
export const WorkerCapacity = Context.Reference<{
  readonly current: Effect.Effect<Workers | null, StoreUnavailable>
}>("sluice/core/gate/WorkerCapacity", { defaultValue: () => ({ current: Effect.succeed(null) }) })
