/**
 * The promises of every store that is a `Collection`: those of error codes (`ErrorCodeStore`), invitations
 * (`InvitationStore`), subscriptions to runs (`RunSubscriptionStore`), webhooks (`WebhookStore`), secret providers
 * (`SecretProviders`), former secrets (`FormerSecrets`), destinations of files (`FileDestinationStore`), receivers of alerts
 * (`AlertReceiverStore`) and the progress of re-encryption (`ReencryptionWalks`).
 */
import { type Context, Effect, Option, Result } from "effect"
import * as Receivers from "../../../../core/event/alert/AlertReceiver.ts"
import * as Subscriptions from "../../../../core/event/notification/KeptSubscription.ts"
import * as Webhooks from "../../../../core/event/webhook/Webhook.ts"
import * as Destinations from "../../../../core/run/delivery/FileDestination.ts"
import * as Limits from "../../../../core/run/limit/NamedLimit.ts"
import * as Reencryption from "../../../../core/vault/keys/Reencryption.ts"
import * as Providers from "../../../../core/vault/providers/SecretProviders.ts"
import * as FormerSecrets from "../../../../core/vault/site/FormerSecrets.ts"
import { type Collection, type CollectionRecord, KeyTaken, type Kind } from "../../../../core/workspace/Collection.ts"
import * as ErrorCodes from "../../../../core/workspace/ErrorCodes.ts"
import { UserId, WorkspaceId } from "../../../../core/workspace/Ids.ts"
import * as Invitations from "../../../../core/workspace/invitation/Invitations.ts"
import type { WorkspaceStore } from "../../../../core/workspace/WorkspaceStore.ts"
import * as assert from "../Assertions.ts"
import * as Contract from "../Contract.ts"
import { beside, makeWorkspace, newId } from "../Fixtures.ts"

/** The ports that the promises are about. */
export type Stores =
  | Destinations.FileDestinationStore
  | ErrorCodes.ErrorCodeStore
  | FormerSecrets.FormerSecrets
  | Invitations.InvitationStore
  | Limits.NamedLimitStore
  | Providers.SecretProviders
  | Receivers.AlertReceiverStore
  | Reencryption.ReencryptionWalks
  | Subscriptions.RunSubscriptionStore
  | Webhooks.WebhookStore
  | WorkspaceStore

/** A collection to ask, and the values that it is asked with. */
export interface Subject<Id, A extends CollectionRecord> {
  /** What it keeps, in the plural, as the titles of the promises say it. */
  readonly name: string
  readonly store: Context.Key<Id, Collection<A>>
  readonly kind: Kind<A>
  /** A value under this id. Values of two words have two keys, and `count` is no part of a key. */
  readonly make: (id: string, word: string, count: number) => A
  readonly countOf: (value: A) => number
}

/** What every implementation of a collection promises. */
export const promisesOf = <Id, A extends CollectionRecord>({
  countOf,
  kind,
  make,
  name,
  store
}: Subject<Id, A>): ReadonlyArray<Contract.ContractPromise<Id | WorkspaceStore>> => {
  const promise = <B, E>(
    title: string,
    test: (things: Collection<A>, workspaceId: WorkspaceId) => Effect.Effect<B, E, Id | WorkspaceStore>
  ) =>
    Contract.promise(
      `${name} ${title}`,
      Effect.gen(function* () {
        const { workspaceId } = yield* makeWorkspace()
        return yield* test(yield* store, workspaceId)
      })
    )
  return [
    promise("are given back as they were inserted, in order, to their own workspace only", (things, workspaceId) =>
      Effect.gen(function* () {
        const stranger = (yield* makeWorkspace()).workspaceId
        const [b, a] = [make(yield* newId, "b \u0000 \ud800", 1), make(yield* newId, "a".repeat(10_000), 2)]
        yield* things.insert(workspaceId, b)
        yield* things.insert(workspaceId, a)
        assert.deepStrictEqual(yield* things.list(workspaceId), [b, a])
        assert.deepStrictEqual(yield* things.get(workspaceId, b.id), Option.some(b))
        assert.deepStrictEqual(yield* things.find(workspaceId, kind.key(a)), Option.some(a))
        assert.deepStrictEqual(yield* things.list(stranger), [])
        assert.isTrue(Option.isNone(yield* things.get(stranger, b.id)))
        assert.isTrue(Option.isNone(yield* things.find(stranger, kind.key(a))))
        assert.isTrue(Option.isNone(yield* things.remove(stranger, b.id)))
        assert.isTrue(Option.isNone(yield* things.get(workspaceId, "no id")))
      })
    ),
    promise("have keys that are unique within a workspace, under concurrent inserts", (things, workspaceId) =>
      Effect.gen(function* () {
        const all = yield* Effect.forEach(Array.from({ length: 8 }), () => newId)
        const inserted = yield* Effect.all(
          all.map((id) => Effect.result(things.insert(workspaceId, make(id, "same", 0)))),
          { concurrency: "unbounded" }
        )
        assert.lengthOf(inserted.filter(Result.isSuccess), 1)
        const key = kind.key(make(beside(workspaceId), "same", 0))
        assert.deepStrictEqual(inserted.find(Result.isFailure)?.failure, new KeyTaken({ key }))
        yield* things.insert((yield* makeWorkspace()).workspaceId, make(yield* newId, "same", 0))
      })
    ),
    promise("change one at a time, and not at all when the decision fails or the key is taken", (things, workspaceId) =>
      Effect.gen(function* () {
        const [id, other] = [yield* newId, yield* newId]
        yield* things.insert(workspaceId, make(id, "one", 0))
        yield* things.insert(workspaceId, make(other, "other", 0))
        const increase = (before: A) => Result.succeed(make(id, "one", countOf(before) + 1))
        yield* Effect.all(
          Array.from({ length: 10 }, () => things.change(workspaceId, id, increase)),
          { concurrency: "unbounded" }
        )
        const refused = yield* Effect.flip(things.change(workspaceId, id, () => Result.fail("no" as const)))
        assert.strictEqual(refused, "no")
        const taken = Effect.flip(things.change(workspaceId, id, () => Result.succeed(make(id, "other", 0))))
        assert.tagged(yield* taken, "KeyTaken")
        assert.deepStrictEqual(yield* things.get(workspaceId, id), Option.some(make(id, "one", 10)))
        const renamed = make(id, "new", 10)
        assert.deepStrictEqual(
          yield* things.change(workspaceId, id, () => Result.succeed(renamed)),
          Option.some(renamed)
        )
        assert.deepStrictEqual(yield* things.find(workspaceId, kind.key(renamed)), Option.some(renamed))
        const absent = yield* newId
        assert.isTrue(Option.isNone(yield* things.change(workspaceId, absent, Result.succeed)))
      })
    ),
    promise("are removed, and their keys are free again", (things, workspaceId) =>
      Effect.gen(function* () {
        const one = make(yield* newId, "one", 0)
        yield* things.insert(workspaceId, one)
        assert.deepStrictEqual(yield* things.remove(workspaceId, one.id), Option.some(one))
        assert.isTrue(Option.isNone(yield* things.remove(workspaceId, one.id)))
        yield* things.insert(workspaceId, make(yield* newId, "one", 0))
      })
    ),
    promise("are gone through in pages, each once, with how many are left", (things, workspaceId) =>
      Effect.gen(function* () {
        const all = yield* Effect.forEach(["a", "b", "c"], (word) => Effect.map(newId, (id) => make(id, word, 0)))
        yield* Effect.forEach(all, (one) => things.insert(workspaceId, one))
        assert.strictEqual(yield* things.left(workspaceId, null), 3)
        const first = yield* things.page(workspaceId, null, 2)
        assert.lengthOf(first.values, 2)
        assert.strictEqual(yield* things.left(workspaceId, first.next), 1)
        const last = yield* things.page(workspaceId, first.next, 2)
        assert.isNull(last.next)
        assert.deepStrictEqual(
          [...first.values, ...last.values].map(({ id }) => id).sort(),
          all.map(({ id }) => id).sort()
        )
      })
    )
  ]
}

const userId = UserId.make("00000000-0000-4000-8000-0000000000a1")

const errorCodes = promisesOf({
  name: "error codes",
  store: ErrorCodes.ErrorCodeStore,
  kind: ErrorCodes.kind,
  countOf: ({ retries }) => retries ?? 0,
  make: (id, name, count): ErrorCodes.ErrorCode => ({
    id,
    name,
    description: "It failed",
    enrichedDescription: null,
    action: "retry",
    retries: count,
    retryAfterSeconds: 1.5,
    createdAt: 1,
    updatedAt: 2
  })
})

const invitations = promisesOf({
  name: "invitations",
  store: Invitations.InvitationStore,
  kind: Invitations.kind,
  countOf: ({ createdAt }) => createdAt,
  make: (id, hash, createdAt): Invitations.Invitation => ({
    id,
    hash,
    role: "Member",
    name: null,
    createdAt,
    createdBy: userId,
    expiresAt: 5,
    used: null
  })
})

const subscriptions = promisesOf({
  name: "subscriptions to runs",
  store: Subscriptions.RunSubscriptionStore,
  kind: Subscriptions.kind,
  countOf: ({ createdAt }) => createdAt,
  make: (id, fingerprint, createdAt): Subscriptions.KeptSubscription => ({
    id,
    workflowId: null,
    events: ["run.failed"],
    channel: { type: "http", sealed: "00", fingerprint },
    createdBy: userId,
    createdAt
  })
})

const webhooks = promisesOf({
  name: "webhooks",
  store: Webhooks.WebhookStore,
  kind: Webhooks.kind,
  countOf: ({ updatedAt }) => updatedAt,
  make: (id, url, updatedAt): Webhooks.Webhook => ({
    id,
    workflowId: null,
    url,
    eventTypes: ["execution.failed"],
    sealedSecret: "00",
    secretHint: "…",
    validity: 300,
    active: true,
    inactiveReason: null,
    createdAt: 0,
    createdBy: userId,
    updatedAt
  })
})

const providers = promisesOf({
  name: "secret providers",
  store: Providers.SecretProviders,
  kind: Providers.kind,
  countOf: ({ updatedAt }) => updatedAt,
  make: (id, name, updatedAt): Providers.SecretProvider => ({
    id,
    workspaceId: WorkspaceId.make("00000000-0000-4000-8000-0000000000a2"),
    providerType: "1password",
    name,
    configHint: { account: "ops" },
    sealedAccess: "00",
    cacheTtlSeconds: 60,
    createdAt: 1,
    updatedAt
  })
})

const destinations = promisesOf({
  name: "destinations of files",
  store: Destinations.FileDestinationStore,
  kind: Destinations.kind,
  countOf: ({ updatedAt }) => updatedAt,
  make: (id, name, updatedAt): Destinations.FileDestination => ({
    id,
    name,
    type: "http",
    url: "https://files.example/in",
    onConflict: "rename",
    sealedAccess: null,
    createdAt: 1,
    createdBy: userId,
    updatedAt
  })
})

const receivers = promisesOf({
  name: "receivers of alerts",
  store: Receivers.AlertReceiverStore,
  kind: Receivers.kind,
  countOf: ({ updatedAt }) => updatedAt,
  make: (id, name, updatedAt): Receivers.AlertReceiver => ({
    id,
    name,
    type: "slack",
    host: "hooks.example",
    mail: null,
    kinds: ["failed"],
    urgent: [],
    workflowIds: null,
    quiet: { timeZone: "Europe/Berlin", from: "22:00", to: "07:00" },
    gatherSeconds: 60,
    pauseSeconds: 3_600,
    sealedAccess: "00",
    createdAt: 1,
    createdBy: userId,
    updatedAt
  })
})

const limits = promisesOf({
  name: "named limits",
  store: Limits.NamedLimitStore,
  kind: Limits.kind,
  countOf: ({ updatedAt }) => updatedAt,
  make: (id, name, updatedAt): Limits.NamedLimit => ({
    id,
    name,
    maxRunning: 1,
    maxStartsPerMinute: null,
    workflowIds: [],
    credentialIds: [],
    tags: ["portal"],
    pause: null,
    override: null,
    createdAt: 1,
    createdBy: userId,
    updatedAt
  })
})

const formerSecrets = promisesOf({
  name: "former secrets",
  store: FormerSecrets.FormerSecrets,
  kind: FormerSecrets.kind,
  countOf: ({ domains }) => domains.length,
  make: (id, mark, count): FormerSecrets.FormerSecret => ({
    id,
    mark,
    domains: Array.from({ length: count }, (_, at) => `https://${at}.example`)
  })
})

/** A workspace re-encrypts its values once at a time, so its walks all have one key. */
const walks = Contract.promise(
  "the progress of re-encryption is kept once for a workspace",
  Effect.gen(function* () {
    const store = yield* Reencryption.ReencryptionWalks
    const { workspaceId } = yield* makeWorkspace()
    const walk = (checked: number): Reencryption.Walk => ({
      id: beside(workspaceId),
      version: 2,
      place: "vault entries",
      after: null,
      startedAt: 1,
      endedAt: null,
      checked,
      resealed: 0,
      unreadable: 0
    })
    const one = walk(1)
    yield* store.insert(workspaceId, one)
    assert.tagged(yield* Effect.flip(store.insert(workspaceId, walk(2))), "KeyTaken")
    yield* store.change(workspaceId, one.id, (before) => Result.succeed({ ...before, checked: 3, after: "b" }))
    const after = { ...one, checked: 3, after: "b" }
    assert.deepStrictEqual(yield* store.list(workspaceId), [after])
    assert.deepStrictEqual(yield* store.get(workspaceId, one.id), Option.some(after))
    assert.deepStrictEqual(yield* store.find(workspaceId, Reencryption.kind.key(one)), Option.some(after))
    assert.deepStrictEqual(yield* store.page(workspaceId, null, 9), { values: [after], next: null })
    assert.strictEqual(yield* store.left(workspaceId, null), 1)
    assert.deepStrictEqual(yield* store.remove(workspaceId, one.id), Option.some(after))
  })
)

/** What every implementation promises. */
export const promises: ReadonlyArray<Contract.ContractPromise<Stores>> = [
  ...destinations,
  ...errorCodes,
  ...formerSecrets,
  ...invitations,
  ...limits,
  ...providers,
  ...receivers,
  ...subscriptions,
  ...webhooks,
  walks
]
