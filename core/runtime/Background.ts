/**
 * Rounds of loops that continue after a failure in one of them.
 */
import { Effect } from "effect"
import type { StoreUnavailable } from "./StoreUnavailable.ts"
import { Supervisor } from "./Supervisor.ts"

/** The pause after a round that failed. */
const pause = "1 second"

/**
 * Runs one round of a loop. `name` is its action, such as `claim runs`.
 *
 * `StoreUnavailable` and defects are reported to the supervisor of the process, followed by a pause of one second. The
 * effect itself never fails.
 */
export const round =
  (name: string) =>
  <A, R>(effect: Effect.Effect<A, StoreUnavailable, R>): Effect.Effect<void, never, R> =>
    Effect.gen(function* () {
      const supervisor = yield* Supervisor
      yield* effect.pipe(
        Effect.andThen(supervisor.succeeded(name)),
        Effect.catchTag("StoreUnavailable", ({ message }) =>
          Effect.andThen(supervisor.unavailable(`Could not ${name}: ${message}. Trying again`), Effect.sleep(pause))
        ),
        Effect.catchDefect((defect) => Effect.andThen(supervisor.died(name, defect), Effect.sleep(pause)))
      )
    })
