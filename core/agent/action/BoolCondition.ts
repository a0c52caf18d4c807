import { Effect, type Schema } from "effect"
import * as Comparison from "../../workflow/language/graph/Comparison.ts"
import type { NodeOf } from "../../workflow/language/graph/Graph.ts"
import * as Executions from "../../workflow/language/parameters/Executions.ts"
import { ofPage, StepFailed } from "../Failure.ts"
import * as Judgement from "../model/Judgement.ts"
import * as References from "../model/References.ts"
import type { Action, StepContext } from "../Step.ts"
import * as Memory from "../variables/Memory.ts"
import * as ActionPoint from "../vision/ActionPoint.ts"
import * as PageView from "../vision/PageView.ts"

/**
 * Compares two values, or has a model say whether a prompt holds for what the window shows or for the context alone.
 *
 * `<<xpath:…>>` in a value is replaced by the text of that element, or by the empty text when the element is absent; it
 * is looked for once, or until a given `wait_time` is over.
 */
export const boolCondition: Action<"BOOL_CONDITION", "elements" | "navigation" | "vision"> = Effect.fnUntraced(
  function* (node, surroundings) {
    const { parameters } = node
    const { holds, said } = Executions.isModelExecution(parameters.execution)
      ? { holds: yield* judged(node, surroundings), said: "the prompt" }
      : yield* compared(node, surroundings)
    if (!holds && parameters.clear_cookies_on_false === true) {
      yield* surroundings.page.navigation.clearCookies.pipe(
        Effect.mapError((failure) => ofPage("clear the cookies", failure))
      )
    }
    if (!holds && parameters.error_on_false_message) {
      return yield* new StepFailed({
        code: "CONDITION-E0001",
        sentence: `Cannot go on: ${said} does not hold`,
        original: null
      })
    }
    return { _tag: "Decided", holds }
  }
)

const compared = Effect.fnUntraced(function* (
  { parameters }: NodeOf<"BOOL_CONDITION">,
  surroundings: StepContext<"elements" | "navigation">
) {
  const waitMillis = parameters.wait_time ?? 0
  const one = yield* operand(parameters.comparison_value_1 ?? null, waitMillis, surroundings)
  const other = yield* operand(parameters.comparison_value_2 ?? null, waitMillis, surroundings)
  const operator = parameters.comparison_operator ?? "EQUAL"
  const { secrets } = surroundings.memory.credentials
  const shown = (value: Schema.Json) => `"${secrets.hideWithin(Comparison.asText(value), maxShown)}"`
  const said = [shown(one), operator, ...(operator.endsWith("_NULL") ? [] : [shown(other)])].join(" ")
  return { holds: Comparison.holds(operator, one, other), said }
})

/** Maximum length of a value in the failure of a condition, in characters. */
const maxShown = 100

const judged = Effect.fnUntraced(function* (
  node: NodeOf<"BOOL_CONDITION">,
  { memory, page }: StepContext<"navigation" | "vision">
) {
  const { execution, llm_model, prompt } = node.parameters
  const { secrets } = memory.credentials
  const visual = execution === "LLM_VISION"
  return yield* Judgement.holds({
    node,
    secrets,
    prompt: yield* References.evaluate(prompt ?? "", memory, page),
    model: ActionPoint.modelOf(llm_model),
    page: visual ? (yield* PageView.view(page, true)).text : yield* PageView.context(memory),
    shot: visual ? yield* PageView.picture(page, secrets) : null
  })
})

const live = /<<xpath:([\s\S]*?)>>/g

const operand = Effect.fnUntraced(function* (
  value: Schema.Json,
  waitMillis: number,
  { memory, page }: StepContext<"elements" | "navigation">
) {
  if (typeof value !== "string") return value
  const text = yield* Memory.evaluate(value, memory, page)
  if (typeof text !== "string" || !text.includes("<<xpath:")) return text
  const parts: Array<string | null> = []
  let end = 0
  for (const found of text.matchAll(live)) {
    if (found.index > end) parts.push(text.slice(end, found.index))
    end = found.index + found[0].length
    const selector = found[1] ?? ""
    parts.push(
      yield* page.elements
        .read({ selector, waitMillis })
        .pipe(Effect.mapError((failure) => ofPage("compare the text of", failure)))
    )
  }
  if (end < text.length) parts.push(text.slice(end))
  return parts.length === 1 ? (parts[0] ?? null) : parts.join("")
})
