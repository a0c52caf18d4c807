/** The conditions of n8n, of all its versions, as conditions of a branch. */
import * as Json from "../../workspace/Json.ts"
import type { Data } from "./N8nData.ts"
import { listOf } from "./N8nSource.ts"
import { type Comparison, holds, type Text, written } from "./Recording.ts"

type Fields = Readonly<Record<string, unknown>>

interface Rule {
  readonly type: string
  readonly operation: string
  readonly left: Text
  readonly right: Text
}

/** The present name of an operation. */
const renamed: Readonly<Record<string, string>> = {
  equal: "equals",
  notEqual: "notEquals",
  isEmpty: "empty",
  isNotEmpty: "notEmpty",
  smaller: "lt",
  smallerEqual: "lte",
  larger: "gt",
  largerEqual: "gte"
}

const compared: Readonly<Record<string, Comparison["comparison_operator"]>> = {
  equals: "EQUAL",
  notEquals: "NOT_EQUAL",
  contains: "CONTAINS",
  notContains: "NOT_CONTAINS",
  startsWith: "STARTS_WITH",
  endsWith: "ENDS_WITH",
  empty: "IS_NULL",
  notExists: "IS_NULL",
  notEmpty: "IS_NOT_NULL",
  exists: "IS_NOT_NULL"
}

const ruleOf = (data: Data, type: string, operation: unknown, left: unknown, right: unknown): Rule | null => {
  const texts = [data.text(left), data.text(right)] as const
  const name = String(operation)
  if (texts[0] === null || texts[1] === null) return null
  return { type, operation: renamed[name] ?? name, left: texts[0], right: texts[1] }
}

/** The condition of an If, a Filter or a rule of a Switch; `null` for one that is not translated. */
export const read = (data: Data, { combineOperation, conditions }: Fields): Comparison | null => {
  const given = Json.objectOf(conditions)
  if (Array.isArray(given.conditions)) {
    const isExact = Json.objectOf(given.options).caseSensitive !== false
    const rules = listOf(given.conditions).map(({ leftValue, operator, rightValue }) => {
      const { operation, type } = Json.objectOf(operator)
      return ruleOf(data, String(type ?? "string"), operation ?? "equals", leftValue, rightValue)
    })
    return together(rules, given.combinator === "or", isExact)
  }
  const rules = Object.entries(given).flatMap(([type, list]) =>
    listOf(list).map(({ operation, value1, value2 }) =>
      ruleOf(data, type, operation ?? (type === "number" ? "smaller" : "equal"), value1, value2)
    )
  )
  return together(rules, combineOperation === "any", true)
}

/** A rule of the older Switch: one value against another one. */
export const ofSwitch = (data: Data, { dataType, value1 }: Fields, { operation, value2 }: Fields): Comparison | null =>
  together([ruleOf(data, String(dataType ?? "number"), operation ?? "equal", value1, value2)], false, true)

const together = (rules: ReadonlyArray<Rule | null>, isAny: boolean, isExact: boolean): Comparison | null => {
  const [only, more] = rules
  if (only === undefined || only === null) return null
  const operator = compared[only.operation]
  if (more === undefined && operator !== undefined && isExact && only.type !== "number") {
    const left = { comparison_operator: operator, comparison_value_1: written(only.left) }
    return /NULL$/.test(operator) ? left : { ...left, comparison_value_2: written(only.right) }
  }
  const each = rules.map((rule) => (rule === null ? null : expressionOf(rule, isExact)))
  return each.includes(null)
    ? null
    : holds(each.length === 1 ? String(each[0]) : each.map((one) => `(${one})`).join(isAny ? " or " : " and "))
}

const joined = (text: Text): string =>
  text.length === 0
    ? '""'
    : text.map((part) => (typeof part === "string" ? JSON.stringify(part) : part.expression)).join(" & ")

const expressionOf = ({ left, operation, right, type }: Rule, isExact: boolean): string | null => {
  const whole = [joined(left), joined(right)].map((one) => {
    if (type === "number") return `$number(${one})`
    if (type !== "string") return one
    return isExact ? `$string(${one})` : `$lowercase($string(${one}))`
  })
  const [one = "", other = ""] = whole
  switch (operation) {
    case "equals":
      return `${one} = ${type === "boolean" ? literalOf(other) : other}`
    case "notEquals":
      return `${one} != ${type === "boolean" ? literalOf(other) : other}`
    case "contains":
      return `$contains(${one}, ${other})`
    case "notContains":
      return `$not($contains(${one}, ${other}))`
    case "startsWith":
      return `$substring(${one}, 0, $length(${other})) = ${other}`
    case "endsWith":
      return `$substring(${one}, -$length(${other})) = ${other}`
    case "empty":
    case "notExists":
      return `$boolean(${joined(left)}) = false`
    case "notEmpty":
    case "exists":
      return `$boolean(${joined(left)})`
    case "true":
    case "false":
      return `${one} = ${operation}`
    case "lt":
    case "lte":
    case "gt":
    case "gte":
      return type === "number"
        ? `${one} ${operation.startsWith("l") ? "<" : ">"}${operation.endsWith("e") ? "=" : ""} ${other}`
        : null
    default:
      return null
  }
}

/** The value of a boolean that is written as a text. */
const literalOf = (expression: string): string => /^"(true|false)"$/.exec(expression)?.[1] ?? expression
