/**
 * Periodic jobs, such as the removal of expired data. A job first runs immediately.
 *
 * Several processes may run the same job at the same time, so each job must be safe under concurrency.
 */
import { type Duration, Effect } from "effect"
import * as Background from "./Background.ts"
import type { StoreUnavailable } from "./StoreUnavailable.ts"

export interface Job<R> {
  /** The action of the job, as a verb: `forget used time steps`. */
  readonly name: string
  /** The pause between two rounds. */
  readonly every: Duration.Input
  readonly round: Effect.Effect<unknown, StoreUnavailable, R>
}

/** Runs a job until interrupted. A failed round is logged, and the next one follows after the pause. */
export const run = <R>({ every, name, round }: Job<R>): Effect.Effect<never, never, R> =>
  round.pipe(Background.round(name), Effect.andThen(Effect.sleep(every)), Effect.forever)
