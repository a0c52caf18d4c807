/** The promises of every implementation of `Keys`, which makes and hashes API keys. */
import { Effect, Redacted } from "effect"
import { Keys } from "../../../../core/workspace/Keys.ts"
import * as assert from "../Assertions.ts"
import * as Contract from "../Contract.ts"

/** Texts and their hashes. */
const known = [
  ["abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
  ["", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
  ["schlüssel ✓", "5249064806279d3b027ae5d16e96d71f0daf72291da299fdb1eee83e488cebdc"]
] as const

/** What every implementation promises. */
export const promises: ReadonlyArray<Contract.ContractPromise<Keys>> = [
  Contract.promise(
    "API keys are made of 256 bits by chance",
    Effect.gen(function* () {
      const { make } = yield* Keys
      const made = yield* Effect.forEach(Array.from({ length: 100 }), () => Effect.map(make, Redacted.value))
      for (const key of made) assert.match(key, /^sk_[A-Za-z0-9_-]{43}$/)
      assert.strictEqual(new Set(made).size, made.length)
      // At each place, a character that is the same in every key is not chance.
      for (let at = 3; at < 46; at++) assert.isAbove(new Set(made.map((key) => key[at])).size, 1)
    })
  ),
  Contract.promise(
    "API keys are hashed by SHA-256",
    Effect.gen(function* () {
      const { hash } = yield* Keys
      for (const [text, hashed] of known) assert.strictEqual(yield* hash(Redacted.make(text)), hashed)
    })
  )
]
