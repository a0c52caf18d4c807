/** The tables of conversations, their messages, and the views of their pages. */
import { Schema } from "effect"
import { type View, type ViewKind, viewKinds } from "../../../core/builder/BuilderStore.ts"
import * as Conversation from "../../../core/builder/Conversation.ts"
import { ConversationMessage } from "../../../core/builder/ConversationMessage.ts"
import type { WorkspaceId } from "../../../core/workspace/Ids.ts"
import * as Table from "./Table.ts"

const column = Table.of<Conversation.Conversation>()

/** A lease is renewed without the body, which may contain an older lease. */
const lease = {
  lease_host: column(Table.nullable(Table.text), ({ lease }) => lease?.host ?? null),
  lease_until: column(Table.nullable(Table.instant), ({ lease }) => lease?.until ?? null)
}

const body = column(Table.encoded(Conversation.Conversation), (one) => one)

const changing = {
  expires_at: column(Table.instant, ({ expiresAt }) => expiresAt),
  ended: column(Table.flag, ({ endedAt }) => endedAt !== null),
  needs_host: column(Table.flag, ({ endedAt, turn }) => endedAt === null && turn?.taken === false),
  ...lease,
  fence: column(Table.integer, ({ fence }) => fence),
  body
}

/** The columns that a change of a conversation writes. */
export const changes = Table.make("conversations", changing, [])

const id = column(Table.uuid<Conversation.ConversationId>(), (one) => one.id)

export const table = Table.make(
  "conversations",
  {
    id,
    workspace_id: column(Table.uuid<WorkspaceId>(), ({ workspaceId }) => workspaceId),
    started_at: column(Table.instant, ({ startedAt }) => startedAt),
    ...changing
  },
  ["id"]
)

/** The columns that a conversation is read from. */
export const stored = Table.make("conversations", { id, ...lease, body }, ["id"])

export type Row = Table.Row<typeof stored.columns>

export const toConversation = (row: Row): Conversation.Conversation => {
  const { body, lease_host, lease_until } = stored.decode(row)
  return {
    ...body,
    lease: lease_host === null || lease_until === null ? null : { host: lease_host, until: lease_until }
  }
}

/** A message of a conversation. */
interface Said {
  readonly conversationId: string
  readonly message: ConversationMessage
}

const ofSaid = Table.of<Said>()

export const messages = Table.make(
  "conversation_messages",
  {
    conversation_id: ofSaid(Table.uuid<string>(), ({ conversationId }) => conversationId),
    number: ofSaid(Table.integer, ({ message }) => message.number),
    id: ofSaid(Table.uuid<string>(), ({ message }) => message.id),
    body: ofSaid(Table.encoded(ConversationMessage), ({ message }) => message)
  },
  ["conversation_id", "number"]
)

export type MessageRow = Table.Row<typeof messages.columns>

export const toMessage = (row: MessageRow): ConversationMessage => messages.decode(row).body

/** The last view of a kind, and its number. */
interface Delivered {
  readonly given: number
  readonly view: View | null
}

/** The views of a kind that were requested. */
interface RequestedView extends Delivered {
  readonly conversationId: string
  readonly kind: ViewKind
  readonly wanted: number
}

const Kind = Schema.Literals(viewKinds)
const Viewed: Schema.Codec<View> = Schema.Struct({ url: Schema.String, body: Schema.String })

const ofDelivered = Table.of<Delivered>()

const delivery = {
  given: ofDelivered(Table.integer, ({ given }) => given),
  view: ofDelivered(Table.nullable(Table.json(Viewed)), ({ view }) => view)
}

/** The columns that the delivery of a view writes. */
export const delivered = Table.make("conversation_looks", delivery, [])

const ofRequestedView = Table.of<RequestedView>()

export const requestedViews = Table.make(
  "conversation_looks",
  {
    conversation_id: ofRequestedView(Table.uuid<string>(), ({ conversationId }) => conversationId),
    kind: ofRequestedView(Table.textOf(Kind), ({ kind }) => kind),
    wanted: ofRequestedView(Table.integer, ({ wanted }) => wanted),
    ...delivery
  },
  ["conversation_id", "kind"]
)

export type RequestedViewRow = Table.Row<typeof requestedViews.columns>

export const toView = (row: RequestedViewRow): View | null => requestedViews.decode(row).view
