/** The messages of a conversation, by the user and by the agent. */
import { Schema } from "effect"

/** The result of an action. The text of the message describes it. */
export const ActionResult = Schema.Struct({
  /** Whether the action succeeded, and so is part of the draft. */
  done: Schema.Boolean,
  action: Schema.String,
  /** The step of the draft; `null` for what was only read, by `preview`. */
  nodeId: Schema.NullOr(Schema.String),
  nodeName: Schema.NullOr(Schema.String),
  /** The address of the page after the action. */
  url: Schema.NullOr(Schema.String),
  /** The extracted data. */
  data: Schema.optionalKey(Schema.JsonObject),
  /** What the step was unsure of, each in a sentence: a run of a strict workflow would fail by the first. */
  warnings: Schema.optionalKey(Schema.Array(Schema.String)),
  /** What the step expects from now on, as it led there or read that: the `expect` of its node. */
  keptExpect: Schema.optionalKey(Schema.JsonObject),
  /** What the step may be told to expect: the `expect` of a node. */
  proposedExpect: Schema.optionalKey(Schema.JsonObject),
  /** The code of the failure, as runs report it. */
  errorCode: Schema.optionalKey(Schema.String)
})
export type ActionResult = typeof ActionResult.Type

/** A question: the names of the missing inputs, and the JSON schema of an answer. */
export const Question = Schema.Struct({
  missing: Schema.Array(Schema.String),
  schema: Schema.JsonObject,
  state: Schema.Literals(["open", "answered", "dismissed"])
})
export type Question = typeof Question.Type

/** `number` counts the messages of a conversation from 1. Instants are epoch milliseconds. */
export const ConversationMessage = Schema.Struct({
  id: Schema.String,
  number: Schema.Int,
  role: Schema.Literals(["user", "agent"]),
  kind: Schema.Literals(["text", "question", "action_result"]),
  text: Schema.String,
  createdAt: Schema.Finite,
  result: Schema.optionalKey(ActionResult),
  question: Schema.optionalKey(Question)
})
export type ConversationMessage = typeof ConversationMessage.Type
