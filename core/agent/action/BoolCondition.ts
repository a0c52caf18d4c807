import { Effect, Option, Schema } from "effect"
import type { ElementQuery } from "../../browser/element/ElementQuery.ts"
import * as LiveSelectors from "../../workflow/language/expression/LiveSelectors.ts"
import * as Template from "../../workflow/language/expression/Template.ts"
import * as Comparison from "../../workflow/language/graph/Comparison.ts"
import type { NodeOf } from "../../workflow/language/graph/Graph.ts"
import * as Executions from "../../workflow/language/parameters/Executions.ts"
import { defaultWaitMillis } from "../../workflow/language/parameters/Fields.ts"
import * as PlainCondition from "../compile/PlainCondition.ts"
import { ofPage, StepFailed } from "../Failure.ts"
import * as Judgement from "../model/Judgement.ts"
import * as References from "../model/References.ts"
import type { Action, StepContext } from "../Step.ts"
import * as Memory from "../variables/Memory.ts"
import * as SecretUse from "../variables/SecretUse.ts"
import * as ActionPoint from "../vision/ActionPoint.ts"
import * as PageView from "../vision/PageView.ts"
import type { Warning } from "../Warning.ts"

/**
 * Compares two values, or has a model say whether a prompt holds for what the window shows or for the context alone.
 *
 * `<<xpath:…>>` in a value is replaced by the text of that element, or by the empty text when the element is absent; the
 * first one counts of several, with a warning where another one would decide otherwise. It is looked for once what the last act began is over, or until a given `wait_time` is over. `IS_NULL` and `IS_NOT_NULL` over it alone ask whether the
 * element exists, with a text or without.
 */
export const boolCondition: Action<"BOOL_CONDITION", "elements" | "navigation" | "vision"> = Effect.fnUntraced(
  function* (node, context) {
    const { parameters } = node
    const { holds, said } = Executions.isModelExecution(parameters.execution)
      ? { holds: yield* judged(node, context), said: "the prompt" }
      : yield* compared(node, context)
    if (!holds && parameters.clear_cookies_on_false === true) {
      yield* context.page.navigation.clearCookies.pipe(
        Effect.mapError((failure) => ofPage("clear the cookies", failure))
      )
    }
    if (!holds && parameters.error_on_false_message) {
      return yield* new StepFailed({
        code: "CONDITION-E0001",
        sentence: `Cannot continue: ${said} does not hold`,
        original: null
      })
    }
    return { _tag: "Decided", holds }
  }
)

const compared = Effect.fnUntraced(function* (
  { name, parameters }: NodeOf<"BOOL_CONDITION">,
  context: StepContext<"elements" | "navigation">
) {
  const waiting = {
    waitMillis: parameters.wait_time ?? 0,
    settlingMillis: parameters.wait_time ?? defaultWaitMillis,
    untilSettled: parameters.until_settled === true
  }
  const operator = parameters.comparison_operator ?? "EQUAL"
  const first = yield* operand(parameters.comparison_value_1 ?? null, operator, waiting, context)
  const second = yield* operand(parameters.comparison_value_2 ?? null, operator, waiting, context)
  const [one, other] = [first.value, second.value]
  const { secrets } = context.memory.credentials
  const shown = (value: Schema.Json) => `"${secrets.hideWithin(Comparison.asText(value), maxShown)}"`
  const said = [shown(one), operator, ...(operator.endsWith("_NULL") ? [] : [shown(other)])].join(" ")
  const ofText = Comparison.holds(operator, one, other)
  const isAlone = isElement(parameters.comparison_value_1)
  if (!isAlone || !operator.endsWith("_NULL")) {
    const doubt =
      first.others.find(({ value }) => Comparison.holds(operator, value, other) !== ofText) ??
      second.others.find(({ value }) => Comparison.holds(operator, one, value) !== ofText)
    if (doubt !== undefined) yield* context.warn(unclear(doubt, shown))
    return { holds: ofText, said }
  }
  const holds = (one === null) === (operator === "IS_NULL")
  if (holds !== ofText) {
    yield* Effect.logInfo(
      `Node "${name}": the element exists without a text, so ${operator} ${holds ? "holds" : "does not hold"}. Compare with "" to ask for its text`
    )
  }
  return { holds, said }
})

/** A value as it would be by another element that a selector matches. */
interface Other {
  readonly value: Schema.Json
  readonly selector: string
  /** The text of the first element, which counts, and that of the other one. */
  readonly texts: readonly [string, string]
}

const unclear = ({ selector, texts: [text, other] }: Other, shown: (text: string) => string): Warning => ({
  code: "CONDITION-W0001",
  sentence: `Compared ${shown(text)}, the first of several elements that ${selector} matches: by ${shown(other)}, another one, the condition would turn out otherwise. A path to one, or a position such as [1], says which one is meant`,
  value: text
})

/** Maximum length of a value in the failure of a condition, in characters. */
const maxShown = 100

const judged = Effect.fnUntraced(function* (
  node: NodeOf<"BOOL_CONDITION">,
  context: StepContext<"elements" | "navigation" | "vision">
) {
  const { compiling, memory, page } = context
  const { execution, llm_model, prompt, wait_time } = node.parameters
  const { secrets } = memory.credentials
  const visual = execution === "LLM_VISION"
  if (visual) {
    const waitMillis = wait_time ?? defaultWaitMillis
    yield* page.navigation
      .settled(Effect.void, { waitMillis, isThere: () => "all" })
      .pipe(Effect.mapError((failure) => ofPage("look at the page", failure)))
  }
  const { holds, plain } = yield* Judgement.judge({
    node,
    secrets,
    prompt: yield* References.evaluate(prompt ?? "", memory, page),
    model: ActionPoint.modelOf(llm_model),
    page: visual ? (yield* PageView.view(page, true)).text : yield* PageView.context(memory),
    shot: visual ? yield* PageView.picture(page, secrets) : null,
    plainly: compiling.asks ? (visual ? "text" : "expression") : null
  })
  const comparison = plain === null ? null : yield* comparisonBy(plain, prompt ?? "", !visual, context)
  if (comparison !== null && PlainCondition.mayDecide(comparison.comparison_operator, holds)) {
    const proposed = { ...node, parameters: { wait_time: wait_time ?? null, ...comparison } }
    const tried = yield* Effect.result(compared(proposed, { ...context, warn: unsure }))
    if (tried._tag === "Success" && tried.success.holds === holds) {
      yield* compiling.propose({ execution: "STATIC", ...comparison }, { decides: holds, ofContext: !visual })
    }
  }
  return holds
})

/** A comparison that leaves a doubt is no plain form. */
const unsure = ({ sentence }: Warning) =>
  Effect.fail(new StepFailed({ code: "STRICT-E0001", sentence, original: null }))

/** The comparison that a model says it decided by; `null` where it is not certain. */
const comparisonBy = Effect.fnUntraced(function* (
  plain: Schema.Json,
  written: string,
  ofContext: boolean,
  context: StepContext<"elements" | "navigation" | "vision">
) {
  const prompt = yield* context.compiling.prompt(written)
  if (prompt === null) return null
  if (ofContext) {
    const reason = Schema.decodeUnknownOption(PlainCondition.ContextReason)(plain)
    if (Option.isNone(reason)) return null
    const { expression } = reason.value
    const used = yield* Effect.orElseSucceed(SecretUse.usedByExpression(expression, context.memory), () => null)
    return used?.length === 0 ? PlainCondition.ofContext(expression, prompt) : null
  }
  const reason = Schema.decodeUnknownOption(PlainCondition.PageReason)(plain)
  const page = context.page.elements.readable(null, { metadata: true, maxCharacters })
  const read = yield* Effect.orElseSucceed(page, () => null)
  return read === null || Option.isNone(reason) ? null : PlainCondition.ofPage(read.html, reason.value, prompt)
})

/** Maximum length of a page that is searched for a text, in characters. */
const maxCharacters = 200_000

/** Whether a value consists of exactly one element reference. */
const isElement = (value: Schema.Json | undefined): boolean => {
  const parts = typeof value === "string" ? LiveSelectors.split(value) : []
  return parts.length === 1 && typeof parts[0] !== "string"
}

interface Waiting extends Pick<ElementQuery, "waitMillis" | "untilSettled"> {
  /** How long a page is waited for that is still loading, in milliseconds. */
  readonly settlingMillis: number
}

const operand = Effect.fnUntraced(function* (
  value: Schema.Json,
  operator: string,
  { settlingMillis, ...waiting }: Waiting,
  { memory, page }: StepContext<"elements" | "navigation">
) {
  if (typeof value !== "string") return sole(value)
  const [only] = Template.split(value).parts
  const source = Template.split(value).whole && typeof only === "object" ? only.source : ""
  const text = yield* Memory.evaluate(value, memory, page, Memory.policyOf(source, operator))
  if (typeof text !== "string" || !LiveSelectors.isIn(text)) return sole(text)
  const parts: Array<{ readonly selector: string; readonly texts: ReadonlyArray<string> }> = []
  for (const part of LiveSelectors.split(text)) {
    if (typeof part === "string") {
      parts.push({ selector: "", texts: [part] })
      continue
    }
    const { selector } = part
    const texts = yield* page.navigation
      .settled(page.elements.readEach({ selector, ...waiting }), {
        waitMillis: settlingMillis,
        isThere: ([first = ""]) => (first === "" ? "none" : "all")
      })
      .pipe(
        Effect.flatMap(({ found }) => memory.credentials.secrets.hideInData(found)),
        Effect.mapError((failure) => ofPage("compare the text of", failure))
      )
    parts.push({ selector, texts })
  }
  /** The value with the other text at one place. */
  const joined = (place: number, other?: string): Schema.Json => {
    const texts = parts.map(({ texts: [first] }, at) => (at === place ? (other ?? first) : first))
    return texts.length === 1 ? (texts[0] ?? null) : texts.map((text) => text ?? "").join("")
  }
  const others = parts.flatMap(({ selector, texts: [first = "", ...rest] }, at) =>
    rest.map((other): Other => ({ value: joined(at, other), selector, texts: [first, other] }))
  )
  return { value: joined(-1), others }
})

const sole = (value: Schema.Json): { readonly value: Schema.Json; readonly others: ReadonlyArray<Other> } => ({
  value,
  others: []
})
