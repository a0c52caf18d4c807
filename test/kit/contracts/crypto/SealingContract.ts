/**
 * The promises of every implementation of `Sealing`, on the keys of `EncryptionKeys` and the data of the stores of keys and
 * workspaces.
 */
import { Effect, Redacted, type Schema } from "effect"
import type { StoreUnavailable } from "../../../../core/runtime/StoreUnavailable.ts"
import { EncryptionKeys } from "../../../../core/vault/keys/EncryptionKeys.ts"
import { type CannotUnseal, markOf, Sealing } from "../../../../core/vault/keys/Sealing.ts"
import { WrappedKeys } from "../../../../core/vault/keys/WrappedKeys.ts"
import type { WorkspaceId } from "../../../../core/workspace/Ids.ts"
import type { WorkspaceStore } from "../../../../core/workspace/WorkspaceStore.ts"
import * as assert from "../Assertions.ts"
import * as Contract from "../Contract.ts"
import { makeWorkspace } from "../Fixtures.ts"

/** The ports that the promises are about. */
export type Stores = EncryptionKeys | Sealing | WorkspaceStore | WrappedKeys

const promise = <A, E>(title: string, test: () => Effect.Effect<A, E, Stores>) =>
  Contract.promise(`sealed values ${title}`, Effect.suspend(test))

/** Texts as a client sealed them under one key. */
const known = {
  key: Redacted.make("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"),
  sealed: [
    [
      "user@example.com",
      "a0a1a2a3a4a5a6a7a8a9aaabc46d0f48378b67c70308f7bf6254a3b11d8e658ef1555910085a9caff36f35f696bf"
    ],
    ["pässwörd✓", "a0a1a2a3a4a5a6a7a8a9aaabc468bf8936b8757cd417e3319be9e2c92fdb81ec0fcf1ae0cda6f5b5bd90d0"]
  ],
  /** A text without the quotes that would make it JSON. */
  unquoted: "a0a1a2a3a4a5a6a7a8a9aaab936b195f05ae7ade0f15ebb62919afb34b6f5ffc1e71b090dd21e9533088434a"
} as const

const nextKey = Redacted.make("5b".repeat(32))

/** A workspace with the key of the known texts. */
const withKey = Effect.gen(function* () {
  const { workspaceId } = yield* makeWorkspace()
  yield* (yield* EncryptionKeys).give(workspaceId, known.key)
  return workspaceId
})

/** Why an Effect refuses a text, which it does not repeat. */
const refusal = <A>(refused: Effect.Effect<A, CannotUnseal | StoreUnavailable>, text: string) =>
  Effect.map(Effect.flip(refused), (error) => {
    assert.tagged(error, "CannotUnseal")
    if (text.length > 8) assert.notInclude(error.message, text)
    return error.reason
  })

const open = (workspaceId: WorkspaceId, sealed: string) =>
  Effect.flatMap(Sealing, (sealing) => Effect.map(sealing.unseal(workspaceId, sealed), Redacted.value))

const values: ReadonlyArray<Schema.Json> = [
  "",
  "hunter2",
  "a\u0000b \ud800 ✓",
  null,
  true,
  -1.5e-7,
  [],
  { z: 1, a: [{}] }
]

const lengthOf = (value: Schema.Json): number =>
  2 * (12 + new TextEncoder().encode(JSON.stringify(value)).byteLength + 16)

/** What every implementation promises. */
export const promises: ReadonlyArray<Contract.ContractPromise<Stores>> = [
  promise("are given back as they were, and never look alike", () =>
    Effect.gen(function* () {
      const sealing = yield* Sealing
      const workspaceId = yield* withKey
      const cipher = yield* sealing.cipher(workspaceId)
      for (const value of values) {
        const sealed = [
          yield* sealing.seal(workspaceId, Redacted.make(value)),
          yield* cipher.seal(Redacted.make(value))
        ]
        for (const one of sealed) {
          assert.match(one, /^[0-9a-f]+$/)
          assert.strictEqual(one.length, lengthOf(value))
          assert.strictEqual(JSON.stringify(yield* open(workspaceId, one)), JSON.stringify(value))
          assert.strictEqual(JSON.stringify(Redacted.value(yield* cipher.unseal(one))), JSON.stringify(value))
        }
        assert.notStrictEqual(sealed[0]?.slice(0, 24), sealed[1]?.slice(0, 24))
      }
    })
  ),
  promise("are read as clients seal them", () =>
    Effect.gen(function* () {
      const workspaceId = yield* withKey
      for (const [text, sealed] of known.sealed) {
        assert.strictEqual(yield* open(workspaceId, sealed), text)
        assert.strictEqual(yield* open(workspaceId, sealed.toUpperCase()), text)
      }
    })
  ),
  promise("are refused for their form, their key or what is sealed, and not repeated", () =>
    Effect.gen(function* () {
      const sealing = yield* Sealing
      const workspaceId = yield* withKey
      const because = (sealed: string) => refusal(sealing.unseal(workspaceId, sealed), sealed)
      const [[, sealed]] = known.sealed
      for (const text of [
        "",
        "user@example.com",
        "00",
        sealed.slice(0, 54),
        sealed.slice(1),
        `${sealed}z0`,
        ` ${sealed}`
      ]) {
        assert.strictEqual(yield* because(text), "form", text)
      }
      assert.strictEqual(yield* because(known.unquoted), "json")
      for (let at = 0; at < sealed.length; at += 3) {
        const digit = sealed[at] === "0" ? "1" : "0"
        assert.strictEqual(yield* because(`${sealed.slice(0, at)}${digit}${sealed.slice(at + 1)}`), "key")
      }
      const stranger = (yield* makeWorkspace()).workspaceId
      assert.strictEqual(yield* refusal(sealing.unseal(stranger, sealed), sealed), "key")
    })
  ),
  promise("are accepted under both keys while a workspace exchanges them, and sealed under the new one", () =>
    Effect.gen(function* () {
      const sealing = yield* Sealing
      const workspaceId = yield* withKey
      const before = yield* sealing.seal(workspaceId, Redacted.make("old"))
      assert.isTrue(yield* (yield* EncryptionKeys).add(workspaceId, 1, nextKey))
      const cipher = yield* sealing.cipher(workspaceId)
      assert.strictEqual(cipher.keys.present.version, 2)
      const fresh = yield* cipher.seal(Redacted.make("new"))
      assert.strictEqual(yield* open(workspaceId, before), "old")
      assert.strictEqual(yield* open(workspaceId, fresh), "new")
      const [old, present] = [yield* cipher.accept(before), yield* cipher.accept(fresh)]
      assert.deepStrictEqual([Redacted.value(old.value), old.version], ["old", 1])
      assert.deepStrictEqual([Redacted.value(present.value), present.version, present.sealed], ["new", 2, fresh])
      assert.strictEqual((yield* cipher.accept(old.sealed)).version, 2)
      assert.strictEqual(yield* open(workspaceId, old.sealed), "old")
    })
  ),
  promise("are moved under a key by its version, unless they are under it already", () =>
    Effect.gen(function* () {
      const sealing = yield* Sealing
      const workspaceId = yield* withKey
      const before = yield* sealing.seal(workspaceId, Redacted.make("old"))
      yield* (yield* EncryptionKeys).add(workspaceId, 1, nextKey)
      const cipher = yield* sealing.cipher(workspaceId)
      const versionOf = (sealed: string) => Effect.map(cipher.accept(sealed), ({ version }) => version)
      assert.strictEqual(yield* cipher.under(1, before), before)
      const moved = yield* cipher.under(2, before)
      assert.strictEqual(yield* versionOf(moved), 2)
      assert.strictEqual(markOf(moved), markOf(before))
      // Its IV serves no other value under the new key, whoever chose it.
      assert.notStrictEqual(moved.slice(0, 24), (yield* cipher.under(2, before)).slice(0, 24))
      assert.strictEqual(yield* cipher.under(2, moved), moved)
      assert.strictEqual(yield* versionOf(yield* cipher.under(1, moved)), 1)
      // There is no such version: the present key it is.
      assert.strictEqual(yield* versionOf(yield* cipher.under(9, before)), 2)
      assert.strictEqual(yield* refusal(cipher.under(2, "00"), "00"), "form")
    })
  ),
  promise("under a retired key are not accepted from callers, and still opened", () =>
    Effect.gen(function* () {
      const sealing = yield* Sealing
      const workspaceId = yield* withKey
      const before = yield* sealing.seal(workspaceId, Redacted.make("old"))
      yield* (yield* EncryptionKeys).add(workspaceId, 1, nextKey)
      assert.isTrue(yield* (yield* WrappedKeys).retire(workspaceId, 1, 1_000))
      const cipher = yield* sealing.cipher(workspaceId)
      assert.strictEqual(yield* refusal(cipher.accept(before), before), "key")
      assert.strictEqual(Redacted.value(yield* cipher.unseal(before)), "old")
      const moved = yield* cipher.under(2, before)
      assert.strictEqual(Redacted.value((yield* cipher.accept(moved)).value), "old")
    })
  )
]
