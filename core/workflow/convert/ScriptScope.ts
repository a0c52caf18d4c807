/** What the names of a script stand for, and the texts, lists and locators that its expressions are. */
import type { Schema } from "effect"
import * as Parts from "./PlaywrightLocator.ts"
import { type Comparison, holds, literal, type Text, written } from "./Recording.ts"
import {
  type Chain,
  chainOf,
  fieldsOf,
  type Link,
  nameOf,
  patternOf,
  type Tree,
  treeAt,
  treesAt,
  valueOf
} from "./ScriptTree.ts"

/** What a name stands for. */
export type Known =
  | { readonly kind: "text"; readonly text: Text }
  | { readonly kind: "list"; readonly list: ReadonlyArray<Schema.Json> }
  | { readonly kind: "locator"; readonly parts: Parts.Parts; readonly page: string }
  | { readonly kind: "page" }
  /** What a page is waited for: `popup`, `download` or another event. */
  | { readonly kind: "event"; readonly event: string; readonly page: string }
  | { readonly kind: "ignored" }

/** A locator on a page, after the links of a chain that lead to it. */
export interface Located {
  readonly parts: Parts.Parts
  readonly page: string
  readonly rest: ReadonlyArray<Link>
}

/** A name that expressions can read. */
export const plain = (name: string): string => name.replace(/\W/g, "_").replace(/^(\d)/, "_$1").slice(0, 60)

export class Scope {
  readonly #known = new Map<string, Known>()
  readonly #reads = new Map<string, string>()
  readonly #items = new Set<string>()

  reads(): ReadonlyArray<{ readonly name: string; readonly reason: string }> {
    return [...this.#reads].map(([name, reason]) => ({ name, reason }))
  }

  #isPage(name: string): boolean {
    const known = this.#known.get(name)
    return known === undefined ? /^(?:page|popup|tab|newPage)\d*$/i.test(name) : known.kind === "page"
  }

  /** A text with the values of its names; `null` for anything else. */
  textOf(tree: Tree | null | undefined): Text | null {
    if (tree === null || tree === undefined) return null
    const value = valueOf(tree)
    if (value !== undefined && value !== null) return literal(String(value))
    if (tree.type === "TemplateLiteral") return this.#template(tree)
    if (tree.type === "BinaryExpression" && tree.operator === "+") {
      const [left, right] = [this.textOf(treeAt(tree, "left")), this.textOf(treeAt(tree, "right"))]
      return left === null || right === null ? null : [...left, ...right]
    }
    if (tree.type === "LogicalExpression") return this.textOf(treeAt(tree, "left"))
    const variable = environmentOf(tree)
    if (variable !== null) {
      const name = plain(variable).toLowerCase()
      this.#reads.set(name, `The script reads the variable ${variable} of its environment`)
      return [{ expression: `context.inputs.${name}` }]
    }
    const name = nameOf(tree)
    if (name === null) return null
    if (this.#items.has(name)) return [{ expression: `context.runtime.${plain(name)}` }]
    const known = this.#known.get(name)
    return known?.kind === "text" ? known.text : null
  }

  #template(tree: Tree): Text | null {
    const quasis = treesAt(tree, "quasis")
    const values = treesAt(tree, "expressions")
    const parts: Array<Text[number]> = []
    for (const [at, quasi] of quasis.entries()) {
      const cooked = (quasi.value as { readonly cooked?: unknown } | undefined)?.cooked
      if (typeof cooked === "string" && cooked !== "") parts.push(cooked)
      const value = values[at]
      if (value === undefined) continue
      const text = this.textOf(value)
      if (text === null) return null
      parts.push(...text)
    }
    return parts
  }

  /** Notes what a name stands for, where no call is awaited. */
  keep(name: string, value: Tree): void {
    const text = this.textOf(value)
    if (text !== null) {
      this.#known.set(name, { kind: "text", text })
      return
    }
    if (value.type === "ArrayExpression") {
      const list = treesAt(value, "elements").map((one) => valueOf(one))
      if (list.every((one) => one !== undefined)) this.#known.set(name, { kind: "list", list })
      return
    }
    const chain = chainOf(value)
    const event = this.eventOf(chain)
    if (event !== null) {
      this.#known.set(name, event)
      return
    }
    const located = this.located(chain)
    if (located !== null && located.rest.length === 0) {
      this.#known.set(name, { kind: "locator", parts: located.parts, page: located.page })
    }
  }

  /** A list or a number of turns of a loop; `null` for others. */
  turnsOf(
    tree: Tree
  ): { readonly over: Schema.Json; readonly item: string; readonly index: string; readonly name: string } | null {
    if (tree.type === "ForOfStatement") {
      const [declared] = treesAt(treeAt(tree, "left"), "declarations")
      const name = nameOf(treeAt(declared ?? null, "id"))
      const list = this.#listOf(treeAt(tree, "right"))
      if (name === null || list === null) return null
      this.#items.add(name)
      return { over: list, item: plain(name), index: `${plain(name)}_index`, name }
    }
    if (tree.type !== "ForStatement") return null
    const [declared] = treesAt(treeAt(tree, "init"), "declarations")
    const name = nameOf(treeAt(declared ?? null, "id"))
    const test = treeAt(tree, "test")
    const most = valueOf(treeAt(test, "right"))
    const isCounted =
      test?.operator === "<" && nameOf(treeAt(test, "left")) === name && valueOf(treeAt(declared ?? null, "init")) === 0
    if (name === null || !isCounted || typeof most !== "number" || !Number.isInteger(most)) return null
    this.#items.add(name)
    return { over: most, item: plain(name), index: `${plain(name)}_index`, name }
  }

  leave(name: string): void {
    this.#items.delete(name)
  }

  #listOf(tree: Tree | null): ReadonlyArray<Schema.Json> | null {
    const known = this.#known.get(nameOf(tree) ?? "")
    if (known?.kind === "list") return known.list
    if (tree?.type !== "ArrayExpression") return null
    const list = treesAt(tree, "elements").map((one) => valueOf(one))
    return list.flatMap((one) => (one === undefined ? [] : [one])).length === list.length
      ? (list as ReadonlyArray<Schema.Json>)
      : null
  }

  /** Whether an element is there, as the condition of a branch. */
  conditionOf(tree: Tree): Comparison | null {
    if (tree.type === "UnaryExpression" && tree.operator === "!") {
      const inner = treeAt(tree, "argument")
      const found = inner === null ? null : this.conditionOf(inner)
      if (found?.comparison_operator === "IS_NOT_NULL") return { ...found, comparison_operator: "IS_NULL" }
      return found?.comparison_operator === "IS_NULL" ? { ...found, comparison_operator: "IS_NOT_NULL" } : null
    }
    const value = valueOf(tree)
    if (typeof value === "boolean") return holds(String(value))
    if (tree.type === "BinaryExpression") {
      const left = treeAt(tree, "left")
      const isSome =
        /^(?:>|>=|!==?)$/.test(String(tree.operator)) && /^(?:0|1)$/.test(String(valueOf(treeAt(tree, "right"))))
      const found = left === null || !isSome ? null : this.#asked(left, "count")
      return found ?? (left === null || valueOf(treeAt(tree, "right")) !== null ? null : this.#asked(left, "$"))
    }
    return this.#asked(tree, "isVisible") ?? this.#asked(tree, "$")
  }

  #asked(given: Tree, how: string): Comparison | null {
    const tree = given.type === "AwaitExpression" ? (treeAt(given, "argument") ?? given) : given
    const located = this.located(chainOf(tree))
    const element = located === null ? null : Parts.elementOf(located.parts)
    if (located === null || element === null) return null
    const [only, more] = located.rest
    const isAsked = how === "$" ? only === undefined : only?.name === how && more === undefined
    if (!isAsked) return null
    return { comparison_operator: "IS_NOT_NULL", comparison_value_1: `<<xpath:${element.selectors[0]}>>` }
  }

  eventOf({ links, root }: Chain): Extract<Known, { readonly kind: "event" }> | null {
    const page = nameOf(root)
    const [only, more] = links
    if (page === null || only?.name !== "waitForEvent" || more !== undefined) return null
    const event = valueOf(only.given?.[0])
    return typeof event === "string" ? { kind: "event", event, page } : null
  }

  /** The locator at the beginning of a chain; `null` for a chain of something else. */
  located({ links, root }: Chain): Located | null {
    const name = nameOf(root)
    if (name === null) return null
    const known = this.#known.get(name)
    const isLocator = known?.kind === "locator"
    if (!isLocator && !this.#isPage(name)) return null
    let parts = isLocator ? known.parts : Parts.whole
    for (const [at, link] of links.entries()) {
      const next = this.#narrowed(parts, link)
      if (next === null) return { parts, page: isLocator ? known.page : name, rest: links.slice(at) }
      parts = next
    }
    return { parts, page: isLocator ? known.page : name, rest: [] }
  }

  /** A locator within another one; `null` for a call that acts. */
  #narrowed(parts: Parts.Parts, { given, name }: Link): Parts.Parts | null {
    if (given === null) return name === "mainFrame" ? parts : null
    const [first, second] = given
    const options = fieldsOf(second ?? null)
    const isExact = valueOf(options.get("exact")) === true
    const wanted = this.wanted(first)
    switch (name) {
      case "locator":
      case "$":
      case "frameLocator": {
        if (first === undefined) return name === "frameLocator" ? Parts.inAnyFrame(parts) : null
        const text = this.selectorOf(first)
        if (text === null) return this.#related(parts, given)
        const found = Parts.bySelector(parts, text)
        return name === "frameLocator" ? Parts.inFrame(found) : this.#filtered(found, options)
      }
      case "contentFrame":
        return Parts.inFrame(parts)
      case "getByRole": {
        const role = valueOf(first)
        if (typeof role !== "string") return null
        const states = [...options].flatMap(([state, value]) => {
          const set = valueOf(value)
          return /^(?:checked|disabled|expanded|includeHidden|pressed|selected|level)$/.test(state) &&
            (typeof set === "boolean" || typeof set === "number")
            ? [[state, set] as const]
            : []
        })
        return Parts.byRole(parts, role, this.wanted(options.get("name")), isExact, Object.fromEntries(states))
      }
      case "getByText":
        return wanted === null ? null : Parts.byText(parts, wanted, isExact)
      case "getByLabel":
        return wanted === null ? null : Parts.byLabel(parts, wanted, isExact)
      case "getByPlaceholder":
        return wanted === null ? null : Parts.byAttribute(parts, "placeholder", wanted, isExact)
      case "getByAltText":
        return wanted === null ? null : Parts.byAttribute(parts, "alt", wanted, isExact)
      case "getByTitle":
        return wanted === null ? null : Parts.byAttribute(parts, "title", wanted, isExact)
      case "getByTestId":
        return wanted === null ? null : Parts.byAttribute(parts, "data-testid", wanted, true)
      case "first":
        return Parts.nth(parts, 0)
      case "last":
        return Parts.nth(parts, -1)
      case "nth": {
        const index = valueOf(first)
        return typeof index === "number" ? Parts.nth(parts, index) : null
      }
      case "filter":
        return this.#filtered(parts, fieldsOf(first ?? null))
      case "and":
      case "or":
        return this.#related(parts, given, name)
      default:
        return null
    }
  }

  #related(parts: Parts.Parts, [first]: ReadonlyArray<Tree>, how: "and" | "or" | null = null): Parts.Parts | null {
    const other = first === undefined ? null : this.located(chainOf(first))
    if (other === null || other.rest.length > 0) return null
    return how === null
      ? { parts: [...parts.parts, ...other.parts.parts], name: other.parts.name }
      : Parts.related(parts, how, other.parts)
  }

  #filtered(parts: Parts.Parts, options: ReadonlyMap<string, Tree>): Parts.Parts {
    let found = parts
    for (const [name, value] of options) {
      const text = this.wanted(value)
      if (/^has(?:Not)?Text$/.test(name) && text !== null) found = Parts.withText(found, text, name === "hasNotText")
      if (name === "has" || name === "hasNot") {
        const other = this.located(chainOf(value))
        if (other !== null) found = Parts.related(found, name === "has" ? "has" : "has-not", other.parts)
      }
      if (name === "visible" && valueOf(value) === true) found = { ...found, parts: [...found.parts, "visible=true"] }
    }
    return found
  }

  wanted(tree: Tree | null | undefined): Parts.Wanted | null {
    const text = this.textOf(tree)
    return text === null ? patternOf(tree) : written(text)
  }

  selectorOf(tree: Tree | null | undefined): string | null {
    const text = this.textOf(tree)
    return text === null ? null : written(text)
  }

  /** What a name stands for; `undefined` for one that is not known. */
  known(name: string): Known | undefined {
    return this.#known.get(name)
  }

  /** Notes what a name stands for. */
  note(name: string, known: Known): void {
    this.#known.set(name, known)
  }

  /** Notes that the workflow needs an input, and why. */
  needs(input: string, reason: string): void {
    this.#reads.set(input, reason)
  }
}

/** The name of a variable of the environment: `process.env.NAME`. */
const environmentOf = (tree: Tree): string | null => {
  const { links, root } = chainOf(tree)
  const [env, name, more] = links
  return nameOf(root) === "process" &&
    env?.name === "env" &&
    name !== undefined &&
    name.given === null &&
    more === undefined
    ? name.name
    : null
}
