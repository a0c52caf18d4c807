/** The effect of a message: an immediate reply, or a turn for a host. */
import { Effect, Result, type Schema } from "effect"
import * as Sandbox from "../workflow/sandbox/Sandbox.ts"
import type { InvalidWorkflow, Problem } from "../workflow/Workflow.ts"
import type { StoredWorkflow } from "../workflow/WorkflowStore.ts"
import { tooCostly } from "../workflow/Workflows.ts"
import { Identifiers } from "../workspace/Identifiers.ts"
import * as Json from "../workspace/Json.ts"
import * as Command from "./Command.ts"
import * as Conversation from "./Conversation.ts"
import * as Draft from "./Draft.ts"
import type * as FurtherPages from "./FurtherPages.ts"
import * as Progress from "./Progress.ts"

/** The identifiers that a message may need. */
export const ids = Effect.gen(function* () {
  const { uuid } = yield* Identifiers
  const pages = { check: yield* uuid, click: yield* uuid, count: yield* uuid }
  const rows = { note: yield* uuid, look: yield* uuid, compare: yield* uuid, forget: yield* uuid }
  return { user: yield* uuid, reply: yield* uuid, turn: yield* uuid, notice: yield* uuid, ...pages, ...rows }
})

type Ids = Readonly<Record<"user" | "reply" | "turn" | "notice", string>> & FurtherPages.Ids

/** The change of the draft by a message. */
export interface DraftEdit {
  /**
   * The number of the last message when the change was computed. It detects concurrent changes, because every change of
   * the draft adds a message.
   */
  readonly messages: number
  readonly result: Result.Result<Edited, ReadonlyArray<Problem>>
}

interface Edited {
  readonly draft: Draft.Draft
  /** The description of the change, as one sentence. */
  readonly what: string
  /** The inputs of the conversation after the change. */
  readonly inputs?: Schema.JsonObject
}

/** Raised when the draft was changed while the effect of a message was computed. */
export class DraftChanged {
  readonly _tag = "DraftChanged"
}

const edited = (
  draft: Draft.Draft,
  command: Command.Command,
  ids: Ids
): Effect.Effect<Edited, InvalidWorkflow | Sandbox.TooCostly> | null => {
  switch (command._tag) {
    case "Drop":
      return Draft.drop(draft)
    case "Edit":
      return Draft.patched(draft, command.patch)
    case "Continue":
    case "Replay":
      return command.until === undefined ? null : Draft.having(draft, command.until)
    case "Join":
      return Draft.joined(draft)
    case "Pages":
      return Draft.paged(draft, command.paging, ids)
    case "Expect":
      return Draft.expecting(draft, command.step, command.expect)
    case "Input":
      return Draft.withInput(draft, command.name, command.value)
    case "Credential":
      return Draft.withCredential(draft, command.alias, command.site, command.user)
    case "Do":
    case "Preview":
      // The host chooses the ids.
      return Effect.map(Draft.insert(draft, command.candidate, { node: ids.reply, end: ids.notice }), (inserted) => ({
        draft: inserted.draft,
        what: ""
      }))
    default:
      return null
  }
}

/** Computes the change of the draft by a message, before the conversation is locked; `null` if it changes no draft. */
export const tried = Effect.fnUntraced(
  function* (one: Conversation.Conversation, text: string, ids: Ids) {
    const { messages } = one
    const parsed = Command.parse(text)
    const command = Result.isSuccess(parsed) ? parsed.success : null
    const changed = command === null ? null : edited(one.draft, command, ids)
    if (changed === null) return null
    const result = yield* changed.pipe(Effect.catchTag("TooCostly", tooCostly), Effect.result)
    return { messages, result: Result.mapError(result, ({ problems }) => problems) } satisfies DraftEdit
  },
  (tried, one) => Effect.provideService(tried, Sandbox.Owner, one.workspaceId)
)

/**
 * Takes a message. If the message cannot be parsed, or cannot become a step of the draft, the reply says what is
 * accepted.
 */
export const said = (
  before: Conversation.Conversation,
  text: string,
  tried: DraftEdit | null,
  ids: Ids,
  at: number
): Result.Result<Conversation.Change, Conversation.ConversationNotFound | Conversation.SessionBusy | DraftChanged> =>
  Result.flatMap(Conversation.free(before, ids.notice, at), (freed) => {
    if (tried !== null && tried.messages !== before.messages) return Result.fail(new DraftChanged())
    const kept = { id: ids.user, role: "user", kind: "text", text: withoutAnswer(text) } as const
    const spoken = Conversation.say(freed.conversation, [kept], at)
    const answered = respond(spoken.conversation, text, tried?.result ?? null, ids, at)
    return Result.succeed({
      conversation: answered.conversation,
      messages: [...freed.messages, ...spoken.messages, ...answered.messages]
    })
  })

/** A message as it is kept: an answer may be a secret. */
const withoutAnswer = (text: string): string => {
  const command = Command.parse(text)
  return Result.isSuccess(command) && command.success._tag === "Answer" ? `answer ${command.success.name} = …` : text
}

/** The note of a message that asks for a save; `null` for any other message. */
export const saves = (text: string): { readonly note: string | null } | null => {
  const command = Command.parse(text)
  return Result.isSuccess(command) && command.success._tag === "Save" ? { note: command.success.note } : null
}

/** Adds a reply of the agent and changes nothing else. */
export const replied = (one: Conversation.Conversation, id: string, text: string, at: number): Conversation.Change =>
  Conversation.say({ ...one, rest: "completed" }, [{ id, role: "agent", kind: "text", text }], at)

/** Records that the draft was saved. Further saves make the next versions of that workflow. */
export const saved = (
  one: Conversation.Conversation,
  { version, workflow }: StoredWorkflow,
  noticeId: string,
  at: number
): Conversation.Change => {
  const origin = { workflowId: workflow.id, versionId: version.versionId, versionNumber: version.versionNumber }
  const text = `Saved as version ${version.versionNumber} of the workflow "${workflow.name}" (${workflow.id})`
  return replied({ ...one, origin, draft: { ...one.draft, unsaved: false } }, noticeId, text, at)
}

const respond = (
  one: Conversation.Conversation,
  text: string,
  tried: DraftEdit["result"] | null,
  ids: Ids,
  at: number
): Conversation.Change => {
  const reply = (after: Conversation.Conversation, answer: string) => replied(after, ids.reply, answer, at)
  const parsed = Command.parse(text)
  if (Result.isFailure(parsed)) return reply(one, parsed.failure)
  const command = parsed.success
  if (command._tag === "Help") return reply(one, Command.help)
  if (one.question !== null) return reply(one, "A question is open: answer it first, or interrupt the conversation")
  switch (command._tag) {
    case "Save":
      return { conversation: one, messages: [] }
    case "Undo": {
      const undone = Draft.undo(one.draft)
      if (undone === null) return reply(one, "There is nothing to undo")
      return reply(withDraft(one, undone.draft), `Undone: ${undone.what}. The page is unchanged`)
    }
    case "Redo": {
      const redone = Draft.redo(one.draft)
      if (redone === null) return reply(one, "There is nothing to make again")
      return reply(withDraft(one, redone), "The change was made again. The page is unchanged")
    }
    case "Answer": {
      const { name, value } = command
      const { input_schema, vault_schema } = one.draft.content
      if (Object.hasOwn(Json.objectOf(input_schema.properties), name) || Object.hasOwn(vault_schema, name)) {
        return reply(one, `There is an input "${name}" already, whose value is the answer: expected another name`)
      }
      const inputs = { ...one.inputs, [name]: value }
      return reply({ ...one, inputs }, `Steps that ask a person for "${name}" get this answer from now on`)
    }
    case "Pages":
    case "Join":
    case "Expect":
    case "Input":
    case "Credential":
    case "Drop":
    case "Edit":
      if (tried === null) return { conversation: one, messages: [] }
      if (Result.isFailure(tried)) return reply(one, sentence("The draft is unchanged", tried.failure))
      return reply(
        { ...withDraft(one, tried.success.draft), inputs: { ...one.inputs, ...tried.success.inputs } },
        tried.success.what
      )
    case "Do":
    case "Preview":
    // A step that cannot be saved is not carried out.
    case "Continue":
    case "Replay":
      if (tried !== null && Result.isFailure(tried)) return reply(one, sentence("This cannot be done", tried.failure))
      return turn(one, command, ids, at)
    case "Agree":
    case "Decline":
      if (one.describing?.state !== "waits") return reply(one, "Nothing waits for a yes or a no")
      return turn(one, command, ids, at)
    default:
      return turn(one, command, ids, at)
  }
}

/** The conversation with a draft that was changed without its page. */
const withDraft = (one: Conversation.Conversation, draft: Draft.Draft): Conversation.Conversation =>
  one.progress === undefined
    ? { ...one, draft }
    : { ...one, draft, progress: Progress.changed(one.progress, one.draft, draft) }

const turn = (one: Conversation.Conversation, command: Command.PageCommand, ids: Ids, at: number) => ({
  conversation: Conversation.begin(one, { id: ids.turn, command }, at),
  messages: []
})

const sentence = (what: string, problems: ReadonlyArray<Problem>): string =>
  `${what}: ${problems.map(({ message, path }) => (path === "" ? message : `${path}: ${message}`)).join("; ")}`
