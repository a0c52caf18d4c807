/**
 * A question of a run in progress to a person, and the one answer that it waits for.
 *
 * ```
 *            ask            answer, correct            take
 *   (none) -------> open -------------------> answered ------> closed
 *                    '------------- close ----------------------^
 * ```
 *
 * A run has one question at a time; a new question replaces the former one. An answer is stored, sealed, only until the
 * run has taken it, because it may be a one-time code. Instants are epoch milliseconds.
 */
import { Result, Schema } from "effect"
import { InputReason, OpenPopup } from "../../event/RunEvent.ts"
import { inOneSentence } from "../../window/Problems.ts"
import { Problem } from "../../workflow/Workflow.ts"
import type { RunId, WorkflowId, WorkspaceId } from "../../workspace/Ids.ts"
import * as Run from "../Run.ts"
import { Told } from "./ApprovedAct.ts"

/** The subject of a question: data that the workflow expects, or an obstacle to continuing. */
export const Subject = Schema.Union([
  Schema.Struct({ _tag: Schema.Literal("interaction") }),
  Schema.Struct({
    _tag: Schema.Literal("input_required"),
    reason: InputReason,
    /** The inputs as the run has them. */
    inputs: Schema.JsonObject,
    /** Whether an option of a list may be named instead. */
    choosing: Schema.Boolean,
    /** The picture of the page at that moment. */
    screenshotId: Schema.NullOr(Schema.String),
    /** The pop-up to decide about, if a pop-up blocks the run. */
    popup: Schema.optionalKey(OpenPopup)
  }),
  Schema.Struct({
    _tag: Schema.Literal("approval"),
    /** The role that may decide. */
    by: Schema.Literals(["Member", "Owner"]),
    /** The digest of the act. A decision names it. */
    digest: Schema.String,
    told: Told,
    /** What has changed since it was asked before; `null` where it is asked for the first time. */
    change: Schema.NullOr(Schema.String),
    /** The picture of the page, and the element in it, as parts of its width and height. */
    screenshotId: Schema.NullOr(Schema.String),
    box: Schema.NullOr(
      Schema.Struct({ x: Schema.Finite, y: Schema.Finite, width: Schema.Finite, height: Schema.Finite })
    )
  })
])
export type Subject = typeof Subject.Type

/** The question. */
export const Question = Schema.Struct({
  subject: Subject,
  /** The step that asks. */
  node: Schema.Struct({ id: Schema.String, name: Schema.String }),
  /** For the person who answers. */
  message: Schema.String,
  /** The schema of the data of the answer: of an `input_required`, all inputs together with the corrected ones. */
  schema: Schema.JsonObject
})
export type Question = typeof Question.Type

/** The answer, checked. `inputs` are all inputs, with the corrected ones in their places. */
export const Answer = Schema.Union([
  Schema.Struct({ _tag: Schema.Literal("data"), data: Schema.JsonObject }),
  Schema.Struct({ _tag: Schema.Literal("inputs"), inputs: Schema.JsonObject }),
  Schema.Struct({ _tag: Schema.Literal("option"), option: Schema.String, save: Schema.Boolean }),
  Schema.Struct({ _tag: Schema.Literal("action"), action: Schema.String, save: Schema.optionalKey(Schema.Boolean) }),
  Schema.Struct({
    _tag: Schema.Literal("decision"),
    approved: Schema.Boolean,
    reason: Schema.NullOr(Schema.String),
    userId: Schema.String
  })
])
export type Answer = typeof Answer.Type

/** The attempt of a run that asks. */
export interface Asker {
  readonly workspaceId: WorkspaceId
  readonly workflowId: WorkflowId
  readonly runId: RunId
  /** The fence of its lease: a question ends with the attempt that asked it. */
  readonly fence: number
}

/** A question with its state, without its answer. */
export interface AskedQuestion extends Question, Asker {
  /** A UUID, different for each question. */
  readonly id: string
  readonly askedAt: number
  /** From this instant on no answer is accepted. */
  readonly expiresAt: number
  readonly answeredAt: number | null
  /** When the answer was taken, or the question was closed without one. */
  readonly closedAt: number | null
}

/** A stored question. */
export interface Interaction extends AskedQuestion {
  /** Present from the answer until it is taken: an `Answer`, sealed with the key of the workspace. */
  readonly answer: string | null
}

/** A question that was just answered. */
export interface AnsweredQuestion extends AskedQuestion {
  readonly answer: Answer
}

/** The replacements for inputs that a run could not use. */
export type Correction =
  | { readonly _tag: "inputs"; readonly inputs: Schema.JsonObject }
  | { readonly _tag: "option"; readonly option: string; readonly save: boolean }
  | { readonly _tag: "action"; readonly action: string; readonly save?: boolean }

/** What a person decides about an act that waits for an approval. */
export interface Decision {
  /** The digest of the act that the person saw. */
  readonly digest: string
  readonly approved: boolean
  readonly reason: string | null
}

/** Raised when a run does not wait for the given kind of answer. `reason` says why. */
export class NotWaiting extends Schema.TaggedError<NotWaiting>()("NotWaiting", {
  sessionId: Schema.String,
  reason: Schema.Literals([
    "NOTHING_ASKED",
    "ANSWERED_ALREADY",
    "WAIT_EXPIRED",
    "RUN_ENDED",
    "INPUTS_ASKED",
    "DATA_ASKED",
    "APPROVAL_ASKED",
    "NO_APPROVAL_ASKED",
    "OTHER_ACT"
  ])
}) {
  override get message() {
    return `Cannot answer run "${this.sessionId}": ${sentences[this.reason]}`
  }
}

const sentences: Readonly<Record<NotWaiting["reason"], string>> = {
  NOTHING_ASKED: "it waits for no answer at this time",
  ANSWERED_ALREADY: "its question has been answered already",
  WAIT_EXPIRED: "the time to answer is over",
  RUN_ENDED: "it has ended",
  INPUTS_ASKED: "it waits for corrected inputs, which go to new_input_variables",
  DATA_ASKED: "it waits for the answer to a question, which goes to user_interaction",
  APPROVAL_ASKED: "it waits for an approval, which goes to approval",
  NO_APPROVAL_ASKED: "it waits for another answer than an approval",
  OTHER_ACT: "it is about to do something else by now: look at it again, and send the digest of that"
}

/**
 * Raised for an answer that does not satisfy the schema of its question. Another answer may be given while the question
 * is open.
 */
export class InvalidAnswer extends Schema.TaggedError<InvalidAnswer>()("InvalidAnswer", {
  problems: Schema.Array(Problem),
  expected: Schema.JsonObject
}) {
  override get message() {
    return `The answer does not satisfy the question: ${inOneSentence(this.problems)}`
  }
}

/** Raised when the key that submitted a run would approve an act of it. */
export class OwnApproval extends Schema.TaggedError<OwnApproval>()("OwnApproval", { sessionId: Schema.String }) {
  override get message() {
    return `Cannot decide about run "${this.sessionId}" with the key that submitted it: another key, or a person who is signed in to the console with another key, decides`
  }
}

/** Asks a question that is open for `lifetimeMillis` from `at`. */
export const ask = (asker: Asker, question: Question, id: string, lifetimeMillis: number, at: number): Interaction => ({
  ...asker,
  ...question,
  id,
  askedAt: at,
  expiresAt: at + lifetimeMillis,
  answeredAt: null,
  closedAt: null,
  answer: null
})

/** Why a run accepts no answer at `at`, given its latest question; `null` when it waits for one. */
export const closedTo = (interaction: AskedQuestion | null, run: Run.Run, at: number): NotWaiting["reason"] | null => {
  if (Run.isEnded(run)) return "RUN_ENDED"
  if (interaction === null || run.lease?.fence !== interaction.fence) return "NOTHING_ASKED"
  if (interaction.answeredAt !== null) return "ANSWERED_ALREADY"
  if (interaction.expiresAt <= at) return "WAIT_EXPIRED"
  return interaction.closedAt === null ? null : "NOTHING_ASKED"
}

/** Lists how a value violates a schema. */
export type Judge = (schema: Schema.JsonObject, value: Schema.Json) => ReadonlyArray<Problem>

/** Accepts the answer to a question for data, if it is still open and the answer satisfies its schema. */
export const answer = (
  interaction: AskedQuestion,
  run: Run.Run,
  data: Schema.JsonObject,
  at: number,
  judge: Judge
): Result.Result<AnsweredQuestion, NotWaiting | InvalidAnswer> => {
  const closed = closedTo(interaction, run, at)
  if (closed !== null) return refuse(run, closed)
  const { subject } = interaction
  if (subject._tag !== "interaction")
    return refuse(run, subject._tag === "approval" ? "APPROVAL_ASKED" : "INPUTS_ASKED")
  const problems = judge(interaction.schema, data)
  return problems.length === 0
    ? Result.succeed(answered(interaction, { _tag: "data", data }, at))
    : Result.fail(new InvalidAnswer({ problems, expected: interaction.schema }))
}

/**
 * Accepts corrections of inputs that the run could not use, if it still waits for them. Corrected inputs replace the
 * old ones, and all inputs together must satisfy the input schema.
 */
export const correct = (
  interaction: AskedQuestion,
  run: Run.Run,
  correction: Correction,
  at: number,
  judge: Judge
): Result.Result<AnsweredQuestion, NotWaiting | InvalidAnswer> => {
  const closed = closedTo(interaction, run, at)
  if (closed !== null) return refuse(run, closed)
  const { schema, subject } = interaction
  if (subject._tag !== "input_required") {
    return refuse(run, subject._tag === "approval" ? "APPROVAL_ASKED" : "DATA_ASKED")
  }
  const invalid = (path: string, message: string) =>
    Result.fail(new InvalidAnswer({ problems: [{ path, message }], expected: schema }))
  const { popup } = subject
  if (popup !== undefined && correction._tag === "inputs") {
    return invalid("input_variables", "The run waits at a pop-up: expected modal_action")
  }
  if (popup !== undefined && correction._tag === "option") {
    const action = actionOf(popup.actions, correction.option)
    const expected = popup.actions.map(({ id, label }) => `${id} (${label})`).join(" or ")
    return action !== null
      ? Result.succeed(answered(interaction, { _tag: "action", action, save: correction.save }, at))
      : invalid("chosen_option", `Expected one action by its id or its label: ${expected}`)
  }
  switch (correction._tag) {
    case "action": {
      if (popup === undefined) {
        return invalid("modal_action", "The run waits at no pop-up: expected input_variables")
      }
      const ids = popup.actions.map(({ id }) => id)
      return ids.includes(correction.action)
        ? Result.succeed(answered(interaction, correction, at))
        : invalid("modal_action", `Expected ${ids.join(" or ")}`)
    }
    case "option":
      if (!subject.choosing) return invalid("chosen_option", "The step chooses no option: expected input_variables")
      return Result.succeed(answered(interaction, correction, at))
    case "inputs": {
      if (Object.keys(correction.inputs).length === 0) {
        return invalid("input_variables", "Expected at least one input")
      }
      const inputs = { ...subject.inputs, ...correction.inputs }
      const problems = judge(schema, inputs).map(({ message, path }) => ({
        path: path === "" ? "input_variables" : `input_variables.${path}`,
        message
      }))
      return problems.length === 0
        ? Result.succeed(answered(interaction, { _tag: "inputs", inputs }, at))
        : Result.fail(new InvalidAnswer({ problems, expected: schema }))
    }
  }
}

/** Accepts the decision about an act, if the run still waits for it and is still about to do what the person saw. */
export const decide = (
  interaction: AskedQuestion,
  run: Run.Run,
  { approved, digest, reason }: Decision,
  userId: string,
  at: number
): Result.Result<AnsweredQuestion, NotWaiting> => {
  const closed = closedTo(interaction, run, at)
  if (closed !== null) return refuse(run, closed)
  if (interaction.subject._tag !== "approval") return refuse(run, "NO_APPROVAL_ASKED")
  if (interaction.subject.digest !== digest) return refuse(run, "OTHER_ACT")
  return Result.succeed(answered(interaction, { _tag: "decision", approved, reason, userId }, at))
}

/** The id of the action that an option names by its id or by a unique label; `null` for none. */
const actionOf = (
  actions: ReadonlyArray<{ readonly id: string; readonly label: string }>,
  option: string
): string | null => {
  const plain = (text: string) => text.replace(/\s+/g, " ").trim().toLowerCase()
  const [named, another] = actions.filter(({ label }) => plain(label) === plain(option))
  if (actions.some(({ id }) => id === option)) return option
  return named !== undefined && another === undefined ? named.id : null
}

/** Closes a question and removes its answer, if any. A closed question is not changed. */
export const close = <I extends AskedQuestion & { readonly answer: unknown }>(
  interaction: I,
  at: number
): Omit<I, "answer"> & { readonly answer: I["answer"] | null } =>
  interaction.closedAt === null ? { ...interaction, answer: null, closedAt: at } : interaction

/** The properties that an answer must have: the required ones of its schema, or all if it names none. */
export const missingProperties = (schema: Schema.JsonObject): ReadonlyArray<string> => {
  const { properties, required } = schema
  if (Array.isArray(required)) return required.filter((name) => typeof name === "string")
  return typeof properties === "object" && properties !== null ? Object.keys(properties) : []
}

const answered = (interaction: AskedQuestion, given: Answer, at: number): AnsweredQuestion => ({
  ...interaction,
  answeredAt: at,
  answer: given
})

const refuse = (run: Run.Run, reason: NotWaiting["reason"]) =>
  Result.fail(new NotWaiting({ sessionId: run.id, reason }))
