/** The calls of a script on pages and locators, one by one. */
import type { Schema } from "effect"
import * as Parts from "./PlaywrightLocator.ts"
import {
  type Act,
  type Comparison,
  type Element,
  holds,
  literal,
  literalOf,
  lost,
  requires,
  type Step,
  step,
  type Text,
  written
} from "./Recording.ts"
import * as ScriptKeys from "./ScriptKeys.ts"
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

export type Where = Pick<Step, "step" | "line" | "kind">

/** What a name stands for. */
type Known =
  | { readonly kind: "text"; readonly text: Text }
  | { readonly kind: "list"; readonly list: ReadonlyArray<Schema.Json> }
  | { readonly kind: "locator"; readonly parts: Parts.Parts; readonly page: string }
  | { readonly kind: "page" }
  /** What a page is waited for: `popup`, `download` or another event. */
  | { readonly kind: "event"; readonly event: string; readonly page: string }
  | { readonly kind: "ignored" }

/** A locator on a page, after the links of a chain that lead to it. */
interface Located {
  readonly parts: Parts.Parts
  readonly page: string
  readonly rest: ReadonlyArray<Link>
}

/** A name that expressions can read. */
const plain = (name: string): string => name.replace(/\W/g, "_").replace(/^(\d)/, "_$1").slice(0, 60)

export class Scope {
  readonly #known = new Map<string, Known>()
  readonly #reads = new Map<string, string>()
  readonly #items = new Set<string>()
  readonly #pages: Array<string> = []
  #page = ""
  /** Whether the script has opened its first page. */
  #isOpen = false

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
    const event = this.#eventOf(chain)
    if (event !== null) {
      this.#known.set(name, event)
      return
    }
    const located = this.#located(chain)
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
    const located = this.#located(chainOf(tree))
    const element = located === null ? null : Parts.elementOf(located.parts)
    if (located === null || element === null) return null
    const [only, more] = located.rest
    const isAsked = how === "$" ? only === undefined : only?.name === how && more === undefined
    if (!isAsked) return null
    return { comparison_operator: "IS_NOT_NULL", comparison_value_1: `<<xpath:${element.selectors[0]}>>` }
  }

  #eventOf({ links, root }: Chain): Extract<Known, { readonly kind: "event" }> | null {
    const page = nameOf(root)
    const [only, more] = links
    if (page === null || only?.name !== "waitForEvent" || more !== undefined) return null
    const event = valueOf(only.given?.[0])
    return typeof event === "string" ? { kind: "event", event, page } : null
  }

  /** The locator at the beginning of a chain; `null` for a chain of something else. */
  #located({ links, root }: Chain): Located | null {
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
    const wanted = this.#wanted(first)
    switch (name) {
      case "locator":
      case "$":
      case "frameLocator": {
        const text = this.#selectorOf(first)
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
        return Parts.byRole(parts, role, this.#wanted(options.get("name")), isExact, Object.fromEntries(states))
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
    const other = first === undefined ? null : this.#located(chainOf(first))
    if (other === null || other.rest.length > 0) return null
    return how === null
      ? { parts: [...parts.parts, ...other.parts.parts], name: other.parts.name }
      : Parts.related(parts, how, other.parts)
  }

  #filtered(parts: Parts.Parts, options: ReadonlyMap<string, Tree>): Parts.Parts {
    let found = parts
    for (const [name, value] of options) {
      const text = this.#wanted(value)
      if (/^has(?:Not)?Text$/.test(name) && text !== null) found = Parts.withText(found, text, name === "hasNotText")
      if (name === "has" || name === "hasNot") {
        const other = this.#located(chainOf(value))
        if (other !== null) found = Parts.related(found, name === "has" ? "has" : "has-not", other.parts)
      }
      if (name === "visible" && valueOf(value) === true) found = { ...found, parts: [...found.parts, "visible=true"] }
    }
    return found
  }

  #wanted(tree: Tree | null | undefined): Parts.Wanted | null {
    const text = this.textOf(tree)
    return text === null ? patternOf(tree) : written(text)
  }

  #selectorOf(tree: Tree | null | undefined): string | null {
    const text = this.textOf(tree)
    return text === null ? null : written(text)
  }

  /** The step of a call; `null` for one that is no step, such as a helper of the test runner. */
  call(tree: Tree, name: string | null, where: Where): Step | null {
    const chain = chainOf(tree)
    const own = nameOf(tree)
    if (own !== null) return this.#awaited(own, name, where)
    const event = this.#eventOf(chain)
    if (event !== null) return this.#event(event, name, where)
    if (chain.root.type === "CallExpression" && nameOf(treeAt(chain.root, "callee")) === "expect")
      return this.#expectation(chain, where)
    const located = this.#located(chain)
    if (located === null) return this.#other(chain, name, where)
    if (located.rest.length === 0 && name !== null) {
      this.#known.set(name, { kind: "locator", parts: located.parts, page: located.page })
    }
    const switching = this.#switchTo(located.page)
    const done = this.#act(located, name, where)
    return { ...done, acts: [...switching, ...done.acts] }
  }

  /** A promise that was kept under a name, such as that of a popup. */
  #awaited(own: string, name: string | null, where: Where): Step {
    const known = this.#known.get(own)
    if (known?.kind === "event") return this.#event(known, name, where)
    return step(where, [], ["It only waits, so nothing is done"])
  }

  #event({ event }: Extract<Known, { readonly kind: "event" }>, name: string | null, where: Where): Step {
    if (event === "popup" || event === "page") {
      if (name !== null) {
        this.#known.set(name, { kind: "page" })
        this.#pages.push(name)
        this.#page = name
      }
      return step(where, [], ["The tab that was opened is the present one by itself"])
    }
    if (event === "download") {
      if (name !== null) this.#known.set(name, { kind: "ignored" })
      return step(where, [{ _tag: "Do", action: "FILE_DOWNLOAD", name: "Keep the file", parameters: {} }])
    }
    if (event === "filechooser") return step(where, [], ["A FILE_UPLOAD without a selector takes the open file dialog"])
    return lost(
      where,
      `Runs do not wait for the event "${event.slice(0, 40)}": say by expect of the step before what happens`
    )
  }

  #switchTo(page: string): ReadonlyArray<Act> {
    const index = this.#pages.indexOf(page)
    if (this.#page === page) return []
    this.#page = page
    if (index < 0) {
      this.#pages.push(page)
      return []
    }
    return [
      {
        _tag: "Do",
        action: "TAB_MANAGEMENT",
        name: "Switch to a tab",
        parameters: { tabAction: "SWITCH", tab_index: index }
      }
    ]
  }

  /** Calls on a browser, a context or a dialog, and on what is not known. */
  #other({ links, root }: Chain, name: string | null, where: Where): Step | null {
    const called = nameOf(root) ?? nameOf(treeAt(root, "callee")) ?? ""
    const last = links.at(-1)?.name ?? ""
    if (last === "newPage" || (last === "launchPersistentContext" && name !== null)) {
      if (name === null) return step(where, [])
      this.#known.set(name, { kind: "page" })
      // A function before may have named the first page already.
      const isFirst = !this.#isOpen
      this.#isOpen = true
      if (!this.#pages.includes(name)) this.#pages.push(name)
      this.#page = name
      return step(
        where,
        isFirst ? [] : [{ _tag: "Do", action: "TAB_MANAGEMENT", name: "Open a tab", parameters: { tabAction: "OPEN" } }]
      )
    }
    if (
      /^(?:launch|connect|connectOverCDP|newContext|createBrowserContext|createIncognitoBrowserContext)$/.test(last) ||
      (last === "close" && /browser|context/i.test(called))
    ) {
      return step(where, [])
    }
    if (this.#known.get(called)?.kind === "ignored") return step(where, [], ["The file is kept by the run"])
    if (/^(?:console|test|it|describe|expect)$/.test(called) && !/^(?:use)$/.test(last)) return null
    if (called === "require" || called === "import") return null
    return lost(
      where,
      `It is no call on a page or a locator: add an action that does the same, if it does something on the page`
    )
  }

  #act(located: Located, name: string | null, where: Where): Step {
    const [link, ...more] = located.rest
    if (link === undefined) return step(where, [])
    const { given, name: called } = link
    const [device] = more
    if (given === null && (called === "keyboard" || called === "mouse") && device !== undefined)
      return this.#device(called, device, where)
    const element = Parts.elementOf(located.parts)
    if (element === null) return this.#onPage(located, link, name, where)
    return this.#onElement(element, called, given ?? [], name, where)
  }

  #device(device: "keyboard" | "mouse", { given, name }: Link, where: Where): Step {
    const [first, second] = given ?? []
    if (device === "keyboard" && name === "press") return this.#press(null, first, where)
    if (device === "keyboard" && (name === "type" || name === "insertText" || name === "sendCharacter")) {
      const text = this.textOf(first)
      return text === null
        ? lost(where, unread)
        : step(where, [{ _tag: "Type", element: null, text, more: { do_not_clear: true } }])
    }
    const [x, y] = [valueOf(first), valueOf(second)]
    if (
      device === "mouse" &&
      /^(?:click|dblclick|move)$/.test(name) &&
      typeof x === "number" &&
      typeof y === "number"
    ) {
      const type = name === "click" ? {} : { click_type: name === "dblclick" ? "double_click" : "hover" }
      const parameters = { execution: "COORDINATES", selector: JSON.stringify({ x, y }), ...type }
      return step(where, [{ _tag: "Do", action: "CLICK", name: `Click at ${x}, ${y}`, parameters }])
    }
    if (device === "mouse" && name === "wheel") {
      const down = typeof y === "number" ? y : Number(valueOf(fieldsOf(first ?? null).get("deltaY")) ?? 0)
      return step(where, [scroll(down)], ["Turns the wheel by whole turns"])
    }
    return lost(where, "Runs press and move on elements: use CLICK with press and release, or DRAG")
  }

  #press(element: Element | null, tree: Tree | undefined, where: Where): Step {
    const value = this.textOf(tree)
    const key = value === null ? null : ScriptKeys.chordOf(literalOf(value) ?? "")
    return key === null
      ? lost(where, "Texts have no such key: use one that INPUT_TEXT names")
      : step(where, [{ _tag: "Press", element, keys: [key] }])
  }

  #onPage(located: Located, { given, name: called }: Link, name: string | null, where: Where): Step {
    const [first, second, ...others] = given ?? []
    const url = this.textOf(first)
    switch (called) {
      case "goto":
      case "setContent":
        if (called === "setContent") return lost(where, "Runs open addresses: serve the page, and open it")
        return url === null ? lost(where, unread) : step(where, [{ _tag: "Open", url }])
      case "goBack":
        return step(where, [{ _tag: "Back" }])
      case "reload":
        return step(
          where,
          [{ _tag: "Open", url: [{ expression: "window.location.href" }] }],
          ["The address is opened again"]
        )
      case "waitForTimeout": {
        const millis = valueOf(first)
        if (typeof millis !== "number" || millis < 0 || millis > 3_600_000) return lost(where, unread)
        const seconds = millis / 1_000
        return step(where, [
          { _tag: "Do", action: "DELAY", name: `Wait ${seconds} s`, parameters: { delay_time: seconds } }
        ])
      }
      case "waitForURL": {
        const condition = this.#address(first)
        return condition === null ? lost(where, unread) : step(where, [{ _tag: "Expect", conditions: [condition] }])
      }
      case "waitForLoadState":
      case "waitForNavigation":
      case "waitForNetworkIdle":
      case "waitForRequest":
      case "waitForResponse":
        return step(where, [], ["Actions wait for the page by themselves, so nothing is done"])
      case "screenshot":
        return step(where, [{ _tag: "Do", action: "SCREENSHOT", name: "Take a picture", parameters: pictureOf(first) }])
      case "pdf":
        return step(where, [
          { _tag: "Do", action: "FILE_DOWNLOAD", name: "Print the page", parameters: { trigger_print: true } }
        ])
      case "close":
        return this.#close(located.page, where)
      case "bringToFront":
      case "pause":
        return step(where, [], called === "pause" ? ["Runs do not stop for an inspector, so nothing is done"] : [])
      case "title":
        return name === null ? step(where, []) : this.#reading(name, "//title", where)
      case "once":
      case "on":
        return step(where, [], ["Runs accept each dialog by themselves. Other events are not waited for"])
      case "setViewportSize":
      case "setViewport":
      case "setDefaultTimeout":
      case "setDefaultNavigationTimeout":
      case "setUserAgent":
        return lost(where, "Runs use their own browser: nothing to do unless the site needs this")
      case "evaluate":
      case "$eval":
      case "$$eval":
      case "addInitScript":
      case "waitForFunction":
        return lost(
          where,
          "Runs execute no scripts: read the page by EXTRACT_DATAMODEL, or say by expect what it shows"
        )
      default: {
        // The older form, with the selector as the first argument.
        const selector = this.#selectorOf(first)
        const isOld =
          /^(?:click|dblclick|tap|hover|fill|type|press|check|uncheck|setChecked|selectOption|select|setInputFiles|focus|waitForSelector|textContent|innerText|inputValue|getAttribute|isVisible|dragAndDrop|waitForXPath)$/.test(
            called
          )
        if (selector === null || !isOld)
          return lost(where, `Runs have no page.${called.slice(0, 40)}: add an action that does the same`)
        const element = Parts.elementOf(Parts.bySelector(Parts.whole, selector))
        if (element === null) return lost(where, unread)
        const rest = second === undefined ? [] : [second, ...others]
        if (called === "dragAndDrop") return this.#drag(element, this.#selectorElement(second), where)
        if (called === "select") return this.#choose(element, rest, where)
        return this.#onElement(
          element,
          /^waitFor(?:Selector|XPath)$/.test(called) ? "waitFor" : called,
          rest,
          name,
          where
        )
      }
    }
  }

  #selectorElement(tree: Tree | undefined): Element | null {
    const selector = this.#selectorOf(tree)
    return selector === null ? null : Parts.elementOf(Parts.bySelector(Parts.whole, selector))
  }

  #close(page: string, where: Where): Step {
    const at = this.#pages.indexOf(page)
    if (at >= 0) this.#pages.splice(at, 1)
    this.#page = this.#pages.at(-1) ?? ""
    if (this.#pages.length === 0) return step(where, [])
    return step(where, [
      { _tag: "Do", action: "TAB_MANAGEMENT", name: "Close the tab", parameters: { tabAction: "CLOSE" } }
    ])
  }

  #onElement(element: Element, called: string, given: ReadonlyArray<Tree>, name: string | null, where: Where): Step {
    const [first] = given
    const [selector] = element.selectors
    switch (called) {
      case "click":
      case "tap":
      case "dblclick":
      case "hover":
        return clicked(element, called, fieldsOf(first ?? null), where)
      case "fill":
      case "type":
      case "pressSequentially": {
        const text = this.textOf(first)
        if (text === null) return lost(where, unread)
        return step(where, [{ _tag: "Type", element, text, more: called === "fill" ? {} : { do_not_clear: true } }])
      }
      case "clear":
        return step(where, [{ _tag: "Type", element, text: literal("") }])
      case "press":
        return this.#press(element, first, where)
      case "check":
      case "uncheck":
      case "setChecked": {
        const checked = called === "setChecked" ? valueOf(first) : called === "check"
        if (typeof checked !== "boolean") return lost(where, unread)
        return step(where, [{ _tag: "Click", element, type: "click", more: { checked } }])
      }
      case "selectOption":
      case "select":
        return this.#choose(element, given, where)
      case "setInputFiles":
      case "uploadFile":
        this.#reads.set("file_url", ScriptKeys.uploadChange)
        return step(where, [ScriptKeys.upload(selector)], [ScriptKeys.uploadChange])
      case "dragTo": {
        const to = first === undefined ? null : this.#located(chainOf(first))
        return this.#drag(element, to === null ? null : Parts.elementOf(to.parts), where)
      }
      case "scrollIntoViewIfNeeded":
      case "scrollIntoView": {
        const parameters = { scroll_mode: "to-element", xpath: selector }
        return step(where, [
          { _tag: "Do", action: "SCROLL", name: `Scroll to ${element.name || "an element"}`, parameters }
        ])
      }
      case "screenshot":
        return step(where, [{ _tag: "Do", action: "SCREENSHOT", name: "Take a picture", parameters: { selector } }])
      case "waitFor": {
        const state = valueOf(fieldsOf(first ?? null).get("state")) ?? "visible"
        const wanted = state === "attached" ? "present" : state === "visible" ? "visible" : "absent"
        return step(where, [{ _tag: "Expect", conditions: [{ type: "element", selector, state: wanted }] }])
      }
      case "textContent":
      case "innerText":
      case "inputValue":
      case "allTextContents":
      case "allInnerTexts":
        return name === null ? step(where, []) : this.#reading(name, selector, where, called.startsWith("all"))
      case "focus":
      case "blur":
      case "highlight":
        return step(where, [], ["Actions set the focus by themselves, so nothing is done"])
      case "dispatchEvent":
        return valueOf(first) === "click"
          ? step(
              where,
              [{ _tag: "Click", element, type: "click" }],
              ["It is a click of the mouse, which needs the element to be visible"]
            )
          : lost(where, "Runs send no events of their own: use CLICK or INPUT_TEXT")
      default:
        return lost(where, `Runs have no ${called.slice(0, 40)} for an element: add an action that does the same`)
    }
  }

  #drag(element: Element, to: Element | null, where: Where): Step {
    if (to === null) return lost(where, unread)
    const parameters = { selector: element.selectors[0], to_selector: to.selectors[0] }
    return step(where, [{ _tag: "Do", action: "DRAG", name: `Drag ${element.name || "an element"}`, parameters }])
  }

  #choose(element: Element, given: ReadonlyArray<Tree>, where: Where): Step {
    const [first] = given
    const all = first?.type === "ArrayExpression" ? treesAt(first, "elements") : given
    const options = all.flatMap((one) => {
      const fields = fieldsOf(one)
      const label = this.textOf(fields.get("label"))
      const value = this.textOf(fields.get("value") ?? one)
      const text = label ?? value
      return text === null ? [] : [{ text, by: label !== null ? "text" : null }]
    })
    const [only] = options
    if (only === undefined || options.length !== all.length)
      return lost(where, "An option is chosen by its value or text: add an INPUT_SELECT")
    const value =
      options.length === 1 ? only.text : literal(JSON.stringify(options.map(({ text }) => literalOf(text) ?? "")))
    return step(where, [{ _tag: "Choose", element, value, more: only.by === null ? {} : { match_by: only.by } }])
  }

  /** Reads a text of the page under the name of the variable. */
  #reading(name: string, path: string, where: Where, isList = false): Step {
    const field = plain(name)
    this.#known.set(name, { kind: "text", text: [{ expression: `context.${field}` }] })
    const read = isList ? { type: "array", path, items: { type: "string", path: "." } } : { type: "string", path }
    const parameters = { extract_data_model: { type: "object", properties: { [field]: read } } }
    return step(where, [{ _tag: "Do", action: "EXTRACT_DATAMODEL", name: `Read ${field}`, parameters }])
  }

  /** A condition on the address; `null` where it cannot be read. */
  #address(tree: Tree | null | undefined): Schema.JsonObject | null {
    const pattern = patternOf(tree)
    if (pattern !== null) return { type: "address", matches: pattern.source }
    const text = this.textOf(tree)
    if (text === null) return null
    const address = written(text)
    const part = address.split("*").toSorted((one, other) => other.length - one.length)[0] ?? ""
    return address.includes("*") || !/^https?:/.test(address)
      ? { type: "address", contains: part }
      : { type: "address", equals: address }
  }

  #expectation({ links, root }: Chain, where: Where): Step {
    const [subject] = treesAt(root, "arguments")
    const isNot = links.some(({ name }) => name === "not")
    const matcher = links.at(-1)
    const located = subject === undefined ? null : this.#located(chainOf(subject))
    if (matcher === undefined || located === null || located.rest.length > 0) {
      return lost(where, "It compares a value of the script: say by expect of a step what the page shows")
    }
    const [first, second] = matcher.given ?? []
    const element = Parts.elementOf(located.parts)
    const condition =
      element === null
        ? this.#ofPage(matcher.name, first)
        : this.#ofElement(element.selectors[0], matcher.name, first, second)
    const switching = this.#switchTo(located.page)
    if (condition === null)
      return lost(
        where,
        `Steps cannot expect ${matcher.name.slice(0, 40)}: say by expect what the page shows`,
        switching
      )
    if (!isNot) return step(where, [...switching, { _tag: "Expect", conditions: [condition] }])
    const opposite = opposites(condition)
    if (opposite === null)
      return lost(
        where,
        `Steps cannot expect that not ${matcher.name.slice(0, 40)}: say by expect what the page shows`,
        switching
      )
    return step(where, [...switching, ...opposite])
  }

  #ofPage(matcher: string, first: Tree | undefined): Schema.JsonObject | null {
    if (matcher === "toHaveURL") return this.#address(first)
    if (matcher !== "toHaveTitle") return null
    const wanted = this.#wanted(first)
    return wanted === null ? null : { type: "text", selector: "//title", ...compared(wanted, "equals") }
  }

  #ofElement(
    selector: string,
    matcher: string,
    first: Tree | undefined,
    second: Tree | undefined
  ): Schema.JsonObject | null {
    const wanted = this.#wanted(first)
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
        const [name, value] = [valueOf(first), this.#wanted(second)]
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
}

const unread = "Its arguments are computed by the script: add the action with the values"

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

const clicked = (element: Element, called: string, options: ReadonlyMap<string, Tree>, where: Where): Step => {
  const button = valueOf(options.get("button"))
  const count = valueOf(options.get("clickCount")) ?? valueOf(options.get("count"))
  const held = ScriptKeys.heldIn(treesAt(options.get("modifiers") ?? null, "elements").map((one) => valueOf(one)))
  const place = fieldsOf(options.get("position") ?? options.get("offset") ?? null)
  const [x, y] = [valueOf(place.get("x")), valueOf(place.get("y"))]
  const more = {
    ...(held.length === 0 ? {} : { modifier_keys: held }),
    ...(typeof x === "number" && typeof y === "number" ? { position: { x, y } } : {})
  }
  const type =
    called === "hover"
      ? "hover"
      : called === "dblclick" || count === 2
        ? "double_click"
        : count === 3
          ? "triple_click"
          : button === "right"
            ? "right_click"
            : button === "middle"
              ? "middle_click"
              : "click"
  const isForced = valueOf(options.get("force")) === true
  return step(
    where,
    [{ _tag: "Click", element, type, more }],
    isForced ? ["The click waits until the element can be clicked"] : []
  )
}

const scroll = (pixels: number): Act => ({
  _tag: "Do",
  action: "SCROLL",
  name: pixels < 0 ? "Scroll up" : "Scroll down",
  parameters: {
    direction: pixels < 0 ? "up" : "down",
    load_events_triggered_through_scroll: Math.min(1_000, Math.max(1, Math.round(Math.abs(pixels) / 100)))
  }
})

const pictureOf = (tree: Tree | undefined): Schema.JsonObject =>
  valueOf(fieldsOf(tree ?? null).get("fullPage")) === true ? {} : { full_page: false }

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
