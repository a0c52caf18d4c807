import { assert, it } from "@effect/vitest"
import { Effect, Exit, Option, Redacted, Result } from "effect"
import { TestClock } from "effect/testing"
import { Tables } from "../../../adapters/memory/Tables.ts"
import { EncryptionKeys } from "../../../core/vault/keys/EncryptionKeys.ts"
import { KeyRotation } from "../../../core/vault/keys/KeyRotation.ts"
import * as Reencryption from "../../../core/vault/keys/Reencryption.ts"
import { Sealing } from "../../../core/vault/keys/Sealing.ts"
import { VaultEntries } from "../../../core/vault/VaultEntries.ts"
import type { WorkspaceId } from "../../../core/workspace/Ids.ts"
import { entryOf } from "../../support/entries.ts"
import { dying, everythingOpens, fill, fresh, sealedValues, started } from "../../support/exchange.ts"
import { makeWorkspace } from "../../support/fixtures.ts"

/** Steps until there is none, without waiting in between. */
/** An Owner, who may rotate the key of a workspace. */
const asOwner = (workspaceId: WorkspaceId) => ({ workspaceId, role: "Owner" }) as const

const stepAll = Effect.fnUntraced(function* (workspaceId: WorkspaceId) {
  while (yield* Reencryption.step(workspaceId)) {
    // The next one.
  }
})

it.effect(
  "the key of a workspace is exchanged, killed before or after any write whatsoever: nothing is lost, nothing in clear",
  () =>
    Effect.gen(function* () {
      const things = 2
      let ended = false
      for (let at = 0; !ended; at++) {
        for (const after of [false, true]) {
          ended = yield* fresh(
            Effect.gen(function* () {
              const { workspaceId } = yield* makeWorkspace()
              const former = yield* started(
                Effect.gen(function* () {
                  yield* fill(workspaceId, things)
                  const key = yield* (yield* EncryptionKeys).of(workspaceId)
                  yield* (yield* KeyRotation).begin(asOwner(workspaceId), null)
                  return key
                }).pipe(Effect.provide(KeyRotation.layer))
              )
              const count = (yield* sealedValues(workspaceId)).length
              const killed = yield* started(Effect.exit(Effect.provide(stepAll(workspaceId), yield* dying(at, after))))
              yield* started(everythingOpens(workspaceId, count))
              yield* started(
                Effect.gen(function* () {
                  const rotation = yield* KeyRotation
                  if (Exit.isFailure(killed)) yield* Effect.exit(stepAll(workspaceId))
                  assert.isTrue((yield* rotation.state(asOwner(workspaceId))).mayFinish)
                  yield* rotation.finish(asOwner(workspaceId))
                  const keys = yield* (yield* EncryptionKeys).ring(workspaceId)
                  assert.strictEqual(keys.present.version, 2)
                  const cipher = yield* (yield* Sealing).cipher(workspaceId)
                  for (const sealed of yield* sealedValues(workspaceId)) {
                    assert.strictEqual(yield* cipher.under(2, sealed), sealed, "everything is under the new key")
                  }
                }).pipe(Effect.provide(KeyRotation.layer))
              )
              const { wrappedKeys } = yield* Tables
              assert.notInclude(JSON.stringify([...wrappedKeys.values()]), Redacted.value(former))
              return Exit.isSuccess(killed)
            })
          )
        }
        assert.isBelow(at, 200)
      }
    })
)

it.effect("a retired key still opens what was sealed late, and is thrown away only long afterwards", () =>
  fresh(
    started(
      Effect.gen(function* () {
        const { workspaceId } = yield* makeWorkspace()
        const rotation = yield* KeyRotation
        const sealing = yield* Sealing
        // Another user began some work before all of this.
        const slow = yield* sealing.cipher(workspaceId)
        yield* rotation.begin(asOwner(workspaceId), null)
        yield* stepAll(workspaceId)
        yield* rotation.finish(asOwner(workspaceId))
        const late = yield* slow.seal(Redacted.make("late"))
        const entry = entryOf({}, { workspaceId, permissionedUserId: "late" })
        yield* (yield* VaultEntries).insert(workspaceId, { ...entry, fields: { ...entry.fields, cookies: late } })

        const cipher = yield* sealing.cipher(workspaceId)
        assert.strictEqual(Redacted.value(yield* cipher.unseal(late)), "late")
        assert.strictEqual((yield* Effect.flip(cipher.accept(late))).reason, "key", "a caller may not use it any more")
        yield* stepAll(workspaceId)
        assert.lengthOf((yield* (yield* EncryptionKeys).ring(workspaceId)).former, 1)

        yield* TestClock.adjust(Reencryption.graceMillis)
        yield* stepAll(workspaceId)
        assert.lengthOf((yield* (yield* EncryptionKeys).ring(workspaceId)).former, 0)
        const kept = Option.getOrThrow(yield* (yield* VaultEntries).get(workspaceId, entry.id))
        assert.strictEqual(kept.updatedAt, entry.updatedAt)
        const { unseal } = yield* sealing.cipher(workspaceId)
        assert.strictEqual(Redacted.value(yield* unseal(kept.fields.cookies ?? "")), "late")

        // Another exchange may follow.
        yield* rotation.begin(asOwner(workspaceId), null)
        yield* stepAll(workspaceId)
        assert.strictEqual((yield* rotation.finish(asOwner(workspaceId))).version, 3)
      }).pipe(Effect.provide(KeyRotation.layer))
    )
  )
)

it.effect("a value that is edited during its re-encryption keeps the edit", () =>
  fresh(
    started(
      Effect.gen(function* () {
        const { workspaceId } = yield* makeWorkspace()
        const entries = yield* VaultEntries
        const sealing = yield* Sealing
        const entry = entryOf({}, { workspaceId, permissionedUserId: "one" })
        const before = yield* sealing.seal(workspaceId, Redacted.make("before"))
        const fields = { ...entry.fields, user_name: before, password: before }
        yield* entries.insert(workspaceId, { ...entry, fields })
        yield* (yield* KeyRotation).begin(asOwner(workspaceId), null)
        const edited = yield* sealing.seal(workspaceId, Redacted.make("edited"))
        // The edit comes between the look at the entry and the exchange of its values.
        const meanwhile = {
          ...entries,
          change: ((...[workspace, id, decide]: Parameters<typeof entries.change>) =>
            Effect.andThen(
              entries.change(workspace, id, (one) =>
                Result.succeed({ ...one, updatedAt: 77, fields: { ...one.fields, password: edited } })
              ),
              entries.change(workspace, id, decide)
            )) as typeof entries.change
        }
        yield* Effect.provideService(stepAll(workspaceId), VaultEntries, meanwhile)
        const after = Option.getOrThrow(yield* entries.get(workspaceId, entry.id))
        assert.strictEqual(after.fields.password, edited)
        assert.strictEqual(after.updatedAt, 77)
        assert.notStrictEqual(after.fields.user_name, before)
      }).pipe(Effect.provide(KeyRotation.layer))
    )
  )
)

it.effect("repeats the answer for the key that it was begun with, and changes nothing", () =>
  fresh(
    started(
      Effect.gen(function* () {
        const acting = asOwner((yield* makeWorkspace()).workspaceId)
        const rotation = yield* KeyRotation
        const former = yield* (yield* EncryptionKeys).of(acting.workspaceId)
        const key = Redacted.make("ab".repeat(32))
        const begun = yield* Effect.replicateEffect(rotation.begin(acting, key), 4, { concurrency: "unbounded" })
        begun.push(yield* rotation.begin(acting, Redacted.make("AB".repeat(32))))
        assert.deepStrictEqual(begun.map(Redacted.value), Array(5).fill(Redacted.value(key)))
        assert.strictEqual((yield* rotation.state(acting)).version, 2)
        for (const other of [former, Redacted.make("cd".repeat(32)), null]) {
          assert.strictEqual((yield* Effect.flip(rotation.begin(acting, other)))._tag, "RotationInProgress")
        }
      }).pipe(Effect.provide(KeyRotation.layer))
    )
  )
)

it.effect("begins once under concurrent calls, and does not end before its time", () =>
  fresh(
    started(
      Effect.gen(function* () {
        const { workspaceId } = yield* makeWorkspace()
        yield* fill(workspaceId, 1)
        const rotation = yield* KeyRotation
        assert.strictEqual((yield* Effect.flip(rotation.finish(asOwner(workspaceId))))._tag, "NoRotation")
        const present = yield* (yield* EncryptionKeys).of(workspaceId)
        assert.strictEqual((yield* Effect.flip(rotation.begin(asOwner(workspaceId), present)))._tag, "SameKey")
        const begun = yield* Effect.all(
          Array.from({ length: 4 }, () => Effect.result(rotation.begin(asOwner(workspaceId), null))),
          { concurrency: "unbounded" }
        )
        assert.lengthOf(begun.filter(Result.isSuccess), 1)
        const refused = yield* Effect.flip(rotation.finish(asOwner(workspaceId)))
        assert.match(refused.message, /0 records were checked, and [1-9]\d* are left/)
        assert.strictEqual((yield* Effect.flip(rotation.begin(asOwner(workspaceId), null)))._tag, "RotationInProgress")
      }).pipe(Effect.provide(KeyRotation.layer))
    )
  )
)
