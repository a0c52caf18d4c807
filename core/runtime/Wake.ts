/**
 * The sleep of a loop between two reads of a store: until a relevant signal arrives, or a time has passed.
 *
 * A signal is lost when the process that sends it dies between its commit and the signal. So every loop also sets a maximum
 * sleep.
 */
import { type Duration, Effect, Queue, type Scope, Stream } from "effect"
import { type Signal, Signals } from "./Signals.ts"

/** The maximum sleep of loops that signals wake, and that know of no instant at which something is due. */
export const longestSleep = "1 minute"

/** How often a loop looks at its store although no signal asks for it and nothing is due. */
export interface Polling {
  /**
   * The longest sleep of the loop, in milliseconds. It bounds how late the loop notices a lost signal or a clock that was
   * set forward. A program of one process, whose signals are not lost, may have it sleep for days.
   */
  readonly longestSleepMillis?: number
}

export interface Wake {
  /** Ends the current sleep, or the next one if the loop does not sleep. */
  readonly wake: Effect.Effect<void>
  /** Sleeps until woken, but at most `atMost`. Several wakes since the last sleep count as one. */
  readonly sleep: (atMost: Duration.Input) => Effect.Effect<void>
}

/** A `Wake` without signals: only its own `wake` ends a sleep. */
export const make: Effect.Effect<Wake> = Effect.map(Queue.sliding<void>(1), (woken) => ({
  wake: Effect.asVoid(Queue.offer(woken, undefined)),
  sleep: (atMost) => Effect.raceFirst(Queue.take(woken), Effect.sleep(atMost))
}))

/** A `Wake` that matching signals also wake, from now until the scope closes. */
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
