/** Warnings about valid selectors that probably do not select what their author intends. */
import type { Problem } from "../../Workflow.ts"
import type { Node } from "../graph/Graph.ts"
import * as SelectorSyntax from "../graph/SelectorSyntax.ts"

/** The parameters that are selectors, for every action. */
const names = ["selector", "to_selector", "taken_selector", "xpath", "container_xpath"] as const

/** The actions whose selector must match exactly one element. */
const ofOne: ReadonlySet<string> = new Set(["CLICK", "DRAG", "INPUT_TEXT", "INPUT_SELECT", "TFA", "FILE_UPLOAD"])

/** Elements of which a page usually has several. */
const common = "\\*|a|button|input|div|span|li|ul|td|th|tr|p|label|img|svg|i|option"
const anyOfThem = new RegExp(`^(xpath=)?(\\(?/)?//(${common})\\)?$|^css=(${common})$`, "i")

/** Elements that contain others, and of which a page usually has several. */
const parts = `${common}|table|tbody|thead|ol|dl|dt|dd|section|article`
const anyWithinThem = new RegExp(`^(xpath=)?//((${parts})/{1,2})+(${common})$`, "i")

/** A path whose last step is an item of a list or a table, without a predicate. */
const anyItem = /^(xpath=)?\/\/[^[\]()@]*\/(li|tr|td|th|option)$/i

/** The warnings of the selectors of a node; `path` is that of its parameters. */
export const ofNode = ({ action, name, parameters }: Node, path: string): ReadonlyArray<Problem> => {
  const fields: Readonly<Record<string, unknown>> = parameters
  const { execution, selector } = fields
  if (execution === "COORDINATES") return []
  const found = names.flatMap((field) => {
    const message = typeof fields[field] === "string" ? meantAsCss(fields[field]) : null
    return message === null ? [] : [{ path: `${path}.${field}`, message }]
  })
  const isStatic = execution === undefined || execution === null || execution === "STATIC"
  if (!ofOne.has(action) || !isStatic || typeof selector !== "string") return found
  const message = mayMatchMany(selector.trim(), name)
  return message === null ? found : [...found, { path: `${path}.selector`, message }]
}

/** The warning about a selector that looks like CSS and has no prefix `css=`. */
export const meantAsCss = (selector: string): string | null =>
  SelectorSyntax.looksLikeCss(selector)
    ? `This looks like a CSS selector and is read as an XPath: write css=${selector.trim().slice(0, 100)}`
    : null

const mayMatchMany = (selector: string, name: string): string | null =>
  anyOfThem.test(selector) || anyWithinThem.test(selector) || anyItem.test(selector)
    ? `${selector.slice(0, 100)} may match many elements, and node "${name}" needs exactly one: add a condition, such as its text, its id or its name`
    : null
