/** What must be true after a step, as code. */
import type { Schema } from "effect"
import * as Json from "../../workspace/Json.ts"
import type * as Expect from "../language/graph/Expect.ts"
import { rangeOf } from "../language/graph/Expect.ts"
import { defaultWaitMillis } from "../language/parameters/Fields.ts"
import { templateText, Unsayable, type Uses } from "./ProgramExpression.ts"
import { locator, runIf } from "./ProgramSteps.ts"

type Texts = Extract<Expect.Condition, { readonly type: "text" }>
type Files = Extract<Expect.Condition, { readonly type: "file" }>

/** The statements, and what they leave out. */
export interface Expected {
  readonly lines: ReadonlyArray<string>
  readonly remarks: ReadonlyArray<string>
}

/** The expectation of a step, from its parameters of a graph that can be saved. */
export const expectLines = (given: Schema.JsonObject, name: string, uses: Uses): Expected => {
  if (given.expect === undefined || given.expect === null) return { lines: [], remarks: [] }
  // The graph was checked.
  const { conditions, match, wait_time } = given.expect as unknown as Expect.Expect
  const left: Array<string> = []
  const held = conditions.flatMap((condition) => {
    try {
      return [`  ${JSON.stringify(said(condition))}: async () => ${codeOf(condition, uses)}`]
    } catch (error) {
      if (!(error instanceof Unsayable)) throw error
      left.push(`checking after "${name}" that ${said(condition)}: ${error.message}`)
      return []
    }
  })
  // Where any one is enough, one that is not known may be the one that holds.
  if (held.length === 0 || (match === "any" && left.length > 0)) {
    const remark = `checking what must be true after "${name}": ${conditions.map(said).join(", or ")}`
    return { lines: [], remarks: left.length === conditions.length ? left : [remark] }
  }
  uses.helpers.add("expected")
  const call = `await expected(page, ${wait_time ?? defaultWaitMillis}, ${JSON.stringify(match ?? "all")}, {`
  return { lines: [call, ...held.map((line, at) => (at < held.length - 1 ? `${line},` : line)), "})"], remarks: left }
}

/** A condition in words: its members as they were written. */
const said = (condition: Expect.Condition): string => {
  const { type, ...members } = condition
  return [type, ...Object.entries(members).map(([name, value]) => `${name} ${JSON.stringify(value)}`)].join(" ")
}

/** A test of the text `shown`. */
const compares = (
  { contains, equals, matches }: Pick<Texts, "contains" | "equals" | "matches">,
  uses: Uses
): string => {
  if (typeof matches === "string") return `new RegExp(${JSON.stringify(matches)}).test(shown)`
  return typeof contains === "string"
    ? `shown.includes(seen(${templateText(contains, uses)}))`
    : `shown === seen(${templateText(equals ?? "", uses)})`
}

const codeOf = (condition: Expect.Condition, uses: Uses): string => {
  switch (condition.type) {
    case "address": {
      uses.helpers.add("seen")
      return `((shown) => ${compares(condition, uses)})(page.url())`
    }
    case "text": {
      uses.helpers.add("seen").add("showsText")
      const at = condition.selector == null ? 'page.locator("body")' : locator(condition.selector, uses)
      return `showsText(${at}, (shown) => ${compares(condition, uses)})`
    }
    case "value": {
      uses.helpers.add("seen")
      const field = `${locator(condition.selector, uses)}.filter({ visible: true }).first()`
      return `((shown) => ${compares(condition, uses)})(seen(await ${field}.inputValue({ timeout: 1_000 })))`
    }
    case "element": {
      uses.helpers.add("counts")
      const { least, most } = rangeOf(condition)
      const filter = condition.state === "present" ? "" : ".filter({ visible: true })"
      return `counts(page, ${locator(condition.selector, uses)}${filter}, ${least}, ${most})`
    }
    case "file":
      return fileCode(condition, uses)
    case "variable": {
      const { type: _, ...comparison } = condition
      const code = runIf({ run_if: { conditions: [Json.objectOf(comparison as Schema.Json)] } }, uses)
      return `(${code})`
    }
    case "request":
      throw new Unsayable("the program keeps no list of requests")
  }
}

const fileCode = ({ at_least_bytes, media_type, name }: Files, uses: Uses): string => {
  if (media_type != null) throw new Unsayable("the program does not know the types of files")
  uses.helpers.add("isKept")
  return `isKept(${name == null ? '"*"' : templateText(name, uses)}, ${at_least_bytes ?? 1})`
}
