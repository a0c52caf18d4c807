/**
 * The promises of every implementation of `Signals`, and of `LiveChannel`, which brings pictures and messages of watched
 * runs from one process to another.
 *
 * They wait on the clock of the runtime for what is under way: a channel of a database may lose a signal and looks again
 * later.
 */
import { Effect, Fiber, Option, Schedule, Stream } from "effect"
import { LiveChannel, maxMessageCharacters } from "../../../../core/execution/live/LiveChannel.ts"
import { RunStore } from "../../../../core/run/RunStore.ts"
import { type Signal, Signals } from "../../../../core/runtime/Signals.ts"
import type { WorkflowStore } from "../../../../core/workflow/WorkflowStore.ts"
import type { WorkspaceStore } from "../../../../core/workspace/WorkspaceStore.ts"
import * as assert from "../Assertions.ts"
import * as Contract from "../Contract.ts"
import { makeWorkflow, makeWorkspace, newId, submission } from "../Fixtures.ts"

/** The ports that the promises are about. */
export type Stores = LiveChannel | RunStore | Signals | WorkflowStore | WorkspaceStore

const promise = <A, E>(title: string, test: Effect.Effect<A, E, Stores>) =>
  Contract.promise(title, Contract.ends("what is waited for", test))

const someRun = Effect.gen(function* () {
  const sent = submission(yield* makeWorkflow(yield* makeWorkspace()))
  yield* (yield* RunStore).submit(sent)
  return sent.id
})

/** What every implementation promises. */
export const promises: ReadonlyArray<Contract.ContractPromise<Stores>> = [
  promise(
    "signals reach every subscriber that was there before, as they were sent",
    Effect.scoped(
      Effect.gen(function* () {
        const signals = yield* Signals
        const runId = yield* newId
        const clientId = yield* newId
        const received = [yield* signals.subscribe, yield* signals.subscribe]
        const sent: Signal = { _tag: "announced", runId, clientId }
        yield* signals.publish(sent)
        for (const one of received) {
          const own = one.pipe(Stream.filter((signal) => signal._tag === "announced" && signal.runId === runId))
          assert.deepStrictEqual(yield* Stream.runHead(own), Option.some(sent))
        }
      })
    )
  ),
  promise(
    "pictures of a watched run show the newest at once, then each as it comes, to all who look",
    Effect.gen(function* () {
      const channel = yield* LiveChannel
      const [runId, other] = [yield* someRun, yield* someRun]
      const frame = (at: number) => ({ bytes: Uint8Array.of(0xff, 0, at), at })
      yield* channel.show(runId, frame(1))
      yield* channel.show(runId, frame(2))
      const looking = channel.frames(runId).pipe(
        Stream.takeUntil(({ at }) => at === 9),
        Stream.runCollect
      )
      const watchers = yield* Effect.forEach([1, 2, 3], () => Effect.forkChild(looking))
      // Watchers that begin later miss nothing that matters: the last picture is there until it is hidden.
      for (let at = 3; at <= 9; at++) {
        yield* channel.show(other, frame(at))
        yield* channel.show(runId, frame(at))
      }
      for (const seen of yield* Effect.forEach(watchers, Fiber.join)) {
        assert.deepStrictEqual(seen.at(-1), frame(9))
        const instants = seen.map(({ at }) => at)
        assert.deepStrictEqual(
          instants,
          [...new Set(instants)].sort((a, b) => a - b)
        )
      }
      yield* channel.hide(runId)
      yield* channel.hide(runId)
      const later = yield* Effect.forkChild(Stream.runHead(channel.frames(runId)))
      yield* channel
        .show(runId, frame(10))
        .pipe(Effect.repeat({ until: () => later.pollUnsafe() !== undefined, schedule: Schedule.spaced("50 millis") }))
      assert.deepStrictEqual(yield* Fiber.join(later), Option.some(frame(10)))
    })
  ),
  promise(
    "messages to the worker of a watched run are heard in their order, however many there are",
    Effect.scoped(
      Effect.gen(function* () {
        const channel = yield* LiveChannel
        const runId = yield* someRun
        const messages = yield* channel.messages
        const heard = yield* Effect.forkChild(
          messages.pipe(
            Stream.filter((message) => message.runId === runId),
            Stream.take(50),
            Stream.runCollect
          )
        )
        const sent = Array.from({ length: 50 }, (_, index) => String(index).padEnd(maxMessageCharacters, "f"))
        yield* Effect.forEach(sent, (text) => channel.send(runId, text), { discard: true })
        assert.deepStrictEqual(
          (yield* Fiber.join(heard)).map(({ text }) => text),
          sent
        )
      })
    )
  )
]
