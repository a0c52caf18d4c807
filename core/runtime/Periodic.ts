/**
 * Jobs that are done at once and then again and again, such as forgetting what is too old.
 *
 * Any number of processes may do the same job: each of them must be safe beside itself.
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

/** Does a job until interrupted. A round that fails is logged, and the next one comes after the pause. */
export const run = <R>({ every, name, round }: Job<R>): Effect.Effect<never, never, R> =>
  round.pipe(Background.round(name), Effect.andThen(Effect.sleep(every)), Effect.forever)
