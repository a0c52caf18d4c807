/** Conversations in memory. */
import { Clock, Effect, Layer, Option, type Result } from "effect"
import { BuilderStore, type LeaseRef, TooManyConversations, viewKinds } from "../../core/builder/BuilderStore.ts"
import * as Conversation from "../../core/builder/Conversation.ts"
import * as Shares from "../../core/runtime/Shares.ts"
import { atomicStore } from "./Atomic.ts"
import { Tables } from "./Tables.ts"

type Decide<E> = (before: Conversation.Conversation, now: number) => Result.Result<Conversation.Change, E>

export const layer = Layer.effect(
  BuilderStore,
  Effect.map(Tables, ({ conversations, requestedViews, messages }) => {
    const write = ({ conversation, messages: said }: Conversation.Change) => {
      conversations.set(conversation.id, conversation)
      const all = new Map((messages.get(conversation.id) ?? []).map((message) => [message.number, message]))
      for (const message of said) all.set(message.number, message)
      messages.set(conversation.id, [...all.values()])
    }

    const apply = Effect.fnUntraced(function* <E>(before: Conversation.Conversation, decide: Decide<E>) {
      const change = yield* Effect.fromResult(decide(before, yield* Clock.currentTimeMillis))
      write(change)
      return change.conversation
    })

    const find = Effect.fnUntraced(function* (workspaceId: string, id: Conversation.ConversationId) {
      const one = conversations.get(id)
      if (one?.workspaceId === workspaceId) return one
      return yield* new Conversation.ConversationNotFound({ conversationId: id, ended: false })
    })

    const owned = Effect.fnUntraced(function* ({ fence, id }: LeaseRef) {
      const one = conversations.get(id)
      if (one !== undefined && one.lease !== null && one.fence === fence) return one
      return yield* new Conversation.HostLost({ conversationId: id, fence })
    })

    const open = (workspaceId: string, at: number) =>
      [...conversations.values()].filter(
        (one) => one.workspaceId === workspaceId && Conversation.statusAt(one, at) !== "ended"
      )

    return BuilderStore.of({
      open: Effect.fn("BuilderStore.open")(function* (change, limit) {
        const taken = open(change.conversation.workspaceId, yield* Clock.currentTimeMillis)
        if (taken.length >= limit) return yield* new TooManyConversations({ limit })
        write(change)
      }),
      get: Effect.fn("BuilderStore.get")(find),
      list: Effect.fn("BuilderStore.list")((workspaceId) =>
        Effect.map(Clock.currentTimeMillis, (now) => open(workspaceId, now).reverse())
      ),
      change: Effect.fn("BuilderStore.change")((workspaceId, id, decide) =>
        Effect.flatMap(find(workspaceId, id), (one) => apply(one, decide))
      ),
      messages: Effect.fn("BuilderStore.messages")((id, from, to) =>
        Effect.sync(() => (messages.get(id) ?? []).filter(({ number }) => from <= number && number <= to))
      ),
      message: Effect.fn("BuilderStore.message")((id, messageId) =>
        Effect.sync(() => Option.fromUndefinedOr((messages.get(id) ?? []).find((one) => one.id === messageId)))
      ),
      claim: Effect.fn("BuilderStore.claim")(function* ({ host, leaseMillis, limit, turns = Shares.none }) {
        const now = yield* Clock.currentTimeMillis
        const byTurn = Shares.order(turns)
        const ofWorkspace = new Map<string, number>()
        return [...conversations.values()]
          .filter((one) => Conversation.needsHost(one, now) && !turns.full.includes(one.workspaceId))
          .sort((a, b) => a.expiresAt - b.expiresAt)
          .map((one) => {
            const nth = ofWorkspace.get(one.workspaceId) ?? 0
            ofWorkspace.set(one.workspaceId, nth + 1)
            return { one, nth }
          })
          .sort((a, b) => a.nth - b.nth || byTurn(a.one.workspaceId, b.one.workspaceId))
          .slice(0, limit)
          .map(({ one }) => {
            const claimed = Conversation.claim(one, host, now + leaseMillis)
            conversations.set(one.id, claimed)
            return claimed
          })
      }),
      isAwaited: (full) =>
        Effect.map(Clock.currentTimeMillis, (now) =>
          [...conversations.values()].some((one) => Conversation.needsHost(one, now) && !full.includes(one.workspaceId))
        ),
      renew: Effect.fn("BuilderStore.renew")(function* (leases, leaseMillis) {
        const until = (yield* Clock.currentTimeMillis) + leaseMillis
        return leases.filter(({ fence, id }) => {
          const one = conversations.get(id)
          if (one === undefined || one.lease === null || one.fence !== fence) return true
          conversations.set(id, { ...one, lease: { ...one.lease, until } })
          return false
        })
      }),
      leased: Effect.fn("BuilderStore.leased")(owned),
      settle: Effect.fn("BuilderStore.settle")((lease, decide) =>
        Effect.flatMap(owned(lease), (one) => apply(one, decide))
      ),
      want: Effect.fn("BuilderStore.want")((id, kind) =>
        Effect.sync(() => {
          const look = requestedViews.get(`${id} ${kind}`) ?? { wanted: 0, given: 0, view: null }
          requestedViews.set(`${id} ${kind}`, { ...look, wanted: look.wanted + 1 })
          return look.wanted + 1
        })
      ),
      wanted: Effect.fn("BuilderStore.wanted")((id) =>
        Effect.sync(() =>
          viewKinds.flatMap((kind) => {
            const look = requestedViews.get(`${id} ${kind}`)
            return look !== undefined && look.wanted > look.given ? [{ kind, number: look.wanted }] : []
          })
        )
      ),
      show: Effect.fn("BuilderStore.show")((id, kind, number, view) =>
        Effect.sync(() => {
          const look = requestedViews.get(`${id} ${kind}`)
          if (look !== undefined && number > look.given)
            requestedViews.set(`${id} ${kind}`, { ...look, given: number, view })
        })
      ),
      seen: Effect.fn("BuilderStore.seen")((id, kind, number) =>
        Effect.sync(() => {
          const look = requestedViews.get(`${id} ${kind}`)
          return look !== undefined && look.given >= number ? Option.some(look.view) : Option.none()
        })
      ),
      forget: Effect.fn("BuilderStore.forget")((id) =>
        Effect.sync(() => {
          for (const kind of viewKinds) requestedViews.delete(`${id} ${kind}`)
        })
      )
    })
  }).pipe(Effect.map(atomicStore))
)
