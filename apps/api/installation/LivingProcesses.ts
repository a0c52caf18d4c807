/** The processes of the installation that are alive, as each of them reports every 15 seconds. */
import { Context, Effect } from "effect"
import type { StoreUnavailable } from "../../../core/runtime/StoreUnavailable.ts"

export interface LivingProcess {
  /** What it does: `up`, `api`, `scheduler` or `worker`. */
  readonly part: string
  readonly version: string
  /** The version of its time zone data; `null` where Node does not have it. */
  readonly tzData: string | null
  /** By how much the clock of its machine is ahead of that of the database, in milliseconds. */
  readonly clockSkewMillis: number
  /** How many runs it executes at once; `null` for a process that executes none. */
  readonly capacity: number | null
  readonly running: number
  /** How many sessions of browsers it has open. */
  readonly browsers: number
  /** In epoch milliseconds, as is `seenAt`. */
  readonly beganAt: number
  readonly seenAt: number
}

/** `null` without a registry, as where a program embeds the service: the processes are not known. */
export const LivingProcesses = Context.Reference<{
  readonly living: Effect.Effect<ReadonlyArray<LivingProcess> | null, StoreUnavailable>
}>("sluice/apps/api/installation/LivingProcesses", { defaultValue: () => ({ living: Effect.succeed(null) }) })
