/**
 * The effect of a message: an answer at once, or a turn for a host.
 */
import { Effect, Result, type Schema } from "effect"
import * as Sandbox from "../workflow/sandbox/Sandbox.ts"
import type { InvalidWorkflow, Problem } from "../workflow/Workflow.ts"
import type { StoredWorkflow } from "../workflow/WorkflowStore.ts"
import { tooCostly } from "../workflow/Workflows.ts"
import { Identifiers } from "../workspace/Identifiers.ts"
import * as Command from "./Command.ts"
import * as Conversation from "./Conversation.ts"
import * as Draft from "./Draft.ts"

/** The identifiers that a message may need. */
export const ids = Effect.gen(function* () {
  const { uuid } = yield* Identifiers
  const nodes = { check: yield* uuid, click: yield* uuid }
  return { user: yield* uuid, reply: yield* uuid, turn: yield* uuid, notice: yield* uuid, ...nodes }
})

type Ids = Readonly<Record<"user" | "reply" | "turn" | "notice" | "check" | "click", string>>

/** The edit of the draft by a message, where it changes the draft. */
export interface DraftEdit {
  /** The number of the last message of the conversation then: no draft changes without a message that says so. */
  readonly messages: number
  readonly result: Result.Result<Edited, ReadonlyArray<Problem>>
}

interface Edited {
  readonly draft: Draft.Draft
  /** What was changed, in a sentence. */
  readonly what: string
  /** Inputs that the conversation has from then on. */
  readonly inputs?: Schema.JsonObject
}

/** The draft was changed while it was worked out what a message makes of it. */
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
    case "Join":
      return Draft.joined(draft)
    case "Pages":
      return Draft.paged(draft, command.selector, ids)
    case "Input":
      return Draft.withInput(draft, command.name, command.value)
    case "Credential":
      return Draft.withCredential(draft, command.alias, command.site, command.user)
    case "Do":
      // The ids are the host's to choose.
      return Effect.map(Draft.insert(draft, command.candidate, { node: ids.reply, end: ids.notice }), (inserted) => ({
        draft: inserted.draft,
        what: ""
      }))
    default:
      return null
  }
}

/** Works out what a message makes of a draft, before the conversation is changed; `null` where it changes none. */
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
 * Takes a message. A message that cannot be parsed, or cannot become a step of the draft, is answered with an
 * explanation of what would be accepted.
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
    const spoken = Conversation.say(freed.conversation, [{ id: ids.user, role: "user", kind: "text", text }], at)
    const answered = respond(spoken.conversation, text, tried?.result ?? null, ids, at)
    return Result.succeed({
      conversation: answered.conversation,
      messages: [...freed.messages, ...spoken.messages, ...answered.messages]
    })
  })

/** The note of a message that asks for a save; `null` for any other message. */
export const saves = (text: string): { readonly note: string | null } | null => {
  const command = Command.parse(text)
  return Result.isSuccess(command) && command.success._tag === "Save" ? { note: command.success.note } : null
}

/** An answer of the agent that changes nothing else. A message that is answered at once is done. */
export const replied = (one: Conversation.Conversation, id: string, text: string, at: number): Conversation.Change =>
  Conversation.say({ ...one, rest: "completed" }, [{ id, role: "agent", kind: "text", text }], at)

/** The draft was kept: further saves make the next versions of that workflow. */
export const saved = (
  one: Conversation.Conversation,
  { version, workflow }: StoredWorkflow,
  noticeId: string,
  at: number
): Conversation.Change => {
  const origin = { workflowId: workflow.id, versionId: version.versionId, versionNumber: version.versionNumber }
  const text = `Saved as version ${version.versionNumber} of the workflow "${workflow.name}" (${workflow.id})`
  return replied({ ...one, origin }, noticeId, text, at)
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
      if (undone === null) return reply(one, "There is nothing to take back")
      return reply({ ...one, draft: undone.draft }, `Taken back: ${undone.what}. The page stays as it is`)
    }
    case "Pages":
    case "Join":
    case "Input":
    case "Credential":
    case "Drop":
      if (tried === null) return { conversation: one, messages: [] }
      if (Result.isFailure(tried)) return reply(one, sentence("The draft is unchanged", tried.failure))
      return reply(
        { ...one, draft: tried.success.draft, inputs: { ...one.inputs, ...tried.success.inputs } },
        tried.success.what
      )
    case "Do":
      // A step that could never be saved is never done.
      if (tried !== null && Result.isFailure(tried)) return reply(one, sentence("This cannot be done", tried.failure))
      return turn(one, command, ids, at)
    default:
      return turn(one, command, ids, at)
  }
}

const turn = (one: Conversation.Conversation, command: Command.PageCommand, ids: Ids, at: number) => ({
  conversation: Conversation.begin(one, { id: ids.turn, command }, at),
  messages: []
})

const sentence = (what: string, problems: ReadonlyArray<Problem>): string =>
  `${what}: ${problems.map(({ message, path }) => (path === "" ? message : `${path}: ${message}`)).join("; ")}`
