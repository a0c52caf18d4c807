/**
 * Asks the model one thing: keeps secrets out of what is sent, keeps to the budget of the run, judges the answer, asks
 * again when it is unusable, and records every decision.
 */
import { Clock, Effect, Random, Ref, Result, type Schema } from "effect"
import type { Shot } from "../../browser/vision/Shot.ts"
import type { Secrets } from "../../redaction/Secrets.ts"
import { type Decision, maxAnswer, maxPrompt } from "../../run/evidence/Decision.ts"
import * as Measures from "../../runtime/Measures.ts"
import type { Node } from "../../workflow/language/graph/Graph.ts"
import * as Sandbox from "../../workflow/sandbox/Sandbox.ts"
import * as Json from "../../workspace/Json.ts"
import { StepFailed } from "../Failure.ts"
import * as Budget from "./Budget.ts"
import { type Answer, type Form, Model, type ModelFailure, type Question } from "./Model.ts"
import * as ModelUse from "./ModelUse.ts"
import * as Prompts from "./Prompts.ts"

/** The answer of the model, in the requested form: a tool that is there, with parameters that fit it. */
export type ModelAnswer =
  | { readonly _tag: "Called"; readonly tool: string; readonly parameters: Schema.JsonObject }
  | { readonly _tag: "Object"; readonly value: Schema.JsonObject }

/** The result of an answer, and its text for the record. */
export interface Verdict<A> {
  readonly value: A
  readonly did: string
}

export interface Request<A> {
  /** The step that asks, as it is recorded. */
  readonly node: Pick<Node, "id" | "name"> & { readonly action: string }
  readonly secrets: Secrets
  readonly purpose: Decision["purpose"]
  /** The name of the model that the node wants; `null` for the usual one. */
  readonly model: string | null
  readonly instructions: string
  /** The task, in the words of the workflow. */
  readonly request: string
  /** The text of the page; `null` when nothing of it is given. */
  readonly page: string | null
  readonly shot: Shot | null
  readonly form: Form
  /** The result of a well-formed answer, or why it is refused: the model gets the reason, and is asked again. */
  readonly judge: (said: ModelAnswer) => Effect.Effect<Result.Result<Verdict<A>, string>, StepFailed>
}

/** The number of requests for one answer before unusable answers end the step. */
const mostAnswers = 3

/** How long one answer may take, in milliseconds. */
const answerMillis = 120_000

/** The most tokens of an answer, and of a picture, that a call is reserved with. */
const mostOfAnswer = 8_192
const mostOfPicture = 4_096

/** The most tokens of a question: no token is shorter than a byte of its text. */
const mostOf = ({ form, instructions, parts }: Question) => {
  const bytes = (text: string) => new TextEncoder().encode(text).length
  const ofParts = parts.map((part) => (part._tag === "Text" ? bytes(part.text) : mostOfPicture))
  return {
    input: bytes(instructions) + bytes(JSON.stringify(form)) + ofParts.reduce((sum, one) => sum + one, 0),
    output: mostOfAnswer
  }
}

const notConfigured = ({ names }: Budget.Budget): string => {
  const remedy = names?.model === undefined ? "" : `; set ${names.model} to the address and the name of one`
  return `no model is configured${remedy}, as the workflow was saved with one`
}

export const isConfigured: Effect.Effect<boolean> = Effect.map(Model, (model) => model !== null)

/**
 * The value of the first answer that is judged to be of use.
 *
 * Fails with `MODEL-E0001` when no model is configured or the wanted one is not served, `MODEL-E0002` when none answers,
 * `MODEL-E0003` when the answers are unusable, `MODEL-E0004` when the budget of the run is spent.
 */
export const ask = Effect.fnUntraced(function* <A>(asked: Request<A>): Effect.fn.Return<A, StepFailed> {
  const model = yield* Model
  const use = yield* ModelUse.current
  if (model === null) return yield* failure(asked, "MODEL-E0001", notConfigured(use.budget))
  if (asked.model !== null && !model.names.includes(asked.model)) {
    const reason = `the model "${asked.model}" is not served: expected ${model.names.map((name) => `"${name}"`).join(" or ")}`
    return yield* failure(asked, "MODEL-E0001", reason)
  }
  const { refer } = asked.secrets
  const mark = (yield* Random.nextIntBetween(0x1000_0000, 0x7fff_ffff)).toString(16)
  const texts = [
    `Task: ${yield* refer(asked.request)}`,
    ...(use.about === null ? [] : [yield* refer(Prompts.additional(use.about))]),
    ...(asked.page === null ? [] : [Prompts.wrapped(yield* refer(asked.page), mark)])
  ]
  let refusal: string | null = null
  for (let answers = 0; answers < mostAnswers; answers++) {
    const over = Budget.exceeded(use.budget, yield* Ref.get(use.spent))
    if (over !== null) return yield* over
    const again = refusal === null ? [] : [`Your previous answer was refused: ${yield* refer(refusal)}. Answer again.`]
    const { millis } = yield* Ref.get(use.spent)
    const question: Question = {
      instructions: `${asked.instructions} ${Prompts.caution(mark)}`,
      parts: [
        ...[...texts, ...again].map((text) => ({ _tag: "Text" as const, text })),
        ...(asked.shot === null ? [] : [{ _tag: "Image" as const, shot: asked.shot }])
      ],
      form: asked.form,
      model: asked.model,
      timeoutMillis: Math.max(Math.min(answerMillis, use.budget.millis - millis), 1)
    }
    const settle = yield* use.reserve({
      node: asked.node,
      purpose: asked.purpose,
      model: asked.model ?? model.names[0] ?? "unknown",
      most: mostOf(question),
      timeoutMillis: question.timeoutMillis
    })
    const began = yield* Clock.currentTimeMillis
    const answered: Result.Result<Answer, ModelFailure> = yield* Effect.result(model.answer(question)).pipe(
      Effect.onInterrupt(() => settle(null))
    )
    const took = (yield* Clock.currentTimeMillis) - began
    const usage = Result.isSuccess(answered) ? answered.success.usage : { inputTokens: 0, outputTokens: 0 }
    yield* settle(Result.isSuccess(answered) ? { input: usage.inputTokens, output: usage.outputTokens } : null)
    yield* Ref.update(use.spent, (spent) => Budget.after(spent, usage, took))
    const name = Result.isSuccess(answered) ? answered.success.model : (asked.model ?? model.names[0] ?? "unknown")
    yield* Measures.modelAsked(name, usage.inputTokens + usage.outputTokens)
    const fits = Result.isFailure(answered)
      ? Result.fail(answered.failure.reason)
      : yield* checked(answered.success.said, asked.form)
    const outcome: Result.Result<Result.Result<Verdict<A>, string>, StepFailed> = Result.isFailure(fits)
      ? Result.succeed(Result.fail(fits.failure))
      : yield* Effect.result(asked.judge(fits.success))
    const judged = Result.isFailure(outcome) ? Result.fail(outcome.failure.sentence) : outcome.success
    yield* use.record({
      node: { id: asked.node.id, name: asked.node.name, action: asked.node.action },
      purpose: asked.purpose,
      model: Result.isSuccess(answered) ? answered.success.model : asked.model,
      prompt: asked.secrets.hideWithin([...texts, ...again].join("\n\n"), maxPrompt),
      hasPicture: asked.shot !== null,
      answer: Result.isSuccess(answered) ? asked.secrets.hideWithin(wordsOf(answered.success.said), maxAnswer) : null,
      decision: Result.isSuccess(judged) ? asked.secrets.hide(judged.success.did).slice(0, 2_000) : null,
      refusal: Result.isFailure(judged) ? asked.secrets.hide(judged.failure).slice(0, 2_000) : null,
      inputTokens: usage.inputTokens,
      outputTokens: usage.outputTokens,
      durationMillis: took,
      at: began
    })
    if (Result.isFailure(outcome)) return yield* outcome.failure
    if (Result.isSuccess(judged)) return judged.success.value
    if (Result.isFailure(answered) && answered.failure.kind !== "malformed") {
      const over = answered.failure.kind === "late" ? Budget.exceeded(use.budget, yield* Ref.get(use.spent)) : null
      return yield* over ?? failure(asked, "MODEL-E0002", judged.failure)
    }
    refusal = judged.failure
  }
  return yield* failure(asked, "MODEL-E0003", `The model gave ${mostAnswers} invalid answers; the last: ${refusal}`)
})

/** The failure of a step that a model was to do, with the model and the prompt that it was about. */
export const failure = (
  { model, node, request, secrets }: Pick<Request<unknown>, "model" | "node" | "request" | "secrets">,
  code: "MODEL-E0001" | "MODEL-E0002" | "MODEL-E0003" | "MODEL-E0005" | "MODEL-E0006",
  reason: string
): StepFailed =>
  new StepFailed({
    code,
    sentence: `Cannot do ${node.action} with a model: ${reason}`,
    original: reason,
    model: { name: model, prompt: secrets.hideWithin(request, 2_000) }
  })

/** An answer in the form that was asked for, or in what it is not. */
const checked = Effect.fnUntraced(function* (
  said: Answer["said"],
  form: Form
): Effect.fn.Return<Result.Result<ModelAnswer, string>> {
  if (said._tag === "Unusable") return Result.fail(said.reason)
  if (form._tag === "Object") {
    if (said._tag !== "Object" || !Json.isObject(said.value)) return Result.fail("Expected one JSON object")
    return Result.succeed({ _tag: "Object", value: said.value })
  }
  if (said._tag !== "Called") return Result.fail("Expected a call of a tool")
  const tool = form.tools.find(({ name }) => name === said.tool)
  if (tool === undefined) {
    const names = form.tools.map(({ name }) => name).join(", ")
    return Result.fail(`There is no tool "${said.tool.slice(0, 100)}" in this step: expected one of ${names}`)
  }
  const { parameters } = said
  if (!Json.isObject(parameters)) return Result.fail(`Expected an object as the parameters of ${tool.name}`)
  const wrong = yield* violation(tool.parameters, parameters)
  return wrong === null
    ? Result.succeed({ _tag: "Called", tool: tool.name, parameters })
    : Result.fail(`The parameters of ${tool.name} do not fit: ${wrong.instancePath} ${wrong.message}`)
})

/** The first way in which what a model said breaks a schema; `null` when it does not. */
export const violation = (schema: Schema.JsonObject, value: Schema.Json) =>
  Sandbox.runHere("violation", { schema, value }).pipe(
    Effect.catch(({ message }) => Effect.succeed({ instancePath: "", message }))
  )

const wordsOf = (said: Answer["said"]): string => {
  switch (said._tag) {
    case "Called":
      return `${said.tool} ${JSON.stringify(said.parameters)}`
    case "Object":
      return JSON.stringify(said.value)
    case "Unusable":
      return said.text
  }
}
