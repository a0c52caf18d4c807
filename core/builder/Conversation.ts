/**
 * A conversation that builds a workflow on an open page, and its transitions.
 *
 * ```
 *            open                 take, settle               say
 *   (new) ----------> processing ---------------> completed --------> processing ...
 *     |                 ^  |  |
 *     |  inputs missing |  |  '- the browser went -> agent-errored --say--> processing
 *     '--> awaiting ----'  '- interrupted -> idle --say--> processing
 * ```
 *
 * A turn is the work for one message, or for opening the page. A *host* carries it out: a worker with a browser, which
 * leases the conversation for as long as it keeps the page open. Between turns, callers change the conversation through
 * the decisions below. The end of an idle conversation and the effect of a lost lease are derived from the clock, so
 * that they apply even without a host. Instants are epoch milliseconds.
 */
import { Result, Schema } from "effect"
import { UserId, VersionId, WorkflowId, WorkspaceId } from "../workspace/Ids.ts"
import { PageCommand } from "./Command.ts"
import type { ActionResult, ConversationMessage } from "./ConversationMessage.ts"
import * as Draft from "./Draft.ts"
import { Progress } from "./Progress.ts"
import * as Describing from "./proposal/Describing.ts"

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

/** Opens the page, and carries out the steps of the draft before the node `until`. */
const Opening = Schema.Struct({ _tag: Schema.Literal("Open"), until: Schema.NullOr(Schema.String) })

/** A command for the page. `id` identifies a turn. */
export const Turn = Schema.Struct({
  id: Schema.String,
  command: Schema.Union([Opening, ...PageCommand.members]),
  /** A host has started the turn. It stays `true` if the host loses its lease. */
  taken: Schema.Boolean,
  /** Whether the user has interrupted the turn. */
  stop: Schema.Boolean
})
export type Turn = typeof Turn.Type

/** The workflow that the conversation changes: the one it began with, or was saved as. */
export const Origin = Schema.Struct({ workflowId: WorkflowId, versionId: VersionId, versionNumber: Schema.Int })
export type Origin = typeof Origin.Type

/** The failure of the run that the conversation began with: the step that failed, and why. */
export const Repair = Schema.Struct({
  sessionId: Schema.String,
  /** `null` where no step failed. */
  nodeId: Schema.NullOr(Schema.String),
  errorCode: Schema.NullOr(Schema.String),
  message: Schema.String
}).annotate({ identifier: "BuilderRepair" })
export type Repair = typeof Repair.Type

/** The right of a host to the conversation. The later of two leases has the higher fence. */
export const Lease = Schema.Struct({ host: Schema.String, until: Schema.Finite })

export const Conversation = Schema.Struct({
  id: ConversationId,
  workspaceId: WorkspaceId,
  userId: UserId,
  startedAt: Schema.Finite,
  /** The conversation ends at this instant, unless there is activity before. */
  expiresAt: Schema.Finite,
  endedAt: Schema.NullOr(Schema.Finite),
  origin: Schema.NullOr(Origin),
  inputs: Schema.JsonObject,
  /** Whether the browser begins without the cookies and the storage that are stored with the credentials. */
  blankBrowser: Schema.optionalKey(Schema.Boolean),
  /** The failed run that it began with. */
  repair: Schema.optionalKey(Repair),
  draft: Draft.Draft,
  /** What was carried out on the page. */
  progress: Schema.optionalKey(Progress),
  /** The task that a model was given last. */
  describing: Schema.optionalKey(Describing.Describing),
  turn: Schema.NullOr(Turn),
  /** The status without a turn: the last turn was interrupted, failed or lost its page, or completed. */
  rest: Schema.Literals(["idle", "errored", "completed"]),
  /** The id of the message with the open question. */
  question: Schema.NullOr(Schema.String),
  /** The node before which the walk stops when the page is opened after the answer. */
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

/** A conversation ends after this time without activity, in milliseconds. */
export const idleMillis = 30 * 60_000

/** Raised for a conversation that does not exist in the workspace, or that has ended. */
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

/** Raised by a message while another one is being processed. */
export class SessionBusy extends Schema.TaggedError<SessionBusy>()("SessionBusy", { conversationId: Schema.String }) {
  override get message() {
    return `Conversation "${this.conversationId}" is processing: wait until it is not, or interrupt it`
  }
}

/** Raised when a host acts on a conversation without a valid lease, or on a turn that is over. */
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

/** The status of a conversation at `at`. */
export const statusAt = (one: Conversation, at: number): Status => {
  if (one.endedAt !== null) return "ended"
  const lost = one.turn?.taken === true && !isHeld(one, at)
  if (one.expiresAt <= at && (one.turn === null || !one.turn.taken || lost)) return "ended"
  if (one.turn !== null) return lost ? "agent-errored" : "processing"
  if (one.question !== null) return "awaiting-human-input"
  return one.rest === "errored" ? "agent-errored" : one.rest
}

/** Whether nothing changes before the next message: the last one completed or failed, or the conversation has ended. */
export const isTerminal = (status: Status): boolean =>
  status === "completed" || status === "agent-errored" || status === "ended"

/** A message without its number. */
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
 * The conversation, if its caller may change it at `at`: it has not ended, and no turn is in progress.
 *
 * A turn of a lost host is dropped here. Whether it took effect is unknown, so it is never repeated.
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

/** Starts a turn, for a host to carry out. */
export const begin = (one: Conversation, turn: Pick<Turn, "id" | "command">, at: number): Conversation => ({
  ...one,
  ...taskOf(one, turn.command),
  turn: { ...turn, taken: false, stop: false },
  question: null,
  rest: "idle",
  expiresAt: at + idleMillis
})

/** The task of a turn: a new one, or that of before, which only an answer to what waits goes on with. */
const taskOf = ({ describing }: Conversation, command: Turn["command"]): Pick<Conversation, "describing"> => {
  if (command._tag === "Describe") return { describing: Describing.begin(command.task, command.budget) }
  if (describing === undefined) return {}
  const isAnswer = command._tag === "Agree" || command._tag === "Decline"
  return { describing: isAnswer ? { ...describing, state: "working" } : Describing.ended(describing) }
}

/**
 * Stops the turn in progress. A turn that no host has taken is dropped, one in progress is stopped by its host, and an
 * open question is closed. Returns the same conversation if no turn is in progress.
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

/** Ends a conversation and its turn in progress. An ended conversation is not changed. */
export const end = (one: Conversation, at: number): Change => ({
  conversation: one.endedAt !== null ? one : { ...one, endedAt: at, turn: null, question: null, page: false },
  messages: []
})

/** Whether the conversation needs a host: a turn waits, and no host has the lease. */
export const needsHost = (one: Conversation, at: number): boolean =>
  statusAt(one, at) === "processing" && one.turn?.taken === false && !isHeld(one, at)

/** Leases the conversation to a host. */
export const claim = (one: Conversation, host: string, until: number): Conversation => ({
  ...one,
  lease: { host, until },
  fence: one.fence + 1,
  page: false
})

/** Marks the waiting turn as taken, if there is one. */
export const taken = (one: Conversation): Result.Result<Change> =>
  Result.succeed({
    conversation: one.turn === null ? one : { ...one, turn: { ...one.turn, taken: true } },
    messages: []
  })

/** Records that the host has a page open. */
export const opened = (one: Conversation): Result.Result<Change> =>
  Result.succeed({ conversation: one.endedAt === null ? { ...one, page: true } : one, messages: [] })

/** Ends an expired conversation, for its host. */
export const ended = (one: Conversation, at: number): Result.Result<Change> => Result.succeed(end(one, at))

/** Records how far the walk of a turn has come. A turn that is over is unchanged by it. */
export const walked = (
  one: Conversation,
  turnId: string,
  cursor: Draft.Draft["cursor"],
  progress: Progress
): Change => ({
  conversation:
    one.endedAt !== null || one.turn?.id !== turnId
      ? one
      : { ...one, draft: Draft.passed(one.draft, cursor), progress },
  messages: []
})

/** Records a step towards a task, and reports it. A turn that is over is unchanged by it. */
export const described = (
  one: Conversation,
  turnId: string,
  step: {
    readonly draft: Draft.Draft
    readonly progress: Progress
    readonly describing: Describing.Describing
    readonly message: NewMessage
  },
  at: number
): Change => {
  if (one.endedAt !== null || one.turn?.id !== turnId) return { conversation: one, messages: [] }
  const { message, ...known } = step
  return say({ ...one, ...known }, [message], at)
}

/** How a turn ended. */
export interface Outcome {
  readonly draft: Draft.Draft
  readonly progress: Progress
  readonly text: string
  readonly result: ActionResult | null
  /** The task that the turn was for, and how far it came. */
  readonly describing?: Describing.Describing
  /** `idle` for an interrupted turn, `errored` for a turn without a page. */
  readonly rest: Conversation["rest"]
  /** Whether the page is still open. */
  readonly page: boolean
}

/** Ends a turn with its outcome. Fails if the turn is already over, for instance because the conversation has ended. */
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
  const { draft, page, progress, rest, result, text } = outcome
  const reply: NewMessage = {
    id: messageId,
    role: "agent",
    kind: result === null ? "text" : "action_result",
    text,
    ...(result === null ? {} : { result })
  }
  const task = outcome.describing ?? (one.describing === undefined ? undefined : Describing.ended(one.describing))
  const settled = {
    ...one,
    draft,
    page,
    progress,
    rest,
    turn: null,
    ...(task === undefined ? {} : { describing: task })
  }
  return Result.succeed(say(settled, [reply], at))
}

/** Releases the lease and marks the page as closed. A turn in progress is dropped. */
export const released = (one: Conversation, noticeId: string, at: number): Result.Result<Change> => {
  const freed = { ...one, lease: null, page: false }
  if (one.turn?.taken !== true || one.endedAt !== null) return Result.succeed({ conversation: freed, messages: [] })
  const text =
    "The worker that had the page open was shut down before it was done. Whether it took effect is not known; the draft is unchanged"
  const notice: NewMessage = { id: noticeId, role: "agent", kind: "text", text }
  return Result.succeed(say({ ...freed, turn: null, rest: "errored" }, [notice], at))
}
