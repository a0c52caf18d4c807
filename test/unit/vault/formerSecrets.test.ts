import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import * as Crypto from "../../../adapters/crypto/Crypto.ts"
import * as Encryption from "../../../adapters/crypto/Encryption.ts"
import * as Memory from "../../../adapters/memory/Memory.ts"
import { unset } from "../../../core/vault/EntryRules.ts"
import { Sealing } from "../../../core/vault/keys/Sealing.ts"
import * as FormerSecrets from "../../../core/vault/site/FormerSecrets.ts"
import type { VaultEntry } from "../../../core/vault/VaultEntry.ts"
import { makeWorkspace } from "../../support/fixtures.ts"

const layer = Encryption.layer(Redacted.make("00".repeat(32))).pipe(
  Layer.provideMerge(Layer.mergeAll(Memory.layer, Crypto.layer))
)

const setUp = Effect.gen(function* () {
  const { userId, workspaceId } = yield* makeWorkspace("Owner")
  const cipher = yield* (yield* Sealing).cipher(workspaceId)
  const entryOf = (domain: string, password: string) =>
    Effect.map(
      cipher.seal(Redacted.make(password)),
      (sealed): VaultEntry => ({
        id: crypto.randomUUID(),
        workspaceId,
        permissionedUserId: "ada",
        domain,
        createdBy: userId,
        createdAt: 0,
        updatedAt: 0,
        fields: { ...unset, password: sealed },
        sessionDataSetAt: null,
        lastUsedAt: null,
        hotpCounter: null
      })
    )
  return { entryOf, workspaceId }
})

it.effect("a former secret is remembered with each of its sites", () =>
  Effect.gen(function* () {
    const { entryOf, workspaceId } = yield* setUp
    const secrets = yield* FormerSecrets.make()
    const first = yield* entryOf("https://one.test", "canary")
    const sealed = first.fields.password ?? ""
    const second = { ...first, domain: "https://two.test" }
    yield* secrets.remember(first, first.fields)
    assert.deepStrictEqual(yield* secrets.domainsOf(workspaceId, sealed), [])
    // Also by two who remove it at once, and in capitals.
    const all = [first, second, first, second].map((entry) => secrets.remember(entry, null))
    yield* Effect.all(all, { concurrency: "unbounded" })
    const domains = yield* secrets.domainsOf(workspaceId, sealed.toUpperCase())
    assert.sameMembers([...domains], ["https://one.test", "https://two.test"])
    const kept = JSON.stringify(yield* (yield* FormerSecrets.FormerSecrets).list(workspaceId))
    assert.notInclude(kept, sealed.slice(24))
  }).pipe(Effect.provide(layer))
)

it.effect("a full memory forgets none for another, and says that it is full", () =>
  Effect.gen(function* () {
    const { entryOf, workspaceId } = yield* setUp
    const secrets = yield* FormerSecrets.make(2)
    const all = yield* Effect.forEach(["one", "two", "three"], (password) => entryOf("https://one.test", password))
    for (const entry of all) {
      assert.strictEqual(yield* secrets.isFull(workspaceId), entry === all[2])
      yield* secrets.remember(entry, null)
    }
    const domains = all.map(({ fields }) => secrets.domainsOf(workspaceId, fields.password ?? ""))
    assert.deepStrictEqual(yield* Effect.all(domains), [["https://one.test"], ["https://one.test"], []])
  }).pipe(Effect.provide(layer))
)
