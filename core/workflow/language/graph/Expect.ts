/** What must be true once a node has done its work. The step counts only when it is. */
import { Schema } from "effect"
import * as SafePattern from "../expression/SafePattern.ts"
import { filled, optionalText, wait_time } from "../parameters/Fields.ts"
import { UrlPattern } from "../parameters/Network.ts"
import type { Node } from "./Graph.ts"
import { FieldComparison } from "./RunIf.ts"

/** Maximum number of conditions of a node. */
const maxConditions = 20

const absent = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/** A pattern that is the same in each run. */
const Pattern = filled.check(
  Schema.makeFilter((source) =>
    source.includes("{{")
      ? 'Expected a pattern without expressions: use "contains" or "equals" for a text with expressions'
      : (SafePattern.check(source) ?? undefined)
  )
)

/** How a text is compared. */
const comparisons = { contains: optionalText, equals: optionalText, matches: absent(Pattern) }
const comparisonNames = ["contains", "equals", "matches"] as const

const oneComparison = Schema.makeFilter(
  (given: { readonly [N in (typeof comparisonNames)[number]]?: string | null | undefined }) => {
    const named = comparisonNames.filter((name) => (given[name] ?? null) !== null)
    if (named.length === 1) return undefined
    return `Expected exactly one of ${comparisonNames.join(", ")}, got ${named.join(" and ") || "none"}`
  }
)

const count = absent(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100_000 })))
const countNames = ["exactly", "at_least", "at_most"] as const

const Address = Schema.Struct({ type: Schema.Literal("address"), ...comparisons }).check(oneComparison)

const Element = Schema.Struct({
  type: Schema.Literal("element"),
  selector: filled,
  state: absent(Schema.Literals(["visible", "present", "absent"])),
  exactly: count,
  at_least: count,
  at_most: count
}).check(
  Schema.makeFilter((given) => {
    const counts = countNames.filter((name) => (given[name] ?? null) !== null)
    if (given.state === "absent" && counts.length > 0) {
      return { path: [counts[0] ?? ""], issue: "Expected no number of elements that are absent" }
    }
    return counts.includes("exactly") && counts.length > 1
      ? { path: ["exactly"], issue: "Expected exactly, or at_least and at_most, not both" }
      : undefined
  })
)

const Text = Schema.Struct({ type: Schema.Literal("text"), selector: optionalText, ...comparisons }).check(
  oneComparison
)

const Value = Schema.Struct({ type: Schema.Literal("value"), selector: filled, ...comparisons }).check(oneComparison)

const Status = Schema.Union([
  Schema.Int.check(Schema.isBetween({ minimum: 100, maximum: 599 })),
  Schema.Literals(["1xx", "2xx", "3xx", "4xx", "5xx"])
])

const Request = Schema.Struct({
  type: Schema.Literal("request"),
  url: UrlPattern,
  method: absent(Schema.Literals(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"])),
  status: absent(Status)
})

const File = Schema.Struct({
  type: Schema.Literal("file"),
  name: optionalText,
  media_type: optionalText,
  at_least_bytes: absent(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000_000_000 })))
})

const Variable = Schema.Struct({ type: Schema.Literal("variable"), ...FieldComparison.fields })

/** One thing that must be true. */
export const Condition = Schema.Union([Address, Element, Text, Value, Request, File, Variable]).annotate({
  expected: "a condition whose type is address, element, text, value, request, file or variable"
})
export type Condition = typeof Condition.Type

export const Expect = Schema.Struct({
  match: Schema.optionalKey(Schema.NullOr(Schema.Literals(["all", "any"]))),
  conditions: Schema.Array(Condition).check(Schema.isMinLength(1), Schema.isMaxLength(maxConditions)),
  wait_time
}).annotate({ identifier: "Expect" })
export type Expect = typeof Expect.Type

export const decode = Schema.decodeUnknownResult(Expect, { errors: "all" })

/** The expectation of a node; `null` for a node that has none. */
export const of = ({ parameters }: Node): Expect | null =>
  // The expectation is among the parameters of a node, but not in their schema.
  "expect" in parameters ? ((parameters as { readonly expect?: Expect | null }).expect ?? null) : null

/** How many elements a condition allows, hidden ones not counted unless its state is `present`. */
export const rangeOf = ({
  at_least,
  at_most,
  exactly,
  state
}: Extract<Condition, { readonly type: "element" }>): { readonly least: number; readonly most: number } => ({
  least: exactly ?? at_least ?? (state === "absent" || typeof at_most === "number" ? 0 : 1),
  most: exactly ?? at_most ?? (state === "absent" ? 0 : Number.POSITIVE_INFINITY)
})

/** The selectors of an expectation, each with its path below that of the expectation. */
export const selectors = (
  { conditions }: Expect,
  path: string
): ReadonlyArray<{ readonly at: string; readonly selector: string }> =>
  conditions.flatMap((condition, index) =>
    "selector" in condition && typeof condition.selector === "string"
      ? [{ at: `${path}.conditions[${index}].selector`, selector: condition.selector }]
      : []
  )
