/** What a script expects of a page or an element, as conditions of steps. */
import type { Schema } from "effect"
import * as Parts from "./PlaywrightLocator.ts"
import { type Act, type Comparison, lost, requires, type Step, step, type Where, written } from "./Recording.ts"
import type { Scope } from "./ScriptScope.ts"
import { type Chain, chainOf, fieldsOf, nameOf, patternOf, type Tree, treeAt, treesAt, valueOf } from "./ScriptTree.ts"

/** Whether a call is one of `expect`, also of `expect.soft` and `expect.poll`. */
export const isExpectation = ({ links, root }: Chain): boolean =>
  nameOf(root) === "expect"
    ? /^(?:soft|poll)$/.test(links[0]?.name ?? "")
    : root.type === "CallExpression" && nameOf(treeAt(root, "callee")) === "expect"

const softly = "The run fails where it does not hold, instead of going on"

/** The step of such a call. `switchTo` gives the acts that lead to the page of a locator. */
export const of = (
  scope: Scope,
  { links, root }: Chain,
  where: Where,
  switchTo: (page: string) => ReadonlyArray<Act>
): Step => {
  const [subject] = nameOf(root) === null ? treesAt(root, "arguments") : (links[0]?.given ?? [])
  const changes = links[0]?.name === "soft" && nameOf(root) !== null ? [softly] : []
  const isNot = links.some(({ name }) => name === "not")
  const matcher = links.at(-1)
  const located = subject === undefined ? null : scope.located(chainOf(subject))
  if (matcher === undefined || located === null || located.rest.length > 0) {
    return lost(where, "It compares a value of the script: say by expect of a step what the page shows")
  }
  const [first, second] = matcher.given ?? []
  const element = Parts.elementOf(located.parts)
  const condition =
    element === null
      ? ofPage(scope, matcher.name, first)
      : ofElement(scope, element.selectors[0], matcher.name, first, second)
  const switching = switchTo(located.page)
  if (condition === null)
    return lost(where, `Steps cannot expect ${matcher.name.slice(0, 40)}: say by expect what the page shows`, switching)
  if (!isNot) return step(where, [...switching, { _tag: "Expect", conditions: [condition] }], changes)
  const opposite = opposites(condition)
  if (opposite === null)
    return lost(
      where,
      `Steps cannot expect that not ${matcher.name.slice(0, 40)}: say by expect what the page shows`,
      switching
    )
  return step(where, [...switching, ...opposite], changes)
}

/** A condition on the address; `null` where it cannot be read. */
export const addressOf = (scope: Scope, tree: Tree | null | undefined): Schema.JsonObject | null => {
  const pattern = patternOf(tree)
  if (pattern !== null) return { type: "address", matches: pattern.source }
  const text = scope.textOf(tree)
  if (text === null) return null
  const address = written(text)
  const part = address.split("*").toSorted((one, other) => other.length - one.length)[0] ?? ""
  return address.includes("*") || !/^https?:/.test(address)
    ? { type: "address", contains: part }
    : { type: "address", equals: address }
}

const ofPage = (scope: Scope, matcher: string, first: Tree | undefined): Schema.JsonObject | null => {
  if (matcher === "toHaveURL") return addressOf(scope, first)
  if (matcher !== "toHaveTitle") return null
  const wanted = scope.wanted(first)
  return wanted === null ? null : { type: "text", selector: "//title", ...compared(wanted, "equals") }
}

const ofElement = (
  scope: Scope,
  selector: string,
  matcher: string,
  first: Tree | undefined,
  second: Tree | undefined
): Schema.JsonObject | null => {
  const wanted = scope.wanted(first)
  switch (matcher) {
    case "toBeVisible":
    case "toBeInViewport":
      return { type: "element", selector, state: "visible" }
    case "toBeAttached":
      return { type: "element", selector, state: "present" }
    case "toBeHidden":
      return { type: "element", selector, state: "absent" }
    case "toHaveText":
      return wanted === null ? null : { type: "text", selector, ...compared(wanted, "equals") }
    case "toContainText":
      return wanted === null ? null : { type: "text", selector, ...compared(wanted, "contains") }
    case "toHaveValue":
      return wanted === null ? null : { type: "value", selector, ...compared(wanted, "equals") }
    case "toBeEmpty":
      return { type: "value", selector, equals: "" }
    case "toBeChecked":
      return { type: "value", selector, equals: String(valueOf(fieldsOf(first ?? null).get("checked")) !== false) }
    case "toBeEnabled":
    case "toBeEditable":
      return { type: "element", selector: withState(selector, ":enabled", "not(@disabled)"), state: "visible" }
    case "toBeDisabled":
      return { type: "element", selector: withState(selector, ":disabled", "@disabled"), state: "present" }
    case "toHaveCount": {
      const count = valueOf(first)
      if (typeof count !== "number") return null
      return count === 0
        ? { type: "element", selector, state: "absent" }
        : { type: "element", selector, state: "present", exactly: count }
    }
    case "toHaveAttribute": {
      const [name, value] = [valueOf(first), scope.wanted(second)]
      if (typeof name !== "string" || typeof value !== "string") return null
      const style = `[${name}=${JSON.stringify(value)}]`
      return {
        type: "element",
        selector: withState(selector, style, `@${name}=${JSON.stringify(value)}`),
        state: "present"
      }
    }
    default:
      return null
  }
}

/** A selector for those of its elements that fit. */
const withState = (selector: string, style: string, predicate: string): string =>
  /^(?:css|role|text)=/.test(selector) ? `${selector} >> css=:scope${style}` : `${selector}[${predicate}]`

const compared = (wanted: Parts.Wanted, how: "equals" | "contains"): Schema.JsonObject =>
  typeof wanted === "string" ? { [how]: wanted } : { matches: wanted.source }

/** The acts for the opposite of a condition; `null` for those that steps cannot expect. */
const opposites = (condition: Schema.JsonObject): ReadonlyArray<Act> | null => {
  const { contains, equals, selector, state, type } = condition
  if (type === "element" && condition.exactly === undefined) {
    return [{ _tag: "Expect", conditions: [{ ...condition, state: state === "absent" ? "visible" : "absent" }] }]
  }
  if (type === "value" && (equals === "true" || equals === "false")) {
    return [{ _tag: "Expect", conditions: [{ ...condition, equals: equals === "true" ? "false" : "true" }] }]
  }
  if (type !== "text" || typeof selector !== "string" || typeof (equals ?? contains) !== "string") return null
  const comparison: Comparison = {
    comparison_operator: typeof equals === "string" ? "NOT_EQUAL" : "NOT_CONTAINS",
    comparison_value_1: `<<xpath:${selector}>>`,
    comparison_value_2: String(equals ?? contains)
  }
  return requires(comparison, "The text must be another one")
}
