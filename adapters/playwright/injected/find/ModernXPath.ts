/**
 * XPath 3.1, by a library that is injected into a document when a path first needs it.
 */
import type { Query } from "../../../../core/browser/element/Selector.ts"
import { evaluationMillis } from "./Limits.ts"
import {
  attributesOf,
  childrenOf,
  firstOf,
  isElement,
  lastOf,
  nextOf,
  parentOf,
  previousOf,
  shadowOf
} from "./Nodes.ts"

/** The used part of the library, `fontoxpath`. */
interface Library {
  readonly evaluateXPath: (
    path: string,
    context: Node,
    facade: object,
    variables: object,
    type: number,
    options: object
  ) => ReadonlyArray<Node | string | number | boolean>
  readonly registerCustomXPathFunction: (
    name: object,
    parameters: ReadonlyArray<string>,
    result: string,
    act: (context: unknown, ...given: ReadonlyArray<string>) => unknown
  ) => void
}

let library: Library | null = null

// biome-ignore lint/security/noGlobalEval: it runs a library in an isolated world
const inGlobal = eval

/** The library, as an expression to inject. */
export const install = (source: string): void => {
  const brought: Library = inGlobal(source)
  brought.registerCustomXPathFunction(
    { namespaceURI: "http://www.w3.org/2005/xpath-functions", localName: "matches" },
    ["xs:string?", "xs:string", "xs:string"],
    "xs:boolean",
    (_context, text, pattern = "", flags = "") => expression(pattern, flags).test(text ?? "")
  )
  library = brought
}

/** The library has no flags for `matches`. */
const expression = (pattern: string, flags: string): RegExp =>
  flags.includes("q")
    ? new RegExp(pattern.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"), `gu${flags.replace(/[qxms]/g, "")}`)
    : new RegExp(flags.includes("x") ? pattern.replace(/\s+/g, "") : pattern, `gu${flags.replace(/x/g, "")}`)

/**
 * The result of a path; `whole` takes the contents of shadow roots as the first children of their hosts.
 *
 * @throws Error `sluice:modern` where the library is missing, `sluice:slow` after the limit, `sluice:unreadable` with
 * the reason for a path that it refuses.
 */
export const evaluateModern = (query: Query, context: Node, whole: boolean) => {
  if (library === null) throw new Error("sluice:modern")
  until = performance.now() + evaluationMillis
  facades ??= { own: own(), whole: withShadows() }
  // The DOM does not change while a task runs.
  queueMicrotask(() => {
    facades = null
  })
  try {
    return library.evaluateXPath(query.modern, context, whole ? facades.whole : facades.own, {}, allResults, options)
  } catch (error) {
    if (error instanceof Error && error.message.includes("sluice:")) throw error
    throw new Error(`sluice:unreadable ${reasonOf(error)}`)
  }
}

/** Results of any type, as the library counts its types. */
const allResults = 14

const options = {
  namespaceResolver: (prefix: string) => (prefix === "" ? "http://www.w3.org/1999/xhtml" : null),
  language: "XPath3.1"
}

const reasonOf = (error: unknown): string => {
  const lines = String(error instanceof Error ? error.message : error).split("\n")
  const reason = lines.find((line) => /\b(XP|FO|XT)[A-Z]{2}\d{4}\b/.test(line)) ?? lines[0] ?? ""
  const column = lines.map((line) => /at <>:\d+:(\d+)/.exec(line)?.[1]).find((one) => one !== undefined)
  return `${reason.replace(/^\s*Error: /, "").trim()}${column === undefined ? "" : ` (at character ${column})`}`
}

// --- the document as the library sees it

let facades: { readonly own: object; readonly whole: object } | null = null
let until = 0
let looks = 0

const look = (): void => {
  if (++looks % 256 === 0 && performance.now() > until) throw new Error("sluice:slow")
}

const looking = (at: (node: Node) => Node | null) => (node: Node) => {
  look()
  return at(node)
}

const remembering = (list: (node: Node) => ReadonlyArray<Node>) => {
  const known = new Map<Node, ReadonlyArray<Node>>()
  return (node: Node) => {
    look()
    let found = known.get(node)
    if (found === undefined) {
      found = list(node)
      known.set(node, found)
    }
    return found
  }
}

const attributes = {
  getAllAttributes: (node: Node) => (node.nodeType === 1 ? [...attributesOf(node)] : []),
  getAttribute: (node: Node, name: string) => (isElement(node) ? node.getAttribute(name) : null),
  getData: (node: Node) => {
    look()
    // The evaluator asks for the data of attributes, texts and comments only.
    return node.nodeType === 2 ? (node as Attr).value : (node as CharacterData).data
  }
}

/** The document alone. */
const own = () => ({
  ...attributes,
  getChildNodes: remembering((node) => [...childrenOf(node)]),
  getFirstChild: looking(firstOf),
  getLastChild: looking(lastOf),
  getNextSibling: looking(nextOf),
  getPreviousSibling: looking(previousOf),
  getParentNode: looking(parentOf)
})

const hostOf = (node: Node | null): Node | null => (node instanceof ShadowRoot ? node.host : node)

/** The document with the content of shadow roots as the first children of their hosts. */
const withShadows = () => ({
  ...attributes,
  getChildNodes: remembering((node) => [...(shadowOf(node)?.childNodes ?? []), ...childrenOf(node)]),
  getFirstChild: looking((node) => shadowOf(node)?.firstChild ?? firstOf(node)),
  getLastChild: looking((node) => lastOf(node) ?? shadowOf(node)?.lastChild ?? null),
  getNextSibling: looking((node) => {
    const next = nextOf(node)
    const parent = next === null ? parentOf(node) : null
    return next ?? (parent instanceof ShadowRoot ? firstOf(parent.host) : null)
  }),
  getPreviousSibling: looking((node) => {
    const previous = previousOf(node)
    const parent = previous === null ? parentOf(node) : null
    return previous ?? (parent === null ? null : (shadowOf(parent)?.lastChild ?? null))
  }),
  getParentNode: looking((node) => hostOf(parentOf(node)))
})
