/** Runs side tasks of an attempt, such as evidence and live view. Their failure does not end the attempt. */
import { type Duration, Effect } from "effect"
import type { Secrets } from "../redaction/Secrets.ts"
import * as StoreUnavailable from "../runtime/StoreUnavailable.ts"
import { outage } from "../runtime/Supervisor.ts"

/**
 * Runs an effect and recovers from defects and `StoreUnavailable`: `message` is logged with the reason, without the
 * secrets of the attempt, and `pause` passes, so that a caller that retries does not flood the log.
 */
export const bestEffort =
  (secrets: Secrets, message: string, pause: Duration.Input = 0) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<void, Exclude<E, StoreUnavailable.StoreUnavailable>, R> =>
    effect.pipe(
      Effect.asVoid,
      Effect.catch((error: E) =>
        StoreUnavailable.is(error)
          ? Effect.andThen(outage(`${message}: ${error.message}`), Effect.sleep(pause))
          : // The compiler excludes nothing from an open `E`.
            Effect.fail(error as Exclude<E, StoreUnavailable.StoreUnavailable>)
      ),
      Effect.catchDefect((defect) =>
        Effect.andThen(Effect.logWarning(`${message}: ${secrets.describe(defect)}`), Effect.sleep(pause))
      )
    )
