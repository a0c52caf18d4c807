/**
 * Signals endless answers that the server is about to close, so that they end in order.
 */
import { Context, Deferred, Effect, Layer } from "effect"

export class Closing extends Context.Service<
  Closing,
  {
    /** Completes when the server begins to close. */
    readonly begun: Effect.Effect<void>
    readonly begin: Effect.Effect<void>
  }
>()("sluice/apps/api/http/Closing") {
  static readonly layer = Layer.effect(
    Closing,
    Effect.map(Deferred.make<void>(), (begun) =>
      Closing.of({ begun: Deferred.await(begun), begin: Effect.asVoid(Deferred.succeed(begun, undefined)) })
    )
  )
}

/** Begins to close when it is released. Built on a server, it is released before the server is. */
export const atRelease = Layer.effectDiscard(Effect.flatMap(Closing, ({ begin }) => Effect.addFinalizer(() => begin)))
