/**
 * Runs tasks beside an attempt whose failure must not end it, such as gathering evidence or live view.
 */
import { type Duration, Effect } from "effect"
import type { Secrets } from "../redaction/Secrets.ts"
import * as StoreUnavailable from "../runtime/StoreUnavailable.ts"
import { outage } from "../runtime/Supervisor.ts"

/**
 * Carries something out. When it dies, or the store cannot be reached, `message` is logged with the reason, but without
 * what the attempt knows to be secret, and `pause` passes: what is tried again at once would fill the log.
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
