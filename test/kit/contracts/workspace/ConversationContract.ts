/**
 * The promises of every store of the conversations that build workflows: `BuilderStore`, beside the store of workspaces.
 */
import { Clock, Effect, Option, Result } from "effect"
import { BuilderStore, TooManyConversations } from "../../../../core/builder/BuilderStore.ts"
import * as Conversation from "../../../../core/builder/Conversation.ts"
import * as ConversationStart from "../../../../core/builder/ConversationStart.ts"
import type { Caller } from "../../../../core/workspace/Workspace.ts"
import type { WorkspaceStore } from "../../../../core/workspace/WorkspaceStore.ts"
import * as SteppingClock from "../../clocks/SteppingClock.ts"
import * as assert from "../Assertions.ts"
import * as Contract from "../Contract.ts"
import { beside, makeWorkspace } from "../Fixtures.ts"

/** The ports that the promises are about. */
export type Stores = BuilderStore | WorkspaceStore

const begun = (caller: Caller, at: number) => {
  const id = () => beside(caller.workspaceId)
  const opening = {
    _tag: "New",
    name: "Orders",
    description: null,
    startUrl: "https://example.com",
    inputSchema: null,
    inputs: { text: "\u0000 \udfff" },
    settings: {},
    login: null
  } as const
  const ids = { conversation: id(), turn: id(), message: id(), start: id(), end: id() }
  return Effect.orDie(ConversationStart.begin(caller, opening, ids, at))
}

const opened = (caller: Caller) =>
  Effect.gen(function* () {
    const change = yield* begun(caller, yield* Clock.currentTimeMillis)
    yield* (yield* BuilderStore).open(change, 100)
    return change.conversation
  })

const said = (text: string) => (before: Conversation.Conversation, at: number) =>
  Result.succeed(Conversation.say(before, [{ id: beside(before.workspaceId), role: "user", kind: "text", text }], at))

/** A promise that is tested on a separate clock, which begins at the epoch. */
const promise = <A, E>(title: string, test: (time: SteppingClock.SteppingClock) => Effect.Effect<A, E, Stores>) =>
  Contract.promise(
    `conversations ${title}`,
    Effect.suspend(() => {
      const time = SteppingClock.make(0)
      return Effect.provideService(test(time), Clock.Clock, time.clock)
    })
  )

/** What every implementation promises. */
export const promises: ReadonlyArray<Contract.ContractPromise<Stores>> = [
  promise("are given back as they were kept, to their own workspace only", (time) =>
    Effect.gen(function* () {
      const store = yield* BuilderStore
      const caller = yield* makeWorkspace()
      const stranger = yield* makeWorkspace()
      const one = yield* opened(caller)
      assert.deepStrictEqual(yield* store.get(caller.workspaceId, one.id), one)
      yield* time.advance(1)
      const later = yield* opened(caller)
      assert.deepStrictEqual(yield* store.list(caller.workspaceId), [later, one])
      assert.deepStrictEqual(yield* store.list(stranger.workspaceId), [])
      const missing = new Conversation.ConversationNotFound({ conversationId: one.id, ended: false })
      assert.deepStrictEqual(yield* Effect.flip(store.get(stranger.workspaceId, one.id)), missing)
      assert.deepStrictEqual(yield* Effect.flip(store.change(stranger.workspaceId, one.id, said("x"))), missing)
    })
  ),
  promise("are as many as their workspace may have under concurrent openings; ended ones do not count", (time) =>
    Effect.gen(function* () {
      const store = yield* BuilderStore
      const caller = yield* makeWorkspace()
      const now = yield* Clock.currentTimeMillis
      const tries = yield* Effect.all(
        Array.from({ length: 6 }, () =>
          Effect.result(Effect.flatMap(begun(caller, now), (change) => store.open(change, 2)))
        ),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(tries.filter(Result.isSuccess), 2)
      assert.deepStrictEqual(tries.find(Result.isFailure)?.failure, new TooManyConversations({ limit: 2 }))
      const [first] = yield* store.list(caller.workspaceId)
      const id = Conversation.ConversationId.make(first?.id ?? "")
      yield* store.change(caller.workspaceId, id, (before, at) => Result.succeed(Conversation.end(before, at)))
      yield* store.open(yield* begun(caller, now), 2)
      yield* time.advance(Conversation.idleMillis)
      assert.deepStrictEqual(yield* store.list(caller.workspaceId), [])
      yield* store.open(yield* begun(caller, yield* Clock.currentTimeMillis), 2)
    })
  ),
  promise("change by one decision at a time, together with what is said", () =>
    Effect.gen(function* () {
      const store = yield* BuilderStore
      const caller = yield* makeWorkspace()
      const { id } = yield* opened(caller)
      const texts = Array.from({ length: 10 }, (_, index) => `${index} \u0000 \ud800`)
      yield* Effect.forEach(texts, (text) => store.change(caller.workspaceId, id, said(text)), { concurrency: 10 })
      const messages = yield* store.messages(id, 1, 100)
      assert.deepStrictEqual(
        messages.map(({ number }) => number),
        [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
      )
      assert.deepStrictEqual(messages.map(({ text }) => text).sort(), texts)
      assert.deepStrictEqual(yield* store.messages(id, 3, 4), messages.slice(2, 4))
      const [first] = messages
      assert.deepStrictEqual(yield* store.message(id, first?.id ?? ""), Option.fromUndefinedOr(first))
      assert.isTrue(Option.isNone(yield* store.message(id, "no id")))
      assert.isTrue(Option.isNone(yield* store.message((yield* opened(caller)).id, first?.id ?? "")))
      const before = yield* store.get(caller.workspaceId, id)
      const refused = yield* Effect.flip(store.change(caller.workspaceId, id, () => Result.fail("no")))
      assert.strictEqual(refused as string, "no")
      assert.deepStrictEqual(yield* store.get(caller.workspaceId, id), before)
      const answered = messages.slice(0, 1).map((message) => ({ ...message, text: "changed" }))
      yield* store.change(caller.workspaceId, id, (conversation) =>
        Result.succeed({ conversation, messages: answered })
      )
      assert.deepStrictEqual(yield* store.messages(id, 1, 1), answered)
    })
  ),
  promise("are each given to one host, those that wait longest first, and only while they need one", (time) =>
    Effect.gen(function* () {
      const store = yield* BuilderStore
      const caller = yield* makeWorkspace()
      yield* store.claim({ host: "before", limit: 1_000, leaseMillis: 1_000_000 })
      const first = yield* opened(caller)
      yield* time.advance(1)
      const rest = [yield* opened(caller), yield* opened(caller)]
      const claim = (host: string, limit: number) => store.claim({ host, limit, leaseMillis: 1_000 })
      const [oldest] = yield* claim("a", 1)
      assert.strictEqual(oldest?.id, first.id)
      assert.deepStrictEqual(oldest?.lease, { host: "a", until: (yield* Clock.currentTimeMillis) + 1_000 })
      const claims = yield* Effect.all([claim("a", 5), claim("b", 5), claim("c", 5)], { concurrency: 3 })
      assert.deepStrictEqual(
        claims
          .flat()
          .map(({ id }) => id)
          .sort(),
        rest.map(({ id }) => id).sort()
      )
      const held = { id: first.id, fence: oldest?.fence ?? 0 }
      yield* store.settle(held, Conversation.taken)
      yield* time.advance(1_000)
      const again = yield* claim("d", 5)
      assert.deepStrictEqual(again.map(({ id }) => id).sort(), rest.map(({ id }) => id).sort())
      assert.isTrue(again.every(({ fence }) => fence === 2))
    })
  ),
  promise("are held by a lease that is prolonged, and lost to a later one or when it is given back", (time) =>
    Effect.gen(function* () {
      const store = yield* BuilderStore
      const caller = yield* makeWorkspace()
      const { id } = yield* opened(caller)
      assert.isTrue(yield* store.isAwaited([]))
      const claimed = yield* store.claim({ host: "a", limit: 1_000, leaseMillis: 1_000 })
      assert.isFalse(yield* store.isAwaited([]))
      const held = { id, fence: claimed.find((one) => one.id === id)?.fence ?? 0 }
      const lost = new Conversation.HostLost({ conversationId: id, fence: held.fence })
      yield* time.advance(900)
      assert.deepStrictEqual(yield* store.renew([held, { ...held, fence: 9 }], 1_000), [{ ...held, fence: 9 }])
      assert.strictEqual((yield* store.leased(held)).lease?.until, (yield* Clock.currentTimeMillis) + 1_000)
      yield* time.advance(1_000)
      const [other] = (yield* store.claim({ host: "b", limit: 1_000, leaseMillis: 1_000 })).filter(
        (one) => one.id === id
      )
      assert.strictEqual(other?.fence, held.fence + 1)
      assert.deepStrictEqual(yield* Effect.flip(store.leased(held)), lost)
      assert.deepStrictEqual(yield* Effect.flip(store.settle(held, Conversation.taken)), lost)
      assert.deepStrictEqual(yield* store.renew([held], 1_000), [held])
      const present = { id, fence: held.fence + 1 }
      yield* store.settle(present, (before, at) => Conversation.released(before, beside(caller.workspaceId), at))
      assert.strictEqual((yield* Effect.flip(store.leased(present)))._tag, "HostLost")
      yield* opened(caller)
      assert.isTrue(yield* store.isAwaited([]))
      assert.isFalse(yield* store.isAwaited([caller.workspaceId]))
      assert.strictEqual((yield* store.get(caller.workspaceId, id)).lease, null)
    })
  ),
  promise("show their page to all who asked before it was looked at", () =>
    Effect.gen(function* () {
      const store = yield* BuilderStore
      const { id } = yield* opened(yield* makeWorkspace())
      assert.deepStrictEqual(yield* store.wanted(id), [])
      const [one, two] = [yield* store.want(id, "html"), yield* store.want(id, "html")]
      yield* store.want(id, "screenshot")
      assert.deepStrictEqual(yield* store.wanted(id), [
        { kind: "screenshot", number: 1 },
        { kind: "html", number: two }
      ])
      assert.isTrue(Option.isNone(yield* store.seen(id, "html", one)))
      const view = { url: "https://example.com", body: "<p>\u0000 \ud800</p>" }
      yield* store.show(id, "html", two, view)
      const three = yield* store.want(id, "html")
      assert.deepStrictEqual(yield* store.seen(id, "html", one), Option.some(view))
      assert.isTrue(Option.isNone(yield* store.seen(id, "html", three)))
      yield* store.show(id, "html", one, null)
      assert.deepStrictEqual(yield* store.seen(id, "html", two), Option.some(view))
      yield* store.show(id, "html", three, null)
      assert.deepStrictEqual(yield* store.seen(id, "html", three), Option.some(null))
      yield* store.forget(id)
      assert.deepStrictEqual(yield* store.wanted(id), [])
    })
  )
]
