/**
 * The comparisons that may stand for the decision of a model.
 *
 * A model says what it decided by. That is taken where it has every figure, quoted text and expression of the prompt, and
 * no other ones: a threshold that is not the one of the prompt would decide wrongly later.
 */
import { Schema } from "effect"
import * as Expression from "../../workflow/language/expression/Expression.ts"
import type { Operator } from "../../workflow/language/graph/Comparison.ts"
import { isQuotable } from "./PlainElement.ts"
import * as PlainReading from "./PlainReading.ts"
import { type EvaluatedPrompt, literalsIn, names, shareWord } from "./PromptWords.ts"

/** The parameters of a comparison. */
export interface PlainComparison {
  readonly comparison_value_1: string
  readonly comparison_operator: Operator
  readonly comparison_value_2: string
}

/** The operators for texts of the page: none of them holds where there is no element. */
export const pageOperators = ["EQUAL", "CONTAINS", "STARTS_WITH", "ENDS_WITH", "IS_NOT_NULL"] as const

/** What a model says it decided by: a text of the page, or an expression over the context. */
export const PageReason = Schema.Struct({
  text: Schema.String.check(Schema.isMaxLength(200)),
  operator: Schema.Literals(pageOperators),
  value: Schema.String
})
export const ContextReason = Schema.Struct({ expression: Schema.String.check(Schema.isMaxLength(500)) })

/** A comparison of a text of a page, given as HTML; `null` where it is not certain to be what the prompt asks for. */
export const ofPage = (
  html: string,
  { operator, text, value }: typeof PageReason.Type,
  prompt: EvaluatedPrompt
): PlainComparison | null => {
  const { expressions, written } = prompt
  const literals = literalsIn(written)
  if (operator === "IS_NOT_NULL") {
    // That something is there says as much as its text says of what is asked.
    const isAsked = expressions.length === 0 && [...literals].every((one) => one === text.trim().toLowerCase())
    const selector = isAsked && shareWord(text, written) ? PlainReading.pathToText(html, text) : null
    return selector === null ? null : comparison(selector, operator, "")
  }
  const selector = PlainReading.pathToValue(html, text, written)
  if (selector === null || !isQuotable(value)) return null
  const [expression, ...others] = expressions
  if (expression !== undefined) {
    const isWhole = others.length === 0 && value === expression.value && literals.size === 0
    return isWhole ? comparison(selector, operator, `{{${expression.source}}}`) : null
  }
  const isWhole = [...literals].every((literal) => literal === value.trim().toLowerCase())
  return isWhole && names(written, value) ? comparison(selector, operator, value) : null
}

const comparison = (selector: string, operator: Operator, value: string): PlainComparison => ({
  comparison_value_1: `<<xpath:${selector}>>`,
  comparison_operator: operator,
  comparison_value_2: value
})

/** Functions whose value depends on what they are given alone. */
const functions: ReadonlySet<string> = new Set(
  "$number $string $length $count $sum $min $max $lowercase $uppercase $trim $contains $exists $not $boolean $abs $round".split(
    " "
  )
)

/** A comparison by an expression over the context; `null` where it is not certain to be what the prompt asks for. */
export const ofContext = (source: string, prompt: EvaluatedPrompt): PlainComparison | null => {
  const compiled = Expression.compile(source)
  if (compiled._tag === "Failure" || source.includes("{{") || source.includes("}}")) return null
  if ((source.match(/\$\w*/g) ?? []).some((name) => !functions.has(name))) return null
  const reads = Expression.reads(compiled.success).map((path) => path.join("."))
  if (!reads.some((path) => path.startsWith("context."))) return null
  if (!prompt.expressions.every((one) => reads.includes(one.source.trim()))) return null
  const [own, asked] = [literalsIn(source), literalsIn(prompt.written)]
  const isNamed = (literal: string) => asked.has(literal) || (!/\d/.test(literal) && names(prompt.written, literal))
  const isWhole = [...own].every(isNamed) && [...asked].every((literal) => own.has(literal))
  return isWhole
    ? { comparison_value_1: `{{${source}}}`, comparison_operator: "EQUAL", comparison_value_2: "true" }
    : null
}

/**
 * Whether a comparison may decide so. That a text is not there says nothing of a page that puts it in other words: that is left
 * to the model.
 */
export const mayDecide = (operator: string | null | undefined, holds: boolean): boolean =>
  holds || operator?.endsWith("_NULL") !== true

/**
 * What the plain forms of a condition decide together: each decides only what it was tried with. `null` where none does, or
 * two of them disagree.
 */
export const decided = (
  forms: ReadonlyArray<{ readonly decides: boolean | null; readonly holds: boolean }>
): boolean | null => {
  const decisions = new Set(forms.filter(({ decides, holds }) => decides === holds).map(({ holds }) => holds))
  const [only] = decisions
  return decisions.size === 1 && only !== undefined ? only : null
}
