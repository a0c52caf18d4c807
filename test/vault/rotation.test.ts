import { randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Option, Redacted, Result } from "effect"
import { TestClock } from "effect/testing"
import * as Crypto from "../../adapters/crypto/Crypto.ts"
import * as Encryption from "../../adapters/crypto/Encryption.ts"
import * as Memory from "../../adapters/memory/Memory.ts"
import { Tables } from "../../adapters/memory/Tables.ts"
import * as KeptSubscription from "../../core/event/KeptSubscription.ts"
import { ReceivedCodes } from "../../core/tfa/ReceivedCodes.ts"
import { EncryptionKeys } from "../../core/vault/EncryptionKeys.ts"
import { InstallationKey } from "../../core/vault/InstallationKey.ts"
import { KeyRotation } from "../../core/vault/KeyRotation.ts"
import * as MasterRotation from "../../core/vault/MasterRotation.ts"
import * as Resealing from "../../core/vault/Resealing.ts"
import { ResealingWalks } from "../../core/vault/ResealingWalk.ts"
import { SealedColumns } from "../../core/vault/SealedPlaces.ts"
import { Sealing } from "../../core/vault/Sealing.ts"
import { SecretProviders } from "../../core/vault/SecretProviders.ts"
import { VaultEntries } from "../../core/vault/VaultEntries.ts"
import { WrappedKeys } from "../../core/vault/WrappedKeys.ts"
import { WebhookStore } from "../../core/webhook/Webhook.ts"
import { WebhookSecrets } from "../../core/webhook/WebhookSecrets.ts"
import { IdempotencyStore } from "../../core/workspace/Idempotency.ts"
import type { WorkspaceId } from "../../core/workspace/Workspace.ts"
import { credential } from "../support/credential.ts"
import { makeWorkspace } from "../support/fixtures.ts"
import { webhook } from "../support/webhooks.ts"

const [older, newer] = [Redacted.make("ab".repeat(32)), Redacted.make("cd".repeat(32))]
const storage = Layer.mergeAll(Memory.layer, Crypto.layer)

type Stores = Layer.Success<typeof storage>

/** A start of the service with these master keys, on what is stored. */
const started = <A, E, R>(
  test: Effect.Effect<A, E, R | Layer.Success<ReturnType<typeof Encryption.layer>>>,
  present = older,
  previous: Redacted.Redacted<string> | null = null
) => Effect.provide(test, Layer.fresh(Encryption.layer(present, previous)))

/** Everything of a kind that can be under a key of the workspace, and what it is in clear. */
const canary = "canary-in-clear"

const fill = Effect.fnUntraced(function* (workspaceId: WorkspaceId, count: number) {
  const sealing = yield* Sealing
  const seal = (name: string) => sealing.seal(workspaceId, Redacted.make(`${canary} ${name}`))
  for (let index = 0; index < count; index++) {
    const entry = credential({ workspaceId, permissionedUserId: `user ${index}` })
    yield* (yield* VaultEntries).insert(workspaceId, {
      ...entry,
      fields: {
        ...entry.fields,
        user_name: yield* seal("name"),
        password: yield* seal("password"),
        cookies: yield* seal("cookies"),
        proxy_setting: "custom",
        proxy_value: yield* seal("proxy")
      }
    })
    yield* (yield* ReceivedCodes).keep(workspaceId, {
      id: randomUUID(),
      kind: "code",
      address: `a${index}@x`,
      sealed: yield* seal("code"),
      receivedAt: 1
    })
    yield* (yield* IdempotencyStore).once(
      { workspaceId, key: `k-${index}`, digest: "d" },
      Effect.succeed({ status: 200, contentType: "text/plain", body: yield* seal("answer") }),
      (answer) => ({ _tag: "Keep", answer })
    )
  }
  yield* (yield* SecretProviders).insert(workspaceId, {
    id: randomUUID(),
    workspaceId,
    providerType: "x",
    name: "Safe",
    configHint: {},
    sealedAccess: yield* seal("access"),
    cacheTtlSeconds: null,
    createdAt: 0,
    updatedAt: 0
  })
  const kept = yield* KeptSubscription.keep(workspaceId, {
    id: randomUUID(),
    workflowId: null,
    events: ["run.failed"],
    channel: { type: "http", url: `https://example.com/${canary}` },
    createdBy: randomUUID(),
    createdAt: 0
  })
  yield* (yield* KeptSubscription.RunSubscriptionStore).insert(workspaceId, kept)
})

/** All sealed values of a workspace. */
const sealedValues = (workspaceId: WorkspaceId) =>
  Effect.gen(function* () {
    const { collections, idempotency, receivedCodes } = yield* Tables
    const text = JSON.stringify([
      [...collections].map(([, entries]) => [...entries.values()].filter((one) => one.workspaceId === workspaceId)),
      [...receivedCodes.values()].filter((one) => one.workspaceId === workspaceId),
      [...idempotency].filter(([name]) => name.startsWith(workspaceId))
    ])
    assert.notInclude(text, canary)
    return [...text.matchAll(/"([0-9a-f]{80,})"/g)].map(([, sealed = ""]) => sealed)
  })

/** Every value opens to what it was, whatever was going on. */
const everythingOpens = Effect.fnUntraced(function* (workspaceId: WorkspaceId, count: number) {
  const { unseal } = yield* (yield* Sealing).cipher(workspaceId)
  const values = yield* sealedValues(workspaceId)
  assert.lengthOf(values, count)
  for (const sealed of values) assert.include(String(Redacted.value(yield* unseal(sealed))), canary)
})

/** The stores of a process that dies at a write, before it or right after it. */
const dying = (at: number, after: boolean) =>
  Effect.gen(function* () {
    const context = yield* Effect.context<Stores>()
    let writes = 0
    const counted =
      <Args extends ReadonlyArray<never>, A, E, R>(write: (...args: Args) => Effect.Effect<A, E, R>) =>
      (...args: Args): Effect.Effect<A, E, R> =>
        Effect.suspend(() => {
          if (writes++ !== at) return write(...args)
          const died = Effect.die("killed")
          return after ? Effect.andThen(write(...args), died) : died
        })
    const collection = <A extends { readonly change: (...args: ReadonlyArray<never>) => unknown }>(one: A): A =>
      ({
        ...one,
        change: counted(one.change as never),
        insert: counted((one as never as typeof one & { insert: never }).insert)
      }) as A
    const get = <I, S>(key: Context.Key<I, S>) => Context.get(context as Context.Context<never>, key as never) as S
    const keys = get(WrappedKeys)
    return Context.empty().pipe(
      Context.add(WrappedKeys, {
        ...keys,
        rewrap: counted(keys.rewrap as never),
        remove: counted(keys.remove as never)
      } as never),
      Context.add(VaultEntries, collection(get(VaultEntries) as never) as never),
      Context.add(SecretProviders, collection(get(SecretProviders) as never) as never),
      Context.add(WebhookStore, collection(get(WebhookStore) as never) as never),
      Context.add(
        KeptSubscription.RunSubscriptionStore,
        collection(get(KeptSubscription.RunSubscriptionStore) as never) as never
      ),
      Context.add(ResealingWalks, collection(get(ResealingWalks) as never) as never),
      Context.add(
        SealedColumns,
        get(SealedColumns).map((place) => ({ ...place, replace: counted(place.replace as never) })) as never
      )
    ) as Context.Context<never>
  })

const fresh = <A, E>(test: Effect.Effect<A, E, Stores>) => Effect.provide(test, Layer.fresh(storage))

/** Steps until there is none, without waiting in between. */
const stepAll = Effect.fnUntraced(function* (workspaceId: WorkspaceId) {
  while (yield* Resealing.step(workspaceId)) {
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
                  yield* (yield* KeyRotation).begin(workspaceId, null)
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
                  assert.isTrue((yield* rotation.state(workspaceId)).mayFinish)
                  yield* rotation.finish(workspaceId)
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
    }),
  60_000
)

it.effect("a retired key still opens what was sealed late, and is thrown away only long afterwards", () =>
  fresh(
    started(
      Effect.gen(function* () {
        const { workspaceId } = yield* makeWorkspace()
        const rotation = yield* KeyRotation
        const sealing = yield* Sealing
        // Somebody began some work before all of this.
        const slow = yield* sealing.cipher(workspaceId)
        yield* rotation.begin(workspaceId, null)
        yield* stepAll(workspaceId)
        yield* rotation.finish(workspaceId)
        const late = yield* slow.seal(Redacted.make("late"))
        const entry = credential({ workspaceId, permissionedUserId: "late" })
        yield* (yield* VaultEntries).insert(workspaceId, { ...entry, fields: { ...entry.fields, cookies: late } })

        const cipher = yield* sealing.cipher(workspaceId)
        assert.strictEqual(Redacted.value(yield* cipher.unseal(late)), "late")
        assert.strictEqual((yield* Effect.flip(cipher.accept(late))).reason, "key", "a caller may not use it any more")
        yield* stepAll(workspaceId)
        assert.lengthOf((yield* (yield* EncryptionKeys).ring(workspaceId)).former, 1)

        yield* TestClock.adjust(Resealing.graceMillis)
        yield* stepAll(workspaceId)
        assert.lengthOf((yield* (yield* EncryptionKeys).ring(workspaceId)).former, 0)
        const kept = Option.getOrThrow(yield* (yield* VaultEntries).get(workspaceId, entry.id))
        assert.strictEqual(kept.updatedAt, entry.updatedAt)
        const { unseal } = yield* sealing.cipher(workspaceId)
        assert.strictEqual(Redacted.value(yield* unseal(kept.fields.cookies ?? "")), "late")

        // Another exchange may follow.
        yield* rotation.begin(workspaceId, null)
        yield* stepAll(workspaceId)
        assert.strictEqual((yield* rotation.finish(workspaceId)).version, 3)
      }).pipe(Effect.provide(KeyRotation.layer))
    )
  )
)

it.effect("what is edited while it is sealed anew keeps the edit", () =>
  fresh(
    started(
      Effect.gen(function* () {
        const { workspaceId } = yield* makeWorkspace()
        const entries = yield* VaultEntries
        const sealing = yield* Sealing
        const entry = credential({ workspaceId, permissionedUserId: "one" })
        const before = yield* sealing.seal(workspaceId, Redacted.make("before"))
        const fields = { ...entry.fields, user_name: before, password: before }
        yield* entries.insert(workspaceId, { ...entry, fields })
        yield* (yield* KeyRotation).begin(workspaceId, null)
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

it.effect(
  "addresses of subscriptions that were kept in clear are sealed, and those that are kept twice become one",
  () =>
    fresh(
      started(
        Effect.gen(function* () {
          const { workspaceId } = yield* makeWorkspace()
          const store = yield* KeptSubscription.RunSubscriptionStore
          const subscription = (url: string, event: "run.failed" | "run.started") => ({
            id: randomUUID(),
            workflowId: null,
            events: [event],
            channel: { type: "slack_webhook", url } as const,
            createdBy: randomUUID(),
            createdAt: 0
          })
          const [alone, twice] = [`https://example.com/${canary}`, `https://example.com/${canary}/twice`]
          yield* store.insert(workspaceId, subscription(alone, "run.failed"))
          yield* store.insert(workspaceId, subscription(twice, "run.failed"))
          yield* store.insert(
            workspaceId,
            yield* KeptSubscription.keep(workspaceId, subscription(twice, "run.started"))
          )
          yield* KeptSubscription.sealOlder
          yield* KeptSubscription.sealOlder
          const kept = yield* store.list(workspaceId)
          assert.notInclude(JSON.stringify(kept), canary)
          const cipher = yield* (yield* Sealing).cipher(workspaceId)
          const opened = yield* Effect.forEach(kept, (one) => KeptSubscription.open(cipher, one))
          assert.deepStrictEqual(
            opened.map((one) => {
              const { channel, events } = Option.getOrThrow(one)
              return [channel.type === "log" ? null : channel.url, [...events].sort()]
            }),
            [
              [alone, ["run.failed"]],
              [twice, ["run.failed", "run.started"]]
            ]
          )
        })
      )
    )
)

it.effect("begins once, whoever begins at the same time, and does not end before its time", () =>
  fresh(
    started(
      Effect.gen(function* () {
        const { workspaceId } = yield* makeWorkspace()
        yield* fill(workspaceId, 1)
        const rotation = yield* KeyRotation
        assert.strictEqual((yield* Effect.flip(rotation.finish(workspaceId)))._tag, "NoRotation")
        const present = yield* (yield* EncryptionKeys).of(workspaceId)
        assert.strictEqual((yield* Effect.flip(rotation.begin(workspaceId, present)))._tag, "SameKey")
        const begun = yield* Effect.all(
          Array.from({ length: 4 }, () => Effect.result(rotation.begin(workspaceId, null))),
          { concurrency: "unbounded" }
        )
        assert.lengthOf(begun.filter(Result.isSuccess), 1)
        const refused = yield* Effect.flip(rotation.finish(workspaceId))
        assert.match(refused.message, /0 things were looked at, and [1-9]\d* are left/)
        assert.strictEqual((yield* Effect.flip(rotation.begin(workspaceId, null)))._tag, "RotationUnderWay")
      }).pipe(Effect.provide(KeyRotation.layer))
    )
  )
)

it.effect(
  "the master key is exchanged, killed before or after any write whatsoever: every start with both keys opens all",
  () =>
    Effect.gen(function* () {
      let ended = false
      for (let at = 0; !ended; at++) {
        for (const after of [false, true]) {
          ended = yield* fresh(
            Effect.gen(function* () {
              const workspaces = [yield* makeWorkspace(), yield* makeWorkspace(), yield* makeWorkspace()]
              const keysOf = Effect.gen(function* () {
                const keys = yield* EncryptionKeys
                const own = yield* Effect.forEach(workspaces, ({ workspaceId }) => keys.of(workspaceId))
                return [...own, (yield* InstallationKey).key].map(Redacted.value)
              })
              const before = yield* started(keysOf)
              const hook = yield* started(
                Effect.gen(function* () {
                  const [caller] = workspaces
                  if (caller === undefined) throw new Error("Expected a workspace")
                  const sealedSecret = yield* (yield* WebhookSecrets).seal(Redacted.make("sekrit"))
                  const one = { ...webhook(), id: randomUUID(), sealedSecret }
                  yield* (yield* WebhookStore).insert(caller.workspaceId, one)
                  return one
                })
              )
              // Nothing changes for processes that know the former key alone until the exchange begins.
              const late = yield* makeWorkspace()
              workspaces.push(late)
              const lateKey = yield* started(
                Effect.flatMap(EncryptionKeys, (keys) => keys.of(late.workspaceId)),
                newer,
                older
              )
              before.splice(3, 0, Redacted.value(lateKey))
              assert.deepStrictEqual(yield* started(keysOf), before)

              const killed = yield* started(
                Effect.exit(Effect.provide(MasterRotation.run(), yield* dying(at, after))),
                newer,
                older
              )
              assert.deepStrictEqual(yield* started(keysOf, newer, older), before)
              const text = JSON.stringify([...(yield* Tables).wrappedKeys.values()])
              for (const key of [...before, ...[older, newer].map(Redacted.value)]) assert.notInclude(text, key)
              const rest = yield* started(MasterRotation.run(), newer, older)
              if (Exit.isSuccess(killed)) assert.strictEqual(rest.rewrapped, 0)
              assert.deepStrictEqual(yield* started(keysOf, newer), before)
              const old = yield* Effect.exit(started(keysOf))
              assert.isTrue(Exit.isFailure(old), "the former key opens nothing any more")
              assert.match(String(old), /Cannot start with this master key/)
              yield* started(
                Effect.flatMap(WebhookSecrets, (secrets) => secrets.sign(hook.sealedSecret, "{}")),
                newer
              )
              return Exit.isSuccess(killed)
            })
          )
        }
        assert.isBelow(at, 50)
      }
    }),
  60_000
)
