/**
 * Conversations in PostgreSQL. A decision locks the row of its conversation; a new conversation locks the row of its
 * workspace, so that the limit also holds for concurrent openings.
 */
import { Clock, Effect, Layer, Option, type Result } from "effect"
import { SqlClient } from "effect/sql"
import { BuilderStore, type LeaseRef, TooManyConversations, type ViewKind } from "../../core/builder/BuilderStore.ts"
import * as Conversation from "../../core/builder/Conversation.ts"
import { none } from "../../core/runtime/Shares.ts"
import { isUuid } from "../../core/workspace/Ids.ts"
import { transaction, withoutSqlErrors } from "./Transaction.ts"
import * as Rows from "./tables/Conversations.ts"
import * as Table from "./tables/Table.ts"

type Decide<E> = (before: Conversation.Conversation, now: number) => Result.Result<Conversation.Change, E>

const idsOf = (ids: ReadonlyArray<string>): string => `{${ids.join(",")}}`

/** The condition of conversations that wait for a host, of workspaces that may have one more. */
const awaited = (sql: SqlClient.SqlClient, now: number, full: ReadonlyArray<string>) => {
  const at = new Date(now)
  return sql`needs_host and expires_at > ${at} and (lease_until is null or lease_until <= ${at})
    and workspace_id <> all (${idsOf(full)}::uuid[])`
}

export const layer = Layer.effect(
  BuilderStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const columns = Table.names(sql, Rows.stored)

    const say = ({ conversation, messages }: Conversation.Change) =>
      Effect.gen(function* () {
        const [first, ...rest] = messages.map((message) =>
          Rows.messages.encode({ conversationId: conversation.id, message })
        )
        if (first === undefined) return
        yield* sql`
          insert into conversation_messages ${sql.insert([first, ...rest])}
          on conflict (conversation_id, number) do update set body = excluded.body`
      })

    const decideOn = <E>(row: Rows.Row, decide: Decide<E>) =>
      Effect.gen(function* () {
        const before = Rows.toConversation(row)
        const change = yield* Effect.fromResult(decide(before, yield* Clock.currentTimeMillis))
        const { conversation } = change
        if (conversation !== before) {
          yield* sql`update conversations set ${sql.update(Rows.changes.encode(conversation))} where id = ${conversation.id}`
        }
        yield* say(change)
        return conversation
      })

    const notFound = (id: string) => new Conversation.ConversationNotFound({ conversationId: id, ended: false })
    const hostLost = ({ fence, id }: LeaseRef) => new Conversation.HostLost({ conversationId: id, fence })

    return BuilderStore.of({
      open: Effect.fn("BuilderStore.open")((change, limit) =>
        transaction(
          sql,
          Effect.gen(function* () {
            const { workspaceId } = change.conversation
            yield* sql`select id from workspaces where id = ${workspaceId} for no key update`
            const now = yield* Clock.currentTimeMillis
            const others = yield* sql<Rows.Row>`
              select ${columns} from conversations
              where workspace_id = ${workspaceId} and not ended
                and (expires_at > ${new Date(now)} or lease_until > ${new Date(now)})`
            const taken = others.filter((row) => Conversation.statusAt(Rows.toConversation(row), now) !== "ended")
            if (taken.length >= limit) return yield* new TooManyConversations({ limit })
            yield* sql`insert into conversations ${sql.insert(Rows.table.encode(change.conversation))}`
            yield* say(change)
          })
        )
      ),
      get: Effect.fn("BuilderStore.get")((workspaceId, id) =>
        sql<Rows.Row>`
          select ${columns} from conversations
          where id = ${id} and workspace_id = ${workspaceId}`.pipe(
          Effect.flatMap(([row]) =>
            row === undefined ? Effect.fail(notFound(id)) : Effect.succeed(Rows.toConversation(row))
          ),
          withoutSqlErrors
        )
      ),
      list: Effect.fn("BuilderStore.list")((workspaceId) =>
        Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const rows = yield* sql<Rows.Row>`
            select ${columns} from conversations
            where workspace_id = ${workspaceId} and not ended
              and (expires_at > ${new Date(now)} or lease_until > ${new Date(now)})
            order by started_at desc, id desc`
          return rows.map(Rows.toConversation).filter((one) => Conversation.statusAt(one, now) !== "ended")
        }).pipe(withoutSqlErrors)
      ),
      change: Effect.fn("BuilderStore.change")((workspaceId, id, decide) =>
        transaction(
          sql,
          Effect.gen(function* () {
            const [row] = yield* sql<Rows.Row>`
              select ${columns} from conversations
              where id = ${id} and workspace_id = ${workspaceId} for no key update`
            if (row === undefined) return yield* notFound(id)
            return yield* decideOn(row, decide)
          })
        )
      ),
      messages: Effect.fn("BuilderStore.messages")((id, from, to) =>
        sql<Rows.MessageRow>`
          select * from conversation_messages
          where conversation_id = ${id} and number between ${from} and ${to} order by number`.pipe(
          Effect.map((rows) => rows.map(Rows.toMessage)),
          withoutSqlErrors
        )
      ),
      message: Effect.fn("BuilderStore.message")((id, messageId) =>
        isUuid(messageId)
          ? sql<Rows.MessageRow>`
              select * from conversation_messages where conversation_id = ${id} and id = ${messageId}`.pipe(
              Effect.map(([row]) => Option.map(Option.fromUndefinedOr(row), Rows.toMessage)),
              withoutSqlErrors
            )
          : Effect.succeedNone
      ),
      claim: Effect.fn("BuilderStore.claim")(({ host, leaseMillis, limit, turns = none }) =>
        transaction(
          sql,
          Effect.gen(function* () {
            const now = yield* Clock.currentTimeMillis
            const waiting = sql`select id, expires_at, array_position(${idsOf(turns.served)}::uuid[], workspace_id) as served,
                row_number() over (partition by workspace_id order by expires_at) as nth
              from conversations where ${awaited(sql, now, turns.full)}`
            const rows = yield* sql<Rows.Row>`
              select ${columns} from conversations
              where id in (
                select id from (${waiting}) as waiting order by nth, served nulls first, expires_at limit ${limit}
              ) and ${awaited(sql, now, turns.full)}
              order by expires_at for no key update skip locked`
            return yield* Effect.forEach(rows, (row) => {
              const one = Conversation.claim(Rows.toConversation(row), host, now + leaseMillis)
              return Effect.as(
                sql`update conversations set ${sql.update(Rows.changes.encode(one))} where id = ${one.id}`,
                one
              )
            })
          })
        )
      ),
      isAwaited: Effect.fn("BuilderStore.isAwaited")((full) =>
        Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const [row] = yield* sql<{ readonly is: boolean }>`
            select exists (select from conversations where ${awaited(sql, now, full)}) as "is"`
          return row?.is === true
        }).pipe(withoutSqlErrors)
      ),
      renew: Effect.fn("BuilderStore.renew")((leases, leaseMillis) =>
        Effect.gen(function* () {
          if (leases.length === 0) return []
          const until = new Date((yield* Clock.currentTimeMillis) + leaseMillis)
          const renewed = yield* sql<{ readonly id: string; readonly fence: number }>`
            update conversations set lease_until = ${until}
            from json_to_recordset(${JSON.stringify(leases)}::json) as mine (id uuid, fence integer)
            where conversations.id = mine.id and conversations.fence = mine.fence and lease_until is not null
            returning conversations.id, conversations.fence`
          const kept = new Map(renewed.map(({ fence, id }) => [id, fence]))
          return leases.filter(({ fence, id }) => kept.get(id) !== fence)
        }).pipe(withoutSqlErrors)
      ),
      leased: Effect.fn("BuilderStore.leased")((lease) =>
        sql<Rows.Row>`
          select ${columns} from conversations
          where id = ${lease.id} and fence = ${lease.fence} and lease_until is not null`.pipe(
          Effect.flatMap(([row]) =>
            row === undefined ? Effect.fail(hostLost(lease)) : Effect.succeed(Rows.toConversation(row))
          ),
          withoutSqlErrors
        )
      ),
      settle: Effect.fn("BuilderStore.settle")((lease, decide) =>
        transaction(
          sql,
          Effect.gen(function* () {
            const [row] = yield* sql<Rows.Row>`
              select ${columns} from conversations
              where id = ${lease.id} and fence = ${lease.fence} and lease_until is not null for no key update`
            if (row === undefined) return yield* hostLost(lease)
            return yield* decideOn(row, decide)
          })
        )
      ),
      want: Effect.fn("BuilderStore.want")((id, kind) =>
        sql<{ readonly wanted: number }>`
          insert into conversation_looks ${sql.insert(
            Rows.requestedViews.encode({ conversationId: id, kind, wanted: 1, given: 0, view: null })
          )}
          on conflict (conversation_id, kind) do update set wanted = conversation_looks.wanted + 1
          returning wanted`.pipe(
          Effect.map(([row]) => row?.wanted ?? 0),
          withoutSqlErrors
        )
      ),
      wanted: Effect.fn("BuilderStore.wanted")((id) =>
        sql<{ readonly kind: ViewKind; readonly number: number }>`
          select kind, wanted as number from conversation_looks
          where conversation_id = ${id} and wanted > given order by kind desc`.pipe(withoutSqlErrors)
      ),
      show: Effect.fn("BuilderStore.show")((id, kind, number, view) =>
        sql`
          update conversation_looks set ${sql.update(Rows.delivered.encode({ given: number, view }))}
          where conversation_id = ${id} and kind = ${kind} and given < ${number}`.pipe(Effect.asVoid, withoutSqlErrors)
      ),
      seen: Effect.fn("BuilderStore.seen")((id, kind, number) =>
        sql<Rows.RequestedViewRow>`
          select * from conversation_looks
          where conversation_id = ${id} and kind = ${kind} and given >= ${number}`.pipe(
          Effect.map(([row]) => Option.map(Option.fromUndefinedOr(row), Rows.toView)),
          withoutSqlErrors
        )
      ),
      forget: Effect.fn("BuilderStore.forget")((id) =>
        sql`delete from conversation_looks where conversation_id = ${id}`.pipe(Effect.asVoid, withoutSqlErrors)
      )
    })
  })
)
