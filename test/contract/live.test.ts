import { assert, it } from "@effect/vitest"
import { Effect, Fiber, type Layer, Option, Redacted, Schedule, type Schema, Stream } from "effect"
import type { Gesture } from "../../core/browser/vision/RemoteHand.ts"
import { LiveChannel, maxMessageCharacters } from "../../core/execution/live/LiveChannel.ts"
import * as LiveMessage from "../../core/execution/live/LiveMessage.ts"
import type { LiveStore } from "../../core/execution/live/LiveStore.ts"
import { RunStore } from "../../core/run/RunStore.ts"
import type { Cipher } from "../../core/vault/keys/Sealing.ts"
import type { WorkflowStore } from "../../core/workflow/WorkflowStore.ts"
import type { WorkspaceStore } from "../../core/workspace/WorkspaceStore.ts"
import * as databases from "../support/databases.ts"
import { makeWorkflow, makeWorkspace, submission } from "../support/fixtures.ts"

type Stores = LiveChannel | LiveStore | RunStore | WorkflowStore | WorkspaceStore

const someRun = Effect.gen(function* () {
  const sent = submission(yield* makeWorkflow(yield* makeWorkspace()))
  yield* (yield* RunStore).submit(sent)
  return sent.id
})

const suite = <E, R>(name: string, layer: Layer.Layer<Stores | R, E>, empty: Effect.Effect<unknown, never, R>) =>
  it.layer(layer, { timeout: "120 seconds", excludeTestServices: true })(`watched runs (${name})`, (it) => {
    const promise = <A, F>(title: string, test: () => Effect.Effect<A, F, Stores>) =>
      it.effect(title, () => Effect.andThen(empty, test()), 60_000)

    promise("show the newest picture at once, then each as it comes, to all who look", () =>
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
          assert.deepStrictEqual(
            seen.map(({ at }) => at),
            [...new Set(seen.map(({ at }) => at))].sort((a, b) => a - b)
          )
        }
        yield* channel.hide(runId)
        yield* channel.hide(runId)
        const later = yield* Effect.forkChild(Stream.runHead(channel.frames(runId)))
        yield* channel
          .show(runId, frame(10))
          .pipe(
            Effect.repeat({ until: () => later.pollUnsafe() !== undefined, schedule: Schedule.spaced("50 millis") })
          )
        assert.deepStrictEqual(yield* Fiber.join(later), Option.some(frame(10)))
      })
    )

    promise("hear messages in their order, however many there are", () =>
      Effect.scoped(
        Effect.gen(function* () {
          const channel = yield* LiveChannel
          const runId = yield* someRun
          const messages = yield* channel.messages
          const greeted = yield* Effect.forkChild(
            messages.pipe(
              Stream.filter(({ runId: of, text }) => of === runId && text !== "hello"),
              Stream.take(50),
              Stream.runCollect
            )
          )
          const sent = Array.from({ length: 50 }, (_, index) => String(index).padEnd(maxMessageCharacters, "f"))
          yield* Effect.sleep("500 millis")
          yield* Effect.forEach(sent, (text) => channel.send(runId, text), { discard: true })
          assert.deepStrictEqual(
            (yield* Fiber.join(greeted)).map(({ text }) => text),
            sent
          )
        })
      )
    )
  })

suite("memory", ...databases.memory)
suite("embedded", ...databases.embedded)
suite("postgres", ...databases.postgres)

/** Seals as the real one does, as far as lengths go, and hides nothing. */
const plain = {
  seal: (value: Redacted.Redacted<Schema.Json>) =>
    Effect.succeed(`${Buffer.from(JSON.stringify(Redacted.value(value))).toString("hex")}${"0".repeat(56)}`),
  unseal: (text: string) =>
    Effect.succeed(Redacted.make(JSON.parse(Buffer.from(text.slice(0, -56), "hex").toString()) as Schema.Json))
} as unknown as Cipher

it.effect("what a person does fits into messages, whatever they type, and comes out in its order", () =>
  Effect.gen(function* () {
    const gestures: ReadonlyArray<Gesture> = [
      { kind: "press", x: 0.25, y: 1, button: "left", clicks: 2 },
      ...Array.from(
        { length: 100 },
        (_, index): Gesture => ({ kind: "text", text: `${index}${"\u0001報".repeat(240)}` })
      ),
      { kind: "key_up", key: "Enter" }
    ]
    const messages = yield* LiveMessage.seal(plain, { holder: "me".repeat(10), gestures })
    assert.isAbove(messages.length, 1)
    for (const text of messages) assert.isAtMost(text.length, maxMessageCharacters)
    const opened = yield* Effect.forEach(messages, (text) =>
      Effect.map(LiveMessage.open(plain, text), Option.getOrThrow)
    )
    assert.deepStrictEqual(
      opened.flatMap((one) => one.gestures),
      gestures
    )
    assert.lengthOf(yield* LiveMessage.seal(plain, { holder: "me", gestures: [] }), 0)
  })
)
