import { assert, it } from "@effect/vitest"
import { Effect, Redacted, Schema } from "effect"
import * as VaultValues from "../../../adapters/crypto/VaultValues.ts"
import * as Client from "../../support/sealed.ts"

const key = "5c".repeat(32)
const own = Redacted.make(key)

it.effect.prop(
  "programs open what the clients of the interface seal, and the other way round",
  { value: Schema.Json },
  ({ value }) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        Redacted.value(yield* VaultValues.unseal(own, Client.seal(key, value))),
        JSON.parse(JSON.stringify(value))
      )
      assert.deepStrictEqual(
        Client.unseal(key, yield* VaultValues.seal(own, Redacted.make(value as never))),
        JSON.parse(JSON.stringify(value))
      )
    })
)

it.effect("a value under another key, of another form, or of no JSON is refused, and not repeated", () =>
  Effect.gen(function* () {
    const sealed = Client.seal("5d".repeat(32), "tide-and-timber")
    for (const [text, reason] of [
      [sealed, "key"],
      ["no value", "form"],
      [Client.sealText(key, "tide-and-timber"), "json"]
    ] as const) {
      const refusal = yield* Effect.flip(VaultValues.unseal(own, text))
      assert.strictEqual(refusal.reason, reason)
      assert.notInclude(refusal.message, "tide")
    }
  })
)
