/**
 * How a loop sleeps between two reads of a store: until a relevant signal arrives, or a time has passed.
 *
 * Signals may get lost, so no loop relies on them alone: each names the longest time that it sleeps.
 */
import { type Duration, Effect, Queue, type Scope, Stream } from "effect"
import { type Signal, Signals } from "./Signals.ts"

export interface Wake {
  /** Ends the present sleep, or the next one if there is none. */
  readonly wake: Effect.Effect<void>
  /** Sleeps until woken, at most so long. Several wakings since the last sleep count as one. */
  readonly sleep: (atMost: Duration.Input) => Effect.Effect<void>
}

/** A sleeper that only its own `wake` wakes, and no signal. */
export const make: Effect.Effect<Wake> = Effect.map(Queue.sliding<void>(1), (woken) => ({
  wake: Effect.asVoid(Queue.offer(woken, undefined)),
  sleep: (atMost) => Effect.raceFirst(Queue.take(woken), Effect.sleep(atMost))
}))

/** A sleeper that is also woken by the signals that concern it, from now until the scope closes. */
export const onSignal = (concerns: (signal: Signal) => boolean): Effect.Effect<Wake, never, Signals | Scope.Scope> =>
  Effect.gen(function* () {
    const signals = yield* Signals
    const self = yield* make
    yield* (yield* signals.subscribe).pipe(
      Stream.filter(concerns),
      Stream.runForEach(() => self.wake),
      Effect.forkScoped
    )
    return self
  })
