/** Signals within one process. */
import { Effect, Layer, PubSub, Stream } from "effect"
import { type Signal, Signals } from "../../core/runtime/Signals.ts"

export const layerSignals = Layer.effect(
  Signals,
  Effect.map(PubSub.unbounded<Signal>(), (hub) =>
    Signals.of({
      publish: (signal) => Effect.asVoid(PubSub.publish(hub, signal)),
      subscribe: Effect.map(PubSub.subscribe(hub), Stream.fromSubscription)
    })
  )
)
