/** The end of a process that serves the HTTP interface. */
import { Effect } from "effect"
import { Closing } from "../../api/http/Closing.ts"

/** Lets the HTTP interface say that it is not ready as soon as the process is asked to end, before anything is released. */
export const leaving = <A, E, R>(serving: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | Closing> =>
  Effect.onInterrupt(serving, () => Effect.flatMap(Closing, ({ leave }) => leave))
