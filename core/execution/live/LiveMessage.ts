/**
 * Encodes the gestures of a person as channel messages to the worker. They are sealed, because they may contain a
 * password.
 */
import { Effect, Redacted, Schema } from "effect"
import { Gesture } from "../../browser/vision/RemoteHand.ts"
import type { Cipher } from "../../vault/keys/Sealing.ts"
import * as LiveChannel from "./LiveChannel.ts"

const Gestures = Schema.Struct({ holder: Schema.String, gestures: Schema.Array(Gesture) })

/** The holder that sent these gestures, in their order. */
export type Gestures = typeof Gestures.Type

/** A sealed value is hexadecimal, twice as long, and has 28 bytes more. */
const maxBytes = LiveChannel.maxMessageCharacters / 2 - 100

/** The maximum length of a value as JSON in UTF-8. */
const sizeOf = (value: unknown): number => 3 * JSON.stringify(value).length

/** Gestures as messages, in their order. */
export const seal = Effect.fnUntraced(function* (cipher: Cipher, { gestures, holder }: Gestures) {
  const batches: Array<Array<Gesture>> = []
  let size = Number.POSITIVE_INFINITY
  for (const gesture of gestures) {
    size += sizeOf(gesture)
    if (size > maxBytes) {
      batches.push([])
      size = sizeOf(holder) + sizeOf(gesture)
    }
    batches.at(-1)?.push(gesture)
  }
  // Gestures are plain JSON, but an interface is not assignable to the type of JSON.
  return yield* Effect.forEach(batches, (batch) =>
    cipher.seal(Redacted.make({ holder, gestures: batch } as unknown as Schema.Json))
  )
})

const decode = Schema.decodeUnknownOption(Gestures)

/** Opens a message; none if it is of another workspace, or of an unknown form. */
export const open = Effect.fnUntraced(function* (cipher: Cipher, text: string) {
  const value = yield* cipher.unseal(text)
  return yield* Effect.fromOption(decode(Redacted.value(value)))
}, Effect.option)
