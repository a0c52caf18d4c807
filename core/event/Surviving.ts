/**
 * Rounds of work that goes on for ever: one that dies, as when the database is away, is logged and taken again.
 */
import { Effect } from "effect"

/** Carries out one round. When it dies, `message` is logged with why, and a second passes. */
export const surviving =
  (message: string) =>
  <A, R>(round: Effect.Effect<A, never, R>): Effect.Effect<void, never, R> =>
    round.pipe(
      Effect.asVoid,
      Effect.catchDefect((defect) => Effect.andThen(Effect.logError(message, defect), Effect.sleep("1 second")))
    )
