/**
 * What finds elements inside a page: a selector engine of Playwright's, in the world that pages do not share. The function
 * is sent there as its source, so it uses nothing from outside itself.
 */
import type { Query } from "../../../core/browser/element/Selector.ts"

/** What is asked for: elements to act on, or an answer of a function that runs there. */
export type Job =
  | {
      readonly query: Query
      /**
       * `top`: the document alone, or else its shadow roots; if there are frames too, they must be searched first.
       * `own`: the document alone. `whole`: with its shadow roots.
       */
      readonly where: "top" | "own" | "whole"
      readonly take: "one" | "first" | "all"
      /** With `top`: ends with `elsewhere`, where nothing is found, once this number is kept as `left`. */
      readonly visit?: number
    }
  | { readonly run: string; readonly arg: unknown }
  /** The element that a function kept under this name. */
  | { readonly kept: string }
  /** Gathers what it is asked about, one element after the other, for a function that is run next. */
  | { readonly gather: string }

/** What functions that run in that world are given. */
export interface World {
  /** What an XPath yields: nodes, or texts, numbers and truth values. `first` stops at the first node. */
  readonly evaluate: (
    query: Query,
    context: Node,
    whole: boolean,
    first?: boolean
  ) => ReadonlyArray<Node | string | number | boolean>
  /** The elements that a query means. */
  readonly elements: (query: Query, whole: boolean) => ReadonlyArray<Element>
  readonly hasShadow: () => boolean
  readonly hasFrames: () => boolean
  /** Calls a function that was sent as its source. */
  readonly call: (source: string, ...given: ReadonlyArray<unknown>) => unknown
  /** Keeps something under a name in place of what was kept under it before, for as long as the document is there. */
  readonly keep: (name: string, kept: unknown) => void
  /** What was kept under a name. */
  readonly kept: (name: string) => unknown
  /** The elements that were gathered under a name, once. */
  readonly gathered: (name: string) => ReadonlyArray<Element>
  /** Brings the engine of XPath 3.1. */
  readonly install: (source: string) => void
}

export const engine = (limitMillis: number, largestWork: number) => {
  interface Modern {
    evaluateXPath: (
      path: string,
      context: Node,
      facade: object,
      variables: object,
      type: number,
      options: object
    ) => ReadonlyArray<unknown>
    registerCustomXPathFunction: (
      name: object,
      parameters: ReadonlyArray<string>,
      result: string,
      act: (...given: ReadonlyArray<never>) => unknown
    ) => void
  }
  let modern: Modern | null = null
  const functions = "http://www.w3.org/2005/xpath-functions"

  // A form can hide what it has from its parents by fields of these names; the getters themselves cannot be hidden.
  const getter = <A>(of: object, name: string): ((node: Node) => A) => {
    const get = Object.getOwnPropertyDescriptor(of, name)?.get
    return (node) => get?.call(node) as A
  }
  const parentOf = getter<Node | null>(Node.prototype, "parentNode")
  const firstOf = getter<Node | null>(Node.prototype, "firstChild")
  const lastOf = getter<Node | null>(Node.prototype, "lastChild")
  const nextOf = getter<Node | null>(Node.prototype, "nextSibling")
  const previousOf = getter<Node | null>(Node.prototype, "previousSibling")
  const childrenOf = getter<NodeListOf<ChildNode>>(Node.prototype, "childNodes")
  const attributesOf = getter<NamedNodeMap>(Element.prototype, "attributes")
  const shadow = getter<ShadowRoot | null>(Element.prototype, "shadowRoot")
  const shadowOf = (node: Node): ShadowRoot | null => (node.nodeType === 1 ? shadow(node) : null)

  let until = 0
  let looks = 0
  const look = () => {
    if (++looks % 256 === 0 && performance.now() > until) throw new Error("sluice:slow")
  }
  const looking = (at: (node: Node) => Node | null) => (node: Node) => {
    look()
    return at(node)
  }
  const attributes = {
    getAllAttributes: (node: Node) => (node.nodeType === 1 ? [...attributesOf(node)] : []),
    getAttribute: (node: Node, name: string) => (node.nodeType === 1 ? (node as Element).getAttribute(name) : null),
    getData: (node: Node) => {
      look()
      return node.nodeType === 2 ? (node as Attr).value : (node as CharacterData).data
    }
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
  /** The document with what stands in shadow roots as the first children of their hosts. */
  const whole = () => {
    const hostOf = (node: Node | null): Node | null => (node instanceof ShadowRoot ? node.host : node)
    return {
      ...attributes,
      getChildNodes: remembering((node) => [...(shadowOf(node)?.childNodes ?? []), ...childrenOf(node)]),
      getFirstChild: looking((node) => shadowOf(node)?.firstChild ?? firstOf(node)),
      getLastChild: looking((node) => lastOf(node) ?? shadowOf(node)?.lastChild ?? null),
      getNextSibling: (node: Node) => {
        look()
        const next = nextOf(node)
        const parent = next === null ? parentOf(node) : null
        return next ?? (parent instanceof ShadowRoot ? firstOf(parent.host) : null)
      },
      getPreviousSibling: (node: Node) => {
        look()
        const previous = previousOf(node)
        const parent = previous === null ? parentOf(node) : null
        return previous ?? (parent === null ? null : (shadowOf(parent)?.lastChild ?? null))
      },
      getParentNode: looking((node) => hostOf(parentOf(node)))
    }
  }
  let facades: { own: object; whole: object } | null = null
  const resolve = (prefix: string) => (prefix === "" ? "http://www.w3.org/1999/xhtml" : null)
  const options = { namespaceResolver: resolve, language: "XPath3.1" }

  // biome-ignore lint/security/noGlobalEval: it runs our own functions, and a library, in a world of its own
  const inGlobal = eval

  const install = (source: string) => {
    modern = inGlobal(source) as Modern
    const expression = (pattern: string, flags: string) =>
      flags.includes("q")
        ? new RegExp(pattern.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"), `gu${flags.replace(/[qxms]/g, "")}`)
        : new RegExp(flags.includes("x") ? pattern.replace(/\s+/g, "") : pattern, `gu${flags.replace(/x/g, "")}`)
    const more = (
      localName: string,
      parameters: ReadonlyArray<string>,
      result: string,
      act: (...given: ReadonlyArray<string>) => unknown
    ) =>
      modern?.registerCustomXPathFunction(
        { namespaceURI: functions, localName },
        parameters,
        result,
        (_context, ...given) => act(...given)
      )
    more("matches", ["xs:string?", "xs:string", "xs:string"], "xs:boolean", (text, pattern = "", flags = "") =>
      expression(pattern, flags).test(text ?? "")
    )
  }

  const reasonOf = (error: unknown): string => {
    const lines = String(error instanceof Error ? error.message : error).split("\n")
    const reason = lines.find((line) => /\b(XP|FO|XT)[A-Z]{2}\d{4}\b/.test(line)) ?? lines[0] ?? ""
    const column = lines.map((line) => /at <>:\d+:(\d+)/.exec(line)?.[1]).find((one) => one !== undefined)
    return `${reason.replace(/^\s*Error: /, "").trim()}${column === undefined ? "" : ` (at character ${column})`}`
  }
  const evaluateModern = (query: Query, context: Node, flat: boolean) => {
    if (modern === null) throw new Error("sluice:modern")
    until = performance.now() + limitMillis
    facades ??= { own: own(), whole: whole() }
    // The DOM does not change while a task runs.
    queueMicrotask(() => {
      facades = null
    })
    try {
      return modern.evaluateXPath(query.modern, context, flat ? facades.whole : facades.own, {}, 14, options)
    } catch (error) {
      if (error instanceof Error && error.message.includes("sluice:")) throw error
      throw new Error(`sluice:unreadable ${reasonOf(error)}`)
    }
  }

  /** Paths that the browser's own engine reads, and of which type their results are; `null` for those that it refuses. */
  const known = new Map<string, { expression: XPathExpression; type: number } | null>()
  const plain = (query: Query) => {
    if (query.weight > 0 && document.getElementsByTagName("*").length ** (query.weight + 1) > largestWork) return null
    let found = known.get(query.plain)
    if (found === undefined) {
      try {
        found = { expression: document.createExpression(query.plain), type: 0 }
      } catch {
        found = null
      }
      if (known.size > 500) known.clear()
      known.set(query.plain, found)
    }
    return found
  }
  const evaluate: World["evaluate"] = (query, context, flat, first = false) => {
    const own = flat ? null : plain(query)
    if (own === null) return evaluateModern(query, context, flat) as ReturnType<World["evaluate"]>
    if (own.type === 0) own.type = own.expression.evaluate(context, 0).resultType
    if (own.type === 1) return [own.expression.evaluate(context, 1).numberValue]
    if (own.type === 2) return [own.expression.evaluate(context, 2).stringValue]
    if (own.type === 3) return [own.expression.evaluate(context, 3).booleanValue]
    if (first) {
      const node = own.expression.evaluate(context, 9).singleNodeValue
      return node === null ? [] : [node]
    }
    const found = own.expression.evaluate(context, 7)
    return Array.from({ length: found.snapshotLength }, (_, at) => found.snapshotItem(at) as Node)
  }

  /** Texts stand for the elements that they are in. */
  const elements: World["elements"] = (query, flat) => {
    const found = new Set<Element>()
    for (const item of evaluate(query, document, flat)) {
      if (!(item instanceof Node)) throw new Error("sluice:unreadable it yields a value, not an element")
      const element = item.nodeType === 3 ? parentOf(item) : item
      if (element?.nodeType === 1) found.add(element as Element)
    }
    return [...found]
  }
  /** How many elements a path selects in the document alone, at little cost. */
  const countPlain = (query: Query): number => {
    const own = plain(query)
    if (own === null) return 0
    if (own.type === 0) own.type = own.expression.evaluate(document, 0).resultType
    return own.type > 3 ? own.expression.evaluate(document, 6).snapshotLength : 0
  }

  const every = (): NodeListOf<Element> => document.querySelectorAll("*")
  const hasShadow = (): boolean => {
    for (const element of every()) if (shadow(element) !== null) return true
    return false
  }
  const framesIn = (root: ParentNode): boolean => {
    if (root.querySelector("iframe,frame,object,embed") !== null) return true
    for (const element of root.querySelectorAll("*")) {
      const inner = shadow(element)
      if (inner !== null && framesIn(inner)) return true
    }
    return false
  }
  const hasFrames = () => framesIn(document)
  const call: World["call"] = (source, ...given) =>
    (inGlobal(`(${source})`) as (...given: ReadonlyArray<unknown>) => unknown)(...given)
  const things = new Map<string, unknown>()
  const keep: World["keep"] = (name, kept) => void things.set(name, kept)
  const kept: World["kept"] = (name) => things.get(name)
  const gathered: World["gathered"] = (name) => {
    const all = (things.get(name) ?? []) as ReadonlyArray<Element>
    things.delete(name)
    return all
  }
  const world: World = { evaluate, elements, hasShadow, hasFrames, call, keep, kept, gathered, install }

  const find = ({ query, take, visit, where }: Extract<Job, { query: Query }>): ReadonlyArray<Element> => {
    if (take === "one" && where !== "whole") {
      const many = countPlain(query)
      if (many > 100) throw new Error(`sluice:several ${many}`)
    }
    let found = where === "whole" ? [] : elements(query, false)
    if (found.length === 0 && where === "top") {
      if (hasFrames() || (visit !== undefined && things.get("left") === visit)) throw new Error("sluice:elsewhere")
      if (hasShadow()) found = elements(query, true)
    }
    if (where === "whole") found = elements(query, true)
    if (found.length === 0 && where !== "top" && take !== "all") throw new Error("sluice:gone")
    if (found.length > 1 && take === "one") throw new Error(`sluice:several ${found.length}`)
    return take === "first" ? found.slice(0, 1) : found
  }

  const queryAll = (root: Node, body: string): ReadonlyArray<Element> => {
    const job = JSON.parse(body) as Job
    if ("query" in job) return find(job)
    if ("kept" in job) {
      const one = things.get(job.kept)
      if (!(one instanceof Element) || !one.isConnected) throw new Error("sluice:gone")
      return [one]
    }
    const subject = root.nodeType === 1 ? (root as Element) : document.documentElement
    if ("gather" in job) {
      keep(job.gather, [...((things.get(job.gather) ?? []) as ReadonlyArray<Element>), subject])
      return []
    }
    // The answer is handed over in an element that is in no document, so the page does not come to see it.
    const answer = document.createElement("data")
    answer.textContent = JSON.stringify(call(job.run, job.arg, world, subject)) ?? ""
    return [answer]
  }
  return { queryAll, query: (root: Node, body: string) => queryAll(root, body)[0] ?? null }
}
