/** New identifiers. Services of core use no other source of randomness. */
import { Context, type Effect } from "effect"

export class Identifiers extends Context.Service<
  Identifiers,
  {
    /** A new UUIDv7: unguessable in its random part, and later ones sort after earlier ones. */
    readonly uuid: Effect.Effect<string>
  }
>()("sluice/core/workspace/Identifiers") {}
