/** The channel between watchers and workers, within one process. */
import { Effect, Layer, PubSub, Stream } from "effect"
import { type Frame, LiveChannel, type WorkerMessage } from "../../../core/execution/live/LiveChannel.ts"

export const layer = Layer.effect(
  LiveChannel,
  Effect.gen(function* () {
    const newest = new Map<string, Frame>()
    const shown = yield* PubSub.sliding<string>(1_000)
    const messages = yield* PubSub.sliding<WorkerMessage>(1_000)

    const framesOf = Effect.fnUntraced(function* (runId: string) {
      const later = Stream.fromSubscription(yield* PubSub.subscribe(shown)).pipe(
        Stream.filter((run) => run === runId),
        // A slow reader misses pictures, but never the last one.
        Stream.buffer({ capacity: 1, strategy: "sliding" })
      )
      let last: Frame | undefined
      return Stream.concat(Stream.succeed(runId), later).pipe(
        Stream.flatMap((run) => {
          const frame = newest.get(run)
          if (frame === undefined || frame === last) return Stream.empty
          last = frame
          return Stream.succeed(frame)
        })
      )
    })

    return LiveChannel.of({
      show: (runId, frame) =>
        Effect.suspend(() => {
          newest.set(runId, frame)
          return Effect.asVoid(PubSub.publish(shown, runId))
        }),
      hide: (runId) => Effect.sync(() => void newest.delete(runId)),
      frames: (runId) => Stream.unwrap(framesOf(runId)),
      send: (runId, text) => Effect.asVoid(PubSub.publish(messages, { runId, text })),
      messages: Effect.map(PubSub.subscribe(messages), Stream.fromSubscription)
    })
  })
)
