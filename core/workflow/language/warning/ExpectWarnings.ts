/** Warnings about expectations that cannot fail, or that always do. */
import type { Problem } from "../../Workflow.ts"
import * as SafePattern from "../expression/SafePattern.ts"
import * as Template from "../expression/Template.ts"
import * as Expect from "../graph/Expect.ts"
import type { Node } from "../graph/Graph.ts"
import { meantAsCss } from "./SelectorWarnings.ts"

/** The warnings of the expectation of a node; `path` is that of its parameters. */
export const ofNode = (node: Node, path: string): ReadonlyArray<Problem> => {
  const expect = Expect.of(node)
  if (expect === null) return []
  const at = `${path}.expect`
  return [
    ...expect.conditions.flatMap((condition, index) => {
      const message = alone(condition, node)
      return message === null ? [] : [{ path: `${at}.conditions[${index}]`, message }]
    }),
    ...together(expect).map((message) => ({ path: `${at}.conditions`, message })),
    ...Expect.selectors(expect, at).flatMap(({ at, selector }) => {
      const message = meantAsCss(selector)
      return message === null ? [] : [{ path: at, message }]
    })
  ]
}

/** What is wrong with one condition by itself. */
const alone = (condition: Expect.Condition, { action, name }: Node): string | null => {
  switch (condition.type) {
    case "address":
    case "text":
    case "value":
      if (condition.contains === "") return "Every text contains the empty text, so this cannot fail: name a text"
      if (typeof condition.matches === "string" && matchesAnything(condition.matches)) {
        return `The pattern ${condition.matches.slice(0, 100)} matches every text, so this cannot fail`
      }
      return condition.type === "address" && isPartOfAddress(condition.equals ?? null)
        ? `No address equals ${condition.equals?.slice(0, 100)}, so this always fails: write the whole address, or contains`
        : null
    case "element": {
      const { least, most } = Expect.rangeOf(condition)
      if (least > most) return `No number is at least ${least} and at most ${most}, so this always fails`
      return least === 0 && most === Number.POSITIVE_INFINITY
        ? "Any number is at least 0, so this cannot fail: name a number of at least 1"
        : null
    }
    case "file":
      return action === "FILE_DOWNLOAD"
        ? null
        : `${action} keeps no file, so this always fails: move it from node "${name}" to the FILE_DOWNLOAD after it`
    default:
      return null
  }
}

/** Whether a pattern matches a text of nothing and one of everything. */
const matchesAnything = (pattern: string): boolean => {
  const { test } = SafePattern.compile(pattern, "")
  return test("") && test('Zq9 #\u00e9".:/')
}

const isPartOfAddress = (text: string | null): boolean =>
  text !== null && !Template.isTemplate(text) && !/^[a-z][\w+.-]*:/i.test(text)

/** What is wrong with conditions about the same thing. */
const together = ({ conditions, match }: Expect.Expect): ReadonlyArray<string> => {
  const elements = conditions.filter((one) => one.type === "element")
  const isAny = match === "any"
  const messages = new Set<string>()
  for (const [at, one] of elements.entries()) {
    for (const other of elements.slice(at + 1)) {
      if (one.selector !== other.selector || (one.state === "present") !== (other.state === "present")) continue
      const [a, b] = [Expect.rangeOf(one), Expect.rangeOf(other)]
      const overlap = Math.max(a.least, b.least) <= Math.min(a.most, b.most)
      const all =
        Math.min(a.least, b.least) === 0 &&
        Math.max(a.most, b.most) === Number.POSITIVE_INFINITY &&
        Math.max(a.least, b.least) <= Math.min(a.most, b.most) + 1
      const selector = one.selector.slice(0, 100)
      if (!isAny && !overlap) messages.add(`No page fulfils both conditions on ${selector}, so this always fails`)
      if (isAny && all) messages.add(`Every page fulfils one of the conditions on ${selector}, so this cannot fail`)
    }
  }
  const equals = conditions.flatMap((one) =>
    "equals" in one && typeof one.equals === "string" && !Template.isTemplate(one.equals)
      ? [{ subject: "selector" in one ? `${one.type} of ${one.selector ?? "the page"}` : one.type, text: one.equals }]
      : []
  )
  for (const { subject, text } of isAny ? [] : equals) {
    const other = equals.find((one) => one.subject === subject && one.text !== text)
    if (other !== undefined) messages.add(`The ${subject.slice(0, 100)} cannot equal two texts, so this always fails`)
  }
  return [...messages]
}
