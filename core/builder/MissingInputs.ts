/**
 * Answers to questions for missing inputs.
 */
import { Result, Schema } from "effect"
import type * as InputContract from "../workflow/contract/InputContract.ts"
import * as Json from "../workspace/Json.ts"
import * as Conversation from "./Conversation.ts"
import type { ConversationMessage } from "./ConversationMessage.ts"
import * as ConversationStart from "./ConversationStart.ts"

/** The value of the one input that a question asks for, or values by their names. */
export interface Answer {
  readonly messageId: string
  readonly given: { readonly value: Schema.Json } | { readonly responses: Schema.JsonObject }
}

/** Raised by an answer to an unknown message, or to one that is not a question. */
export class QuestionNotFound extends Schema.TaggedError<QuestionNotFound>()("QuestionNotFound", {
  messageId: Schema.String
}) {
  override get message() {
    return `Cannot answer message "${this.messageId}": no message of this conversation with this id is a question`
  }
}

/** Raised by an answer to a question that is already closed. */
export class AlreadyAnswered extends Schema.TaggedError<AlreadyAnswered>()("AlreadyAnswered", {
  messageId: Schema.String
}) {
  override get message() {
    return `Cannot answer message "${this.messageId}": it is already answered, or no longer needs an answer`
  }
}

/** Raised by an answer that leaves inputs missing. */
export class AnswerIncomplete extends Schema.TaggedError<AnswerIncomplete>()("AnswerIncomplete", {
  missing: Schema.Array(Schema.String)
}) {
  override get message() {
    return `The answer leaves inputs missing: expected responses with ${this.missing.join(", ")}`
  }
}

/** A requested input, as forms show it. */
export interface AskedInput {
  readonly name: string
  /** `auth` for a credential, otherwise the type in the schema, `string` by default. */
  readonly type: string
  readonly description: string
  readonly default?: Schema.Json
  readonly options?: ReadonlyArray<Schema.Json>
}

/** The inputs that a question asks for. */
export const askedInputs = (
  { content }: Conversation.Conversation["draft"],
  question: NonNullable<ConversationMessage["question"]>
): ReadonlyArray<AskedInput> => {
  const properties = Json.objectOf(question.schema.properties)
  return question.missing.map((name) => {
    const { default: preset, description, enum: options, type } = Json.objectOf(properties[name])
    const credential = Json.objectOf(content.vault_schema[name])
    const isCredential = Object.hasOwn(content.vault_schema, name)
    const said = typeof description === "string" ? description : null
    return {
      name,
      type: isCredential ? "auth" : typeof type === "string" ? type : "string",
      description: said ?? (isCredential ? `The user to sign in with at ${credential.domain}` : `The input ${name}`),
      ...(preset === undefined ? {} : { default: preset }),
      ...(Array.isArray(options) ? { options } : {})
    }
  })
}

export type AnswerRefusal = QuestionNotFound | AlreadyAnswered | AnswerIncomplete | InputContract.InvalidInput

/** The inputs of a conversation with the values of an answer. */
export const inputsWith = (
  one: Conversation.Conversation,
  question: NonNullable<ConversationMessage["question"]>,
  { given }: Answer
): Schema.JsonObject => {
  const { missing } = question
  const [only] = missing
  const values =
    "responses" in given
      ? given.responses
      : missing.length === 1 && only !== undefined
        ? { [only]: given.value }
        : Json.objectOf(given.value)
  const { vault_schema } = one.draft.content
  const plain = Object.entries(values).map(([name, value]) => {
    return [name, Object.hasOwn(vault_schema, name) ? userOf(value, Json.objectOf(vault_schema[name]).domain) : value]
  })
  return { ...one.inputs, ...Object.fromEntries(plain) }
}

/** The user in the answer for a credential. Clients may also send it with the domain of the credential. */
const userOf = (value: Schema.Json, domain: Schema.Json | undefined): Schema.Json => {
  if (!Json.isObject(value) || typeof value.permissioned_user_id !== "string") return value
  return value.domain === undefined || value.domain === domain ? value.permissioned_user_id : value
}

/**
 * Takes an answer. The values become inputs of the conversation, and the page is opened. `errors` are the errors of the
 * inputs against the contract of the draft; neither changes while the question is open.
 *
 * Messages do not repeat answers, because inputs may be secret.
 */
export const answered = (
  one: Conversation.Conversation,
  asked: ConversationMessage | null,
  answer: Answer,
  errors: ReadonlyArray<InputContract.InputError>,
  ids: Readonly<Record<"user" | "turn" | "notice", string>>,
  at: number
): Result.Result<Conversation.Change, Conversation.ConversationNotFound | AnswerRefusal> => {
  const { messageId } = answer
  if (Conversation.statusAt(one, at) === "ended") {
    return Result.fail(new Conversation.ConversationNotFound({ conversationId: one.id, ended: true }))
  }
  if (asked?.question === undefined) return Result.fail(new QuestionNotFound({ messageId }))
  if (one.question !== messageId) return Result.fail(new AlreadyAnswered({ messageId }))
  const { missing, schema } = asked.question
  const inputs = inputsWith(one, asked.question, answer)
  const still = ConversationStart.missingOf(one.draft, inputs)
  if (still.length > 0) return Result.fail(new AnswerIncomplete({ missing: still }))
  if (errors.length > 0) return Result.fail(ConversationStart.invalidInput(one.draft.content, errors))
  const reply: Conversation.NewMessage = {
    id: ids.user,
    role: "user",
    kind: "text",
    text: `Answered: ${missing.join(", ")}`
  }
  const { conversation, messages } = Conversation.say({ ...one, inputs }, [reply], at)
  return Result.succeed({
    conversation: Conversation.begin(conversation, { id: ids.turn, command: { _tag: "Open", until: one.until } }, at),
    messages: [{ ...asked, question: { ...asked.question, missing, schema, state: "answered" } }, ...messages]
  })
}
