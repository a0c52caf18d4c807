/**
 * The service for the builder conversations of a workspace.
 *
 * Commands that need no page are carried out immediately: help, edit, undo, redo, drop and save. Any other message becomes a turn,
 * which a host carries out later.
 */
import { Clock, Context, type Duration, Effect, Layer, Option, Result, Stream } from "effect"
import { Signals } from "../runtime/Signals.ts"
import type { StoreUnavailable } from "../runtime/StoreUnavailable.ts"
import type { FieldsTooLarge } from "../workflow/FieldLimit.ts"
import type { InvalidWorkflow } from "../workflow/Workflow.ts"
import type { StoredWorkflow } from "../workflow/WorkflowStore.ts"
import { type SaveConflict, Workflows } from "../workflow/Workflows.ts"
import { Identifiers } from "../workspace/Identifiers.ts"
import type { WorkflowNotFound } from "../workspace/Ids.ts"
import * as Permissions from "../workspace/Permissions.ts"
import type { Caller, RoleForbids } from "../workspace/Workspace.ts"
import { BuilderStore, type TooManyConversations, type View, type ViewKind } from "./BuilderStore.ts"
import * as Conversation from "./Conversation.ts"
import type { ConversationMessage } from "./ConversationMessage.ts"
import * as ConversationStart from "./ConversationStart.ts"
import * as Draft from "./Draft.ts"
import * as MessageRouting from "./MessageRouting.ts"
import * as MissingInputs from "./MissingInputs.ts"

/** Maximum number of conversations of a workspace that have not ended. */
export const maxOpen = 20

/** Maximum wait for a view of the page, in milliseconds. */
const lookMillis = 15_000

/**
 * Maximum sleep in case a signal is lost: of a caller that waits for a view, and of one that follows a conversation.
 */
const lookAgain = "1 second"
const followAgain = "5 seconds"

type Id = Conversation.ConversationId
type NotFound = Conversation.ConversationNotFound

/** The state of a conversation at an instant. */
export interface Reading {
  readonly conversation: Conversation.Conversation
  readonly status: Conversation.Status
  /** Whether its turn waits for a place at a host. */
  readonly waits: boolean
}

/** The state of a conversation, with the last report of the agent and its open question. */
export interface TurnReading extends Reading {
  /** The last message, where the agent wrote it. */
  readonly report: ConversationMessage | null
  /** The open question. */
  readonly asked: ConversationMessage | null
}

export class Builder extends Context.Service<
  Builder,
  {
    /** Opens a conversation. It begins by opening the page, or with a question for missing inputs. */
    readonly open: (
      caller: Caller,
      opening: ConversationStart.Opening
    ) => Effect.Effect<Reading, TooManyConversations | ConversationStart.CannotOpen | RoleForbids | StoreUnavailable>

    readonly get: (caller: Caller, id: Id) => Effect.Effect<Reading, NotFound | StoreUnavailable>

    /** The conversation with the result of its last turn. */
    readonly turn: (caller: Caller, id: Id) => Effect.Effect<TurnReading, NotFound | StoreUnavailable>

    /** The conversations that have not ended, newest first. */
    readonly list: (caller: Caller) => Effect.Effect<ReadonlyArray<Reading>, StoreUnavailable>

    /** The messages with numbers from `from` to `to`, both included, in order. */
    readonly messages: (
      caller: Caller,
      id: Id,
      from: number,
      to: number
    ) => Effect.Effect<ReadonlyArray<ConversationMessage>, NotFound | StoreUnavailable>

    /** Takes a message, and returns its id. */
    readonly say: (
      caller: Caller,
      id: Id,
      text: string
    ) => Effect.Effect<
      Reading & { readonly messageId: string },
      NotFound | Conversation.SessionBusy | RoleForbids | StoreUnavailable
    >

    /** Answers a question. The page is opened when every input is given. */
    readonly respond: (
      caller: Caller,
      id: Id,
      answer: MissingInputs.Answer
    ) => Effect.Effect<Reading, NotFound | MissingInputs.AnswerRefusal | RoleForbids | StoreUnavailable>

    /** Saves the draft as a new workflow, or as the next version of the workflow that the conversation changes. */
    readonly save: (
      caller: Caller,
      id: Id,
      options: { readonly note: string; readonly force: boolean }
    ) => Effect.Effect<
      StoredWorkflow,
      NotFound | InvalidWorkflow | FieldsTooLarge | WorkflowNotFound | SaveConflict | RoleForbids | StoreUnavailable
    >

    /** Stops the turn in progress, if there is one. */
    readonly interrupt: (caller: Caller, id: Id) => Effect.Effect<Reading, NotFound | RoleForbids | StoreUnavailable>

    /** Ends a conversation and closes its browser. Does nothing for an ended one. */
    readonly end: (caller: Caller, id: Id) => Effect.Effect<Reading, NotFound | RoleForbids | StoreUnavailable>

    /** The current view of the page; none if no page is open. */
    readonly look: (
      caller: Caller,
      id: Id,
      kind: ViewKind
    ) => Effect.Effect<Option.Option<View>, NotFound | StoreUnavailable>

    /** Every change of the status and every step of a walk, and every message after the one with number `after`, until the conversation ends. */
    readonly follow: (
      caller: Caller,
      id: Id,
      after: number
    ) => Effect.Effect<Stream.Stream<ConversationMessage | Reading>, NotFound | StoreUnavailable>
  }
>()("sluice/core/builder/Builder") {
  static readonly layer = Layer.effect(
    Builder,
    Effect.gen(function* () {
      const store = yield* BuilderStore
      const workflows = yield* Workflows
      const identifiers = yield* Identifiers
      const signals = yield* Signals

      const read = (conversation: Conversation.Conversation) =>
        Effect.map(
          Clock.currentTimeMillis,
          (at): Reading => ({
            conversation,
            status: Conversation.statusAt(conversation, at),
            waits: Conversation.needsHost(conversation, at)
          })
        )

      const published = Effect.fnUntraced(function* (conversation: Conversation.Conversation) {
        yield* signals.publish({ _tag: "builder", conversationId: conversation.id })
        return yield* read(conversation)
      })

      const find = (caller: Caller, id: Id) => store.get(caller.workspaceId, id)

      const open = Effect.fn("Builder.open")(function* (caller: Caller, opening: ConversationStart.Opening) {
        const ids = yield* Effect.provideService(ConversationStart.ids, Identifiers, identifiers)
        const change = yield* ConversationStart.begin(caller, opening, ids, yield* Clock.currentTimeMillis)
        yield* store.open(change, maxOpen)
        return yield* published(change.conversation)
      })

      const say = Effect.fn("Builder.say")(function* (caller: Caller, id: Id, text: string) {
        const ids = yield* Effect.provideService(MessageRouting.ids, Identifiers, identifiers)
        const attempt = Effect.gen(function* () {
          const tried = yield* MessageRouting.tried(yield* find(caller, id), text, ids)
          return yield* store.change(caller.workspaceId, id, (before, at) =>
            MessageRouting.said(before, text, tried, ids, at)
          )
        })
        const after = yield* attempt.pipe(
          Effect.retry({ while: (error) => error._tag === "DraftChanged", times: 10 }),
          Effect.catchTag("DraftChanged", Effect.die)
        )
        const note = MessageRouting.saves(text)
        // A refused save is reported in the conversation, like every other reply.
        if (note !== null && after.question === null) {
          const saved = yield* Effect.result(save(caller, id, { note: note.note ?? defaultNote, force: false }))
          if (Result.isFailure(saved)) {
            const notice = yield* identifiers.uuid
            yield* store.change(caller.workspaceId, id, (before, at) =>
              Result.succeed(MessageRouting.replied(before, notice, `Not saved: ${saved.failure.message}`, at))
            )
          }
        }
        return { ...(yield* published(yield* find(caller, id))), messageId: ids.user }
      })

      const respond = Effect.fn("Builder.respond")(function* (caller: Caller, id: Id, answer: MissingInputs.Answer) {
        const one = yield* find(caller, id)
        const asked = Option.getOrNull(yield* store.message(id, answer.messageId))
        const errors =
          asked?.question === undefined || one.question !== answer.messageId
            ? []
            : yield* ConversationStart.inputErrors(
                caller,
                one.draft.content,
                MissingInputs.inputsWith(one, asked.question, answer)
              )
        const ids = { user: yield* identifiers.uuid, turn: yield* identifiers.uuid, notice: yield* identifiers.uuid }
        const after = yield* store.change(caller.workspaceId, id, (before, at) =>
          MissingInputs.answered(before, asked, answer, errors, ids, at)
        )
        return yield* published(after)
      })

      const save = Effect.fn("Builder.save")(function* (
        caller: Caller,
        id: Id,
        options: { readonly note: string; readonly force: boolean }
      ) {
        const { draft, origin } = yield* find(caller, id)
        const body = { ...Draft.body(draft), version_note: options.note }
        const stored =
          origin === null
            ? yield* workflows.create(caller, body)
            : yield* workflows.save(caller, origin.workflowId, {
                ...body,
                ...(options.force ? {} : { base_version_id: origin.versionId })
              })
        const notice = yield* identifiers.uuid
        const after = yield* store.change(caller.workspaceId, id, (before, at) =>
          Result.succeed(MessageRouting.saved(before, stored, notice, at))
        )
        yield* published(after)
        return stored
      })

      const interrupt = Effect.fn("Builder.interrupt")(function* (caller: Caller, id: Id) {
        const { question } = yield* find(caller, id)
        const asked = question === null ? null : Option.getOrNull(yield* store.message(id, question))
        const notice = yield* identifiers.uuid
        const after = yield* store.change(caller.workspaceId, id, (before, at) =>
          Conversation.interrupt(before, asked, notice, at)
        )
        return yield* published(after)
      })

      const end = Effect.fn("Builder.end")(function* (caller: Caller, id: Id) {
        const after = yield* store.change(caller.workspaceId, id, (before, at) =>
          Result.succeed(Conversation.end(before, at))
        )
        yield* store.forget(id)
        return yield* published(after)
      })

      /** The signals of one conversation, and a slow poll. */
      const changes = Effect.fnUntraced(function* (id: Id, again: Duration.Input) {
        const own = Stream.filter(
          yield* signals.subscribe,
          (signal) => signal._tag === "builder" && signal.conversationId === id
        )
        return Stream.merge(
          Stream.map(own, () => undefined),
          Stream.tick(again)
        )
      })

      const look = Effect.fn("Builder.look")(function* (caller: Caller, id: Id, kind: ViewKind) {
        const hasPage = Effect.gen(function* () {
          return Conversation.hasPage(yield* find(caller, id), yield* Clock.currentTimeMillis)
        })
        if (!(yield* hasPage)) return Option.none()
        const wakes = yield* changes(id, lookAgain)
        const number = yield* store.want(id, kind)
        yield* signals.publish({ _tag: "builder", conversationId: id })
        const shown = wakes.pipe(
          Stream.mapEffect(() =>
            Effect.gen(function* () {
              const seen = yield* store.seen(id, kind, number)
              return Option.isSome(seen) ? seen : (yield* hasPage) ? Option.none() : Option.some(null)
            })
          ),
          Stream.filter(Option.isSome),
          Stream.runHead
        )
        const seen = yield* Effect.timeoutOption(shown, lookMillis)
        return Option.flatMap(Option.flatten(Option.flatten(seen)), Option.fromNullOr)
      }, Effect.scoped)

      const follow = Effect.fn("Builder.follow")(function* (caller: Caller, id: Id, after: number) {
        yield* find(caller, id)
        let last = after
        let status: Conversation.Status | null = null
        let progress: Conversation.Conversation["progress"]
        const news = Effect.gen(function* () {
          const reading = yield* Effect.flatMap(find(caller, id), read)
          const said = yield* store.messages(id, last + 1, reading.conversation.messages)
          last = Math.max(last, reading.conversation.messages)
          const walked = reading.conversation.progress
          const isOnward = reading.status === "processing" && !isSame(walked, progress)
          const changed = reading.status !== status || isOnward
          status = reading.status
          progress = walked
          const items: ReadonlyArray<ConversationMessage | Reading> = [...said, ...(changed ? [reading] : [])]
          return items
        }).pipe(Effect.orElseSucceed((): ReadonlyArray<ConversationMessage | Reading> => []))
        return Stream.unwrap(
          Effect.map(changes(id, followAgain), (wakes) =>
            Stream.concat(Stream.make(undefined), wakes).pipe(
              Stream.mapEffect(() => news),
              Stream.flattenIterable,
              Stream.takeUntil((one) => "status" in one && one.status === "ended")
            )
          )
        )
      })

      const turn = Effect.fn("Builder.turn")(function* (caller: Caller, id: Id) {
        const reading = yield* Effect.flatMap(find(caller, id), read)
        const { messages, question } = reading.conversation
        const [last] = yield* store.messages(id, messages, messages)
        const asked = question === null ? null : Option.getOrNull(yield* store.message(id, question))
        return { ...reading, report: last?.role === "agent" ? last : null, asked }
      })

      return Builder.of({
        open,
        turn,
        get: Effect.fn("Builder.get")((caller, id) => Effect.flatMap(find(caller, id), read)),
        list: Effect.fn("Builder.list")(function* (caller) {
          const all = yield* Effect.forEach(yield* store.list(caller.workspaceId), read)
          return all.filter(({ status }) => status !== "ended")
        }),
        messages: Effect.fn("Builder.messages")((caller, id, from, to) =>
          Effect.andThen(find(caller, id), store.messages(id, from, to))
        ),
        say,
        respond,
        save,
        interrupt,
        end,
        look,
        follow
      })
    }).pipe(
      Permissions.checked<Builder["Service"]>({
        open: "edit",
        get: "read",
        turn: "read",
        list: "read",
        messages: "read",
        say: "edit",
        respond: "edit",
        save: "edit",
        interrupt: "edit",
        end: "edit",
        look: "read",
        follow: "read"
      })
    )
  )
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** The note of a version that is saved without one. */
export const defaultNote = "Saved from API"
