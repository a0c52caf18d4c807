import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Result, type Schema } from "effect"
import * as Crypto from "../../../adapters/crypto/Crypto.ts"
import * as Encryption from "../../../adapters/crypto/Encryption.ts"
import * as Memory from "../../../adapters/memory/Memory.ts"
import * as HttpSources from "../../../adapters/secrets/HttpSources.ts"
import * as SecretStoreRequest from "../../../adapters/secrets/SecretStoreRequest.ts"
import { Sealing } from "../../../core/vault/keys/Sealing.ts"
import * as Passkey from "../../../core/vault/passkey/Passkey.ts"
import { Passkeys } from "../../../core/vault/passkey/Passkeys.ts"
import { Vault } from "../../../core/vault/Vault.ts"
import { makeWorkspace } from "../../support/fixtures.ts"

const layer = Layer.mergeAll(Passkeys.layer, Vault.layer).pipe(
  Layer.provideMerge(Encryption.layer(Redacted.make("00".repeat(32)))),
  Layer.provideMerge(Layer.mergeAll(Memory.layer, Crypto.layer, HttpSources.layer(SecretStoreRequest.defaults)))
)

const written = { credential_id: "-_8", rp_id: "example.com", private_key: "MC4C", user_handle: "AQI=", sign_count: 7 }
const pair = { permissioned_user_id: "ada", domain: "https://app.example.com" }

const setUp = Effect.gen(function* () {
  const caller = yield* makeWorkspace("Owner")
  const sealing = yield* Sealing
  const seal = (value: Schema.Json) => sealing.seal(caller.workspaceId, Redacted.make(value))
  return { caller, seal, passkeys: yield* Passkeys, vault: yield* Vault }
})

it.effect("a passkey that a run replaced goes to no other site", () =>
  Effect.gen(function* () {
    const { caller, passkeys, seal, vault } = yield* setUp
    const { entry } = yield* vault.create(caller, { ...pair, passkey: yield* seal(JSON.stringify(written)) })
    const parsed = Passkey.parse(Redacted.make(JSON.stringify({ ...written, sign_count: 1 })))
    yield* passkeys.keep(entry, Result.getOrThrow(parsed))
    const member = { ...caller, role: "Member" as const }
    const evil = { ...pair, domain: "https://evil.test", password: entry.fields.passkey }
    const refused = yield* Effect.flip(vault.create(member, evil))
    assert.include(refused.message, "https://app.example.com")
  }).pipe(Effect.provide(layer))
)

it.effect("a passkey is kept sealed, and each login that takes it gets the next sign count", () =>
  Effect.gen(function* () {
    const { caller, passkeys, seal, vault } = yield* setUp
    const passkey = yield* seal(JSON.stringify(written))
    const { entry } = yield* vault.create(caller, { ...pair, passkey })
    assert.strictEqual(entry.fields.passkey, passkey)
    const counts = yield* Effect.all([passkeys.take(entry), passkeys.take(entry), passkeys.take(entry)])
    assert.deepStrictEqual(
      counts.map((one) => one?.signCount),
      [7, 8, 9]
    )
    assert.deepInclude(counts[0], { credentialId: "+/8=", rpId: "example.com", userHandle: "AQI=" })

    // An answer that is sent back changes nothing; another passkey begins with its own count.
    yield* vault.update(caller, { ...pair, passkey, user_alias: "Ada" })
    assert.strictEqual((yield* passkeys.take(entry))?.signCount, 10)
    yield* vault.update(caller, { ...pair, passkey: yield* seal(JSON.stringify({ ...written, sign_count: 2 })) })
    assert.strictEqual((yield* passkeys.take(entry))?.signCount, 2)
    yield* vault.update(caller, { ...pair, passkey: null })
    assert.isNull(yield* passkeys.take(entry))
  }).pipe(Effect.provide(layer))
)

it.effect("a passkey that a site has registered takes the place of the one before, sealed", () =>
  Effect.gen(function* () {
    const { caller, passkeys, vault } = yield* setUp
    const { entry } = yield* vault.create(caller, pair)
    assert.isNull(yield* passkeys.take(entry))
    const made = Result.getOrThrow(Passkey.parse(Redacted.make(JSON.stringify({ ...written, sign_count: 1 }))))
    yield* passkeys.keep(entry, made)
    const after = yield* vault.get(caller, { permissionedUserId: "ada", domain: pair.domain })
    assert.match(after.entry.fields.passkey ?? "", /^[0-9a-f]{60,}$/)
    assert.deepStrictEqual((yield* passkeys.take(entry))?.signCount, 1)
  }).pipe(Effect.provide(layer))
)

it.effect("a passkey of another site, and a text that is none, are refused at save, without repeating them", () =>
  Effect.gen(function* () {
    const { caller, seal, vault } = yield* setUp
    const refusal = Effect.fnUntraced(function* (value: Schema.Json) {
      const failure = yield* Effect.flip(vault.create(caller, { ...pair, passkey: yield* seal(value) }))
      assert.strictEqual(failure._tag, "InvalidEntry")
      return failure._tag === "InvalidEntry" ? failure.problems : []
    })
    assert.deepStrictEqual(yield* refusal(JSON.stringify({ ...written, rp_id: "example.net" })), [
      { path: "passkey", message: "Expected a passkey for https://app.example.com; this one is for example.net" }
    ])
    const beyond = JSON.stringify({ ...written, sign_count: 2 ** 31 })
    const foreign = JSON.stringify({ ...written, private_key: "hunter2 !" })
    for (const text of ["hunter2", "{}", foreign, beyond]) {
      const [problem] = yield* refusal(text)
      assert.strictEqual(problem?.path, "passkey")
      assert.include(problem?.message, "Expected a passkey as JSON")
      assert.notInclude(problem?.message, "hunter2")
    }
  }).pipe(Effect.provide(layer))
)
