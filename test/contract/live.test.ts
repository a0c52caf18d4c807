import { assert, it } from "@effect/vitest"
import { Effect, Option, Redacted, type Schema } from "effect"
import type { Gesture } from "../../core/browser/vision/RemoteHand.ts"
import { maxMessageCharacters } from "../../core/execution/live/LiveChannel.ts"
import * as LiveMessage from "../../core/execution/live/LiveMessage.ts"
import type { Cipher } from "../../core/vault/keys/Sealing.ts"

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
