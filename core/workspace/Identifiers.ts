/** New identifiers. Services of core use no other source of randomness. */
import { Context, type Effect } from "effect"

export class Identifiers extends Context.Service<
  Identifiers,
  {
    /**
     * A new UUIDv7 with the time of the clock in use: unguessable in its random part, and those of a later millisecond sort
     * after those of earlier ones.
     */
    readonly uuid: Effect.Effect<string>
  }
>()("sluice/core/workspace/Identifiers") {}
