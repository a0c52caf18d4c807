/**
 * Shared parts of tests of key rotation: services that start on stored data, all sealed values, and processes that die at a
 * write.
 */
import { randomUUID } from "node:crypto"
import { assert } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import * as Crypto from "../../adapters/crypto/Crypto.ts"
import * as Encryption from "../../adapters/crypto/Encryption.ts"
import * as Memory from "../../adapters/memory/Memory.ts"
import { Tables } from "../../adapters/memory/Tables.ts"
import { AlertReceiverStore } from "../../core/event/alert/AlertReceiver.ts"
import * as KeptSubscription from "../../core/event/notification/KeptSubscription.ts"
import { WebhookStore } from "../../core/event/webhook/Webhook.ts"
import { FileDestinationStore } from "../../core/run/delivery/FileDestination.ts"
import { ReceivedCodes } from "../../core/vault/inbox/ReceivedCodes.ts"
import { ReencryptionWalks } from "../../core/vault/keys/Reencryption.ts"
import { SealedColumns } from "../../core/vault/keys/ReencryptionTargets.ts"
import { Sealing } from "../../core/vault/keys/Sealing.ts"
import { WrappedKeys } from "../../core/vault/keys/WrappedKeys.ts"
import { SecretProviders } from "../../core/vault/providers/SecretProviders.ts"
import { FormerSecrets } from "../../core/vault/site/FormerSecrets.ts"
import { VaultEntries } from "../../core/vault/VaultEntries.ts"
import type { WorkspaceId } from "../../core/workspace/Ids.ts"
import { IdempotencyStore } from "../../core/workspace/request/Idempotency.ts"
import { entryOf } from "./entries.ts"

export const [older, newer] = [Redacted.make("ab".repeat(32)), Redacted.make("cd".repeat(32))]
const storage = Layer.mergeAll(Memory.layer, Crypto.layer)

type Stores = Layer.Success<typeof storage>

/** The service with these master keys, started on the stored data. */
export const started = <A, E, R>(
  test: Effect.Effect<A, E, R | Layer.Success<ReturnType<typeof Encryption.layer>>>,
  present = older,
  previous: Redacted.Redacted<string> | null = null
) => Effect.provide(test, Layer.fresh(Encryption.layer(present, previous)))

/** One value of each kind that the workspace key seals, with its plain text. */
export const canary = "canary-in-clear"

export const fill = Effect.fnUntraced(function* (workspaceId: WorkspaceId, count: number) {
  const sealing = yield* Sealing
  const seal = (name: string) => sealing.seal(workspaceId, Redacted.make(`${canary} ${name}`))
  for (let index = 0; index < count; index++) {
    const entry = entryOf({}, { workspaceId, permissionedUserId: `user ${index}` })
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
  yield* (yield* FileDestinationStore).insert(workspaceId, {
    id: randomUUID(),
    name: "Accounting",
    type: "http",
    url: "https://files.example.com/",
    onConflict: "rename",
    sealedAccess: yield* seal("destination"),
    createdAt: 0,
    createdBy: randomUUID(),
    updatedAt: 0
  })
  yield* (yield* AlertReceiverStore).insert(workspaceId, {
    id: randomUUID(),
    name: "People",
    type: "slack",
    host: "hooks.example.com",
    mail: null,
    kinds: ["failed"],
    urgent: [],
    workflowIds: null,
    quiet: null,
    gatherSeconds: 60,
    pauseSeconds: 3_600,
    sealedAccess: yield* seal("receiver"),
    createdAt: 0,
    createdBy: randomUUID(),
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
export const sealedValues = (workspaceId: WorkspaceId) =>
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

/** Every value unseals to its plain text at any time. */
export const everythingOpens = Effect.fnUntraced(function* (workspaceId: WorkspaceId, count: number) {
  const { unseal } = yield* (yield* Sealing).cipher(workspaceId)
  const values = yield* sealedValues(workspaceId)
  assert.lengthOf(values, count)
  for (const sealed of values) assert.include(String(Redacted.value(yield* unseal(sealed))), canary)
})

/** The stores of a process that dies at a write, before or right after it. */
export const dying = (at: number, after: boolean) =>
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
      Context.add(AlertReceiverStore, collection(get(AlertReceiverStore) as never) as never),
      Context.add(FileDestinationStore, collection(get(FileDestinationStore) as never) as never),
      Context.add(FormerSecrets, collection(get(FormerSecrets) as never) as never),
      Context.add(ReencryptionWalks, collection(get(ReencryptionWalks) as never) as never),
      Context.add(
        SealedColumns,
        get(SealedColumns).map((place) => ({ ...place, replace: counted(place.replace as never) })) as never
      )
    ) as Context.Context<never>
  })

export const fresh = <A, E>(test: Effect.Effect<A, E, Stores>) => Effect.provide(test, Layer.fresh(storage))
