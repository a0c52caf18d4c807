/**
 * A conversation that builds a workflow on an open page, and what may happen to it.
 *
 * ```
 *            open                 take, settle               say
 *   (new) ----------> processing ---------------> completed --------> processing ...
 *     |                 ^  |  |
 *     |  inputs missing |  |  '- the browser went -> agent-errored --say--> processing
 *     '--> awaiting ----'  '- interrupted -> idle --say--> processing
 * ```
 *
 * A turn is what is done for one message, or to open the page. A *host* does it: a worker with a browser, which holds
 * the conversation by a lease for as long as it keeps the page open. Between turns the conversation is the caller's,
 * who changes it through the decisions below. The end after a time of idleness, and the effect of a lost lease, are
 * derived from the clock, so that they hold even when no host is left. Instants are epoch milliseconds.
 */
import { Result, Schema } from "effect"
import { UserId, VersionId, WorkflowId, WorkspaceId } from "../workspace/Ids.ts"
import { PageCommand } from "./Command.ts"
import type { ActionResult, ConversationMessage } from "./ConversationMessage.ts"
import * as Draft from "./Draft.ts"

export const ConversationId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("ConversationId"))
export type ConversationId = typeof ConversationId.Type

export const Status = Schema.Literals([
  "processing",
  "awaiting-human-input",
  "agent-errored",
  "completed",
  "idle",
  "ended"
])
export type Status = typeof Status.Type

/** Opens the page, and does the steps of the draft up to the node `until`, not including it. */
const Opening = Schema.Struct({ _tag: Schema.Literal("Open"), until: Schema.NullOr(Schema.String) })

/** A command for the page. `id` identifies a turn. */
export const Turn = Schema.Struct({
  id: Schema.String,
  command: Schema.Union([Opening, ...PageCommand.members]),
  /** A host does it, or did when it lost its lease. */
  taken: Schema.Boolean,
  /** Its user wants it to stop. */
  stop: Schema.Boolean
})
export type Turn = typeof Turn.Type

/** The workflow that is changed: the one that the conversation began with, or was saved as. */
export const Origin = Schema.Struct({ workflowId: WorkflowId, versionId: VersionId, versionNumber: Schema.Int })
export type Origin = typeof Origin.Type

/** A host's right to the conversation. Of two leases the one with the higher fence is the later. */
export const Lease = Schema.Struct({ host: Schema.String, until: Schema.Finite })

export const Conversation = Schema.Struct({
  id: ConversationId,
  workspaceId: WorkspaceId,
  userId: UserId,
  startedAt: Schema.Finite,
  /** It ends at this instant, unless something happens before. */
  expiresAt: Schema.Finite,
  endedAt: Schema.NullOr(Schema.Finite),
  origin: Schema.NullOr(Origin),
  inputs: Schema.JsonObject,
  /** The browser begins without the cookies and the storage that are kept with the credentials. */
  blankBrowser: Schema.optionalKey(Schema.Boolean),
  draft: Draft.Draft,
  turn: Schema.NullOr(Turn),
  /** How it reads while there is no turn: the last turn was done, was interrupted, or lost its page. */
  rest: Schema.Literals(["idle", "errored", "completed"]),
  /** The message whose question must be answered first. */
  question: Schema.NullOr(Schema.String),
  /** The node up to which the page is opened once the question is answered. */
  until: Schema.NullOr(Schema.String),
  /** The number of the last message. */
  messages: Schema.Int,
  lease: Schema.NullOr(Lease),
  fence: Schema.Int,
  /** Whether the host has the page open. */
  page: Schema.Boolean
})
export type Conversation = typeof Conversation.Type

/** The result of a decision: the conversation, and messages that are new or have changed. */
export interface Change {
  readonly conversation: Conversation
  readonly messages: ReadonlyArray<ConversationMessage>
}

/** A conversation in which nothing happens for so long ends, and gives its browser back. */
export const idleMillis = 30 * 60_000

/** Raised for a conversation that does not exist in the workspace, or that has ended and so takes no more messages. */
export class ConversationNotFound extends Schema.TaggedError<ConversationNotFound>()("ConversationNotFound", {
  conversationId: Schema.String,
  ended: Schema.Boolean
}) {
  override get message() {
    return this.ended
      ? `Conversation "${this.conversationId}" has ended: open a new one`
      : `Conversation "${this.conversationId}" not found in this workspace`
  }
}

/** Raised by a message that comes while another one is being processed. */
export class SessionBusy extends Schema.TaggedError<SessionBusy>()("SessionBusy", { conversationId: Schema.String }) {
  override get message() {
    return `Conversation "${this.conversationId}" is processing: wait until it is not, or interrupt it`
  }
}

/** Raised by a host that acts on a conversation whose lease is no longer its own, or whose turn is over. */
export class HostLost extends Schema.TaggedError<HostLost>()("HostLost", {
  conversationId: Schema.String,
  fence: Schema.Int
}) {
  override get message() {
    return `Cannot continue conversation "${this.conversationId}": the lease with fence ${this.fence} is no longer its lease`
  }
}

/** Whether a host has the lease of the conversation at `at`. */
export const isHeld = ({ lease }: Conversation, at: number): boolean => lease !== null && lease.until > at

/** Whether a page is open at `at`. */
export const hasPage = (one: Conversation, at: number): boolean =>
  one.page && isHeld(one, at) && statusAt(one, at) !== "ended"

/** The status that a conversation reads as at `at`. */
export const statusAt = (one: Conversation, at: number): Status => {
  if (one.endedAt !== null) return "ended"
  const lost = one.turn?.taken === true && !isHeld(one, at)
  if (one.expiresAt <= at && (one.turn === null || !one.turn.taken || lost)) return "ended"
  if (one.turn !== null) return lost ? "agent-errored" : "processing"
  if (one.question !== null) return "awaiting-human-input"
  return one.rest === "errored" ? "agent-errored" : one.rest
}

/** Nothing changes before the next message: the last one was done, it failed, or the conversation ended. */
export const isTerminal = (status: Status): boolean =>
  status === "completed" || status === "agent-errored" || status === "ended"

/** A message before it has its number. */
export type NewMessage = Omit<ConversationMessage, "number" | "createdAt">

/** Appends messages. That counts as activity, but does not reopen an ended conversation. */
export const say = (one: Conversation, said: ReadonlyArray<NewMessage>, at: number): Change => ({
  conversation: {
    ...one,
    messages: one.messages + said.length,
    expiresAt: statusAt(one, at) === "ended" ? one.expiresAt : at + idleMillis
  },
  messages: said.map((message, index) => ({ ...message, number: one.messages + index + 1, createdAt: at }))
})

/**
 * The conversation if its caller may change it at `at`: it has not ended, and no turn is in progress.
 *
 * A turn whose host was lost is dropped here. Whether it took effect is not known, so it is never done again.
 */
export const free = (
  one: Conversation,
  noticeId: string,
  at: number
): Result.Result<Change, ConversationNotFound | SessionBusy> => {
  const status = statusAt(one, at)
  if (status === "ended") return Result.fail(new ConversationNotFound({ conversationId: one.id, ended: true }))
  if (status === "processing") return Result.fail(new SessionBusy({ conversationId: one.id }))
  if (one.turn === null) return Result.succeed({ conversation: one, messages: [] })
  const text =
    "The worker that had the page open was lost before it was done. Whether it took effect is not known; the draft is unchanged"
  return Result.succeed(
    say({ ...one, turn: null, rest: "errored", page: false }, [{ id: noticeId, role: "agent", kind: "text", text }], at)
  )
}

/** Has a turn done by a host. */
export const begin = (one: Conversation, turn: Pick<Turn, "id" | "command">, at: number): Conversation => ({
  ...one,
  turn: { ...turn, taken: false, stop: false },
  question: null,
  rest: "idle",
  expiresAt: at + idleMillis
})

/**
 * Stops the turn in progress: a turn that no host has taken is dropped, one in progress is stopped by its host, and an
 * open question needs no answer any more. Returns the same conversation when no turn is in progress.
 */
export const interrupt = (
  one: Conversation,
  asked: ConversationMessage | null,
  noticeId: string,
  at: number
): Result.Result<Change, ConversationNotFound> => {
  const status = statusAt(one, at)
  if (status === "ended") return Result.fail(new ConversationNotFound({ conversationId: one.id, ended: true }))
  const notice: NewMessage = { id: noticeId, role: "agent", kind: "text", text: "Interrupted. The draft is unchanged" }
  if (one.question !== null) {
    const { conversation, messages } = say({ ...one, question: null, rest: "idle" }, [notice], at)
    const dismissed =
      asked?.question === undefined ? [] : [{ ...asked, question: { ...asked.question, state: "dismissed" as const } }]
    return Result.succeed({ conversation, messages: [...dismissed, ...messages] })
  }
  if (status !== "processing" || one.turn === null) return Result.succeed({ conversation: one, messages: [] })
  if (!one.turn.taken) return Result.succeed(say({ ...one, turn: null, rest: "idle" }, [notice], at))
  return Result.succeed({ conversation: { ...one, turn: { ...one.turn, stop: true } }, messages: [] })
}

/** Ends a conversation for good, including a turn in progress. One that has ended stays as it is. */
export const end = (one: Conversation, at: number): Change => ({
  conversation: one.endedAt !== null ? one : { ...one, endedAt: at, turn: null, question: null, page: false },
  messages: []
})

/** Whether a host is needed: a turn waits, and no host has the lease. */
export const needsHost = (one: Conversation, at: number): boolean =>
  statusAt(one, at) === "processing" && one.turn?.taken === false && !isHeld(one, at)

/** Gives the conversation to a host. */
export const claim = (one: Conversation, host: string, until: number): Conversation => ({
  ...one,
  lease: { host, until },
  fence: one.fence + 1,
  page: false
})

/** Begins the turn that waits, if one does. */
export const taken = (one: Conversation): Result.Result<Change> =>
  Result.succeed({
    conversation: one.turn === null ? one : { ...one, turn: { ...one.turn, taken: true } },
    messages: []
  })

/** The host has a page open. */
export const opened = (one: Conversation): Result.Result<Change> =>
  Result.succeed({ conversation: one.endedAt === null ? { ...one, page: true } : one, messages: [] })

/** Ended by its host, which saw that its time is over. */
export const ended = (one: Conversation, at: number): Result.Result<Change> => Result.succeed(end(one, at))

/** How a turn ended. */
export interface Outcome {
  readonly draft: Draft.Draft
  readonly text: string
  readonly result: ActionResult | null
  /** `idle` for a turn that was stopped, `errored` for one that lost its page or did not get one. */
  readonly rest: Conversation["rest"]
  /** Whether the page is still open. */
  readonly page: boolean
}

/** Ends a turn with what came of it. Fails when it is over already, as when the conversation has ended. */
export const settle = (
  one: Conversation,
  turnId: string,
  outcome: Outcome,
  messageId: string,
  at: number
): Result.Result<Change, HostLost> => {
  if (one.endedAt !== null || one.turn?.id !== turnId) {
    return Result.fail(new HostLost({ conversationId: one.id, fence: one.fence }))
  }
  const { draft, page, rest, result, text } = outcome
  const reply: NewMessage = {
    id: messageId,
    role: "agent",
    kind: result === null ? "text" : "action_result",
    text,
    ...(result === null ? {} : { result })
  }
  return Result.succeed(say({ ...one, draft, page, rest, turn: null }, [reply], at))
}

/** Gives the conversation back, its page closed. A turn in progress is dropped. */
export const released = (one: Conversation, noticeId: string, at: number): Result.Result<Change> => {
  const freed = { ...one, lease: null, page: false }
  if (one.turn?.taken !== true || one.endedAt !== null) return Result.succeed({ conversation: freed, messages: [] })
  const text =
    "The worker that had the page open was shut down before it was done. Whether it took effect is not known; the draft is unchanged"
  const notice: NewMessage = { id: noticeId, role: "agent", kind: "text", text }
  return Result.succeed(say({ ...freed, turn: null, rest: "errored" }, [notice], at))
}
