import { randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Result, Schema } from "effect"
import * as Crypto from "../../../adapters/crypto/Crypto.ts"
import * as Encryption from "../../../adapters/crypto/Encryption.ts"
import * as Memory from "../../../adapters/memory/Memory.ts"
import { Tables } from "../../../adapters/memory/Tables.ts"
import { settingNames } from "../../../apps/cli/SettingNames.ts"
import { SettingNames } from "../../../core/runtime/SettingNames.ts"
import { EncryptionKeys } from "../../../core/vault/keys/EncryptionKeys.ts"
import { Sealing } from "../../../core/vault/keys/Sealing.ts"
import { WorkspaceId } from "../../../core/workspace/Ids.ts"
import { makeWorkspace } from "../../support/fixtures.ts"
import * as Client from "../../support/sealed.ts"

const masterKey = "ab".repeat(32)
const encryption = (key = masterKey) => Encryption.layer(Redacted.make(key))
const services = encryption().pipe(Layer.provideMerge(Layer.mergeAll(Memory.layer, Crypto.layer)))

/** The worked vectors that the published clients agree on. */
const key = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
const iv = "a0a1a2a3a4a5a6a7a8a9aaab"
const vectors: ReadonlyArray<readonly [value: string, sealed: string]> = [
  ["user@example.com", `${iv}c46d0f48378b67c70308f7bf6254a3b11d8e658ef1555910085a9caff36f35f696bf`],
  ["pässwörd✓", `${iv}c468bf8936b8757cd417e3319be9e2c92fdb81ec0fcf1ae0cda6f5b5bd90d0`],
  ["pässwörd✓", `${iv}c468205875fb678b1116f08f724af0b846de3d4ce785755daf2c981b2335237d2f224a6478367ea856ec`]
]
const unquoted = `${iv}936b195f05ae7ade0f15ebb62919afb34b6f5ffc1e71b090dd21e9533088434a`

/** A workspace that has the key of the vectors. */
const withKey = Effect.gen(function* () {
  const { workspaceId } = yield* makeWorkspace()
  yield* (yield* EncryptionKeys).give(workspaceId, Redacted.make(key))
  return workspaceId
})

const refusal = (workspaceId: WorkspaceId, sealed: string) =>
  Effect.gen(function* () {
    const error = yield* Effect.flip((yield* Sealing).unseal(workspaceId, sealed))
    if (sealed.length > 4) assert.notInclude(error.message, sealed)
    return error.reason
  })

it.layer(services)("sealing", (it) => {
  it.effect.each(vectors)("opens what the clients seal: %s", ([value, sealed]) =>
    Effect.gen(function* () {
      const workspaceId = yield* withKey
      const { unseal } = yield* Sealing
      for (const text of [sealed, sealed.toUpperCase()]) {
        const opened = yield* unseal(workspaceId, text)
        assert.strictEqual(Redacted.value(opened), value)
        assert.notInclude(JSON.stringify({ opened, text: String(opened) }), value)
      }
    })
  )

  it.effect("refuses what is no JSON, what has another form, and what is of another workspace", () =>
    Effect.gen(function* () {
      const workspaceId = yield* withKey
      const [, sealed = ""] = vectors[0] ?? []
      assert.strictEqual(yield* refusal(workspaceId, unquoted), "json")
      assert.strictEqual(yield* refusal(workspaceId, Client.sealText(key, "[".repeat(100_000))), "json")
      for (const text of [
        "",
        "user@example.com",
        "00",
        sealed.slice(0, 54),
        sealed.slice(1),
        `${sealed}z0`,
        ` ${sealed}`
      ]) {
        assert.strictEqual(yield* refusal(workspaceId, text), "form")
      }
      assert.strictEqual(yield* refusal((yield* makeWorkspace()).workspaceId, sealed), "key")
    })
  )

  it.effect.prop(
    "gives back what was sealed, to the service and to its clients, and never seals twice alike",
    [Schema.Json],
    ([value]) =>
      Effect.gen(function* () {
        const workspaceId = yield* withKey
        const { seal, unseal } = yield* Sealing
        const sealed = yield* seal(workspaceId, Redacted.make(value))
        assert.match(sealed, /^[0-9a-f]{58,}$/)
        const written = JSON.stringify(value)
        assert.strictEqual(JSON.stringify(Redacted.value(yield* unseal(workspaceId, sealed))), written)
        assert.strictEqual(JSON.stringify(Client.unseal(key, sealed)), written)
        assert.strictEqual(JSON.stringify(Redacted.value(yield* unseal(workspaceId, Client.seal(key, value)))), written)
        assert.notStrictEqual(yield* seal(workspaceId, Redacted.make(value)), sealed)
      }),
    { arbitrary: { runs: 100, size: 20 } }
  )

  it.effect("notices a change of any single bit of any byte", () =>
    Effect.gen(function* () {
      const workspaceId = yield* withKey
      const bytes = Buffer.from(Client.seal(key, "hunter2"), "hex")
      for (let index = 0; index < bytes.length; index++) {
        const changed = Buffer.from(bytes)
        changed[index] = (changed[index] ?? 0) ^ (1 << (index % 8))
        assert.strictEqual(yield* refusal(workspaceId, changed.toString("hex")), "key")
      }
    })
  )
})

it.layer(services)("an encryption key", (it) => {
  it.effect("is made once for a workspace under concurrent requests, and is kept wrapped only", () =>
    Effect.gen(function* () {
      const { workspaceId } = yield* makeWorkspace()
      const keys = yield* EncryptionKeys
      const asked = yield* Effect.all(
        Array.from({ length: 8 }, () => keys.of(workspaceId)),
        { concurrency: "unbounded" }
      )
      const [first = ""] = asked.map(Redacted.value)
      assert.match(first, /^[0-9a-f]{64}$/)
      assert.deepStrictEqual(new Set(asked.map(Redacted.value)), new Set([first]))
      const given = yield* keys.give(workspaceId, Redacted.make(key))
      assert.strictEqual(Redacted.value(given), first)
      const { wrappedKeys } = yield* Tables
      assert.notInclude(JSON.stringify([...wrappedKeys.values()]), first)
      assert.notInclude(JSON.stringify(asked), first)
    })
  )

  it.effect("is given to every workspace that has none when the service starts, and is the same ever after", () =>
    Effect.gen(function* () {
      const { workspaceId } = yield* makeWorkspace()
      const { wrappedKeys } = yield* Tables
      assert.isFalse(wrappedKeys.has(`${workspaceId} 1`))
      const restarted = Effect.flatMap(EncryptionKeys, (keys) => keys.of(workspaceId))
      const first = yield* Effect.provide(restarted, Layer.fresh(encryption()))
      assert.isTrue(wrappedKeys.has(`${workspaceId} 1`))
      const again = yield* Effect.provide(restarted, Layer.fresh(encryption(masterKey.toUpperCase())))
      assert.strictEqual(Redacted.value(again), Redacted.value(first))
    })
  )

  it.effect("stops the start under another master key, which writes nothing", () =>
    Effect.gen(function* () {
      const known = yield* withKey
      const without = (yield* makeWorkspace()).workspaceId
      const { wrappedKeys } = yield* Tables
      const before = JSON.stringify([...wrappedKeys])
      for (const [wrong, message] of [
        ["cd".repeat(32), /^Cannot start with this master key: .* Set SLUICE_MASTER_KEY/],
        ["cd", /expected 64 hexadecimal digits/]
      ] as const) {
        const started = yield* Layer.build(Layer.fresh(encryption(wrong))).pipe(
          Effect.scoped,
          Effect.provideService(SettingNames, settingNames),
          Effect.result
        )
        if (Result.isSuccess(started)) return assert.fail("Expected the start to be refused")
        assert.match(started.failure.message, message)
      }
      assert.strictEqual(JSON.stringify([...wrappedKeys]), before)
      assert.isFalse(wrappedKeys.has(`${without} 1`))
      assert.isTrue(wrappedKeys.has(`${known} 1`))
    })
  )

  it.effect("does not unwrap for another workspace than its own", () =>
    Effect.gen(function* () {
      const known = yield* withKey
      const stranger = WorkspaceId.make(randomUUID())
      const { wrappedKeys } = yield* Tables
      const stolen = wrappedKeys.get(`${known} 1`)
      if (stolen === undefined) return assert.fail("Expected a key")
      wrappedKeys.set(`${stranger} 1`, { ...stolen, owner: stranger })
      const started = yield* Effect.result(Effect.scoped(Layer.build(Layer.fresh(encryption()))))
      wrappedKeys.delete(`${stranger} 1`)
      assert.isTrue(Result.isFailure(started))
    })
  )
})
