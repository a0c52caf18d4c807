/**
 * What goes on beside an attempt and must not end it: evidence is gathered, somebody watches.
 */
import { type Duration, Effect } from "effect"
import type { Secrets } from "../../core/agent/Secrets.ts"

/**
 * Carries something out. When it dies, `message` is logged with why, but without what the attempt knows to be secret, and
 * `pause` passes: what is taken again at once would fill the log.
 */
export const surviving =
  (secrets: Secrets, message: string, pause: Duration.Input = 0) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<void, E, R> =>
    effect.pipe(
      Effect.asVoid,
      Effect.catchDefect((defect) =>
        Effect.andThen(Effect.logWarning(`${message}: ${secrets.describe(defect)}`), Effect.sleep(pause))
      )
    )
