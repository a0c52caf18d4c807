/**
 * Loads what a command does when it is run, so that every other command, and every text of help, starts without it.
 */
import { Effect } from "effect"

/** A handler of a module that is loaded at its first use. */
export const handler =
  <Module, Settings, A, E, R>(
    load: () => Promise<Module>,
    of: (module: Module) => (settings: Settings) => Effect.Effect<A, E, R>
  ) =>
  (settings: Settings): Effect.Effect<A, E, R> =>
    Effect.flatMap(Effect.promise(load), (module) => of(module)(settings))
