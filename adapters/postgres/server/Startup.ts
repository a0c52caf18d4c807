/** The current step of a starting process, for readiness checks. */
import { Context, Effect } from "effect"

export interface Startup {
  /** A step begins, in words such as "it starts its browser". The answer ends it. */
  readonly begin: (step: string) => Effect.Effect<Effect.Effect<void>>
}

/** The default keeps nothing. */
export const Startup = Context.Reference<Startup>("sluice/adapters/postgres/server/Startup", {
  defaultValue: () => ({ begin: () => Effect.succeed(Effect.void) })
})

/** Carries an effect out as a step of the start. */
export const during =
  (step: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(Startup, ({ begin }) =>
      Effect.acquireUseRelease(
        begin(step),
        () => effect,
        (end) => end
      )
    )
