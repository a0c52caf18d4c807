/** The calls of a script on pages and locators, one by one. */
import type { Schema } from "effect"
import * as Parts from "./PlaywrightLocator.ts"
import {
  type Act,
  answered,
  type Element,
  literal,
  literalOf,
  lost,
  notOneFile,
  type Step,
  step,
  type Where
} from "./Recording.ts"
import * as ScriptExpectation from "./ScriptExpectation.ts"
import * as ScriptKeys from "./ScriptKeys.ts"
import { type Known, type Located, plain, type Scope } from "./ScriptScope.ts"
import {
  type Chain,
  callsIn,
  chainOf,
  fieldsOf,
  type Link,
  nameOf,
  type Tree,
  treeAt,
  treesAt,
  valueOf
} from "./ScriptTree.ts"

/** Follows the tabs of a script, and makes steps of its calls. */
export class PageCalls {
  readonly #scope: Scope
  readonly #pages: Array<string> = []
  #page = ""
  /** Whether the script has opened its first page. */
  #isOpen = false

  constructor(scope: Scope) {
    this.#scope = scope
  }

  /** The step of a call; `null` for one that is no step, such as a helper of the test runner. */
  call(tree: Tree, name: string | null, where: Where): Step | null {
    const chain = chainOf(tree)
    const own = nameOf(tree)
    if (own !== null) return this.#awaited(own, name, where)
    const event = this.#scope.eventOf(chain)
    if (event !== null) return this.#event(event, name, where)
    if (ScriptExpectation.isExpectation(chain))
      return ScriptExpectation.of(this.#scope, chain, where, (page) => this.#switchTo(page))
    const located = this.#scope.located(chain)
    if (located === null) return this.#other(chain, name, where)
    if (located.rest.length === 0 && name !== null) {
      this.#scope.note(name, { kind: "locator", parts: located.parts, page: located.page })
    }
    const switching = this.#switchTo(located.page)
    const done = this.#act(located, name, where)
    return { ...done, acts: [...switching, ...done.acts] }
  }

  /** A promise that was kept under a name, such as that of a popup. */
  #awaited(own: string, name: string | null, where: Where): Step {
    const known = this.#scope.known(own)
    if (known?.kind === "event") return this.#event(known, name, where)
    return step(where, [], ["It only waits, so nothing is done"])
  }

  #event({ event }: Extract<Known, { readonly kind: "event" }>, name: string | null, where: Where): Step {
    if (event === "popup" || event === "page") {
      if (name !== null) {
        this.#scope.note(name, { kind: "page" })
        this.#pages.push(name)
        this.#page = name
      }
      return step(where, [], ["The tab that was opened is the present one by itself"])
    }
    if (event === "download") {
      if (name !== null) this.#scope.note(name, { kind: "ignored" })
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
      this.#scope.note(name, { kind: "page" })
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
    if (this.#scope.known(called)?.kind === "ignored") return step(where, [], ["The file is kept by the run"])
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
      const text = this.#scope.textOf(first)
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
    const value = this.#scope.textOf(tree)
    const key = value === null ? null : ScriptKeys.chordOf(literalOf(value) ?? "")
    return key === null
      ? lost(where, "Texts have no such key: use one that INPUT_TEXT names")
      : step(where, [{ _tag: "Press", element, keys: [key] }])
  }

  #onPage(located: Located, { given, name: called }: Link, name: string | null, where: Where): Step {
    const [first, second, ...others] = given ?? []
    const url = this.#scope.textOf(first)
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
        const condition = ScriptExpectation.addressOf(this.#scope, first)
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
        return listened(valueOf(first), second, where)
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
        const selector = this.#scope.selectorOf(first)
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
    const selector = this.#scope.selectorOf(tree)
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
        const text = this.#scope.textOf(first)
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
        if (filesOf(called, given) !== 1) return lost(where, notOneFile)
        this.#scope.needs("file_url", ScriptKeys.uploadChange)
        return step(where, [ScriptKeys.upload(selector)], [ScriptKeys.uploadChange])
      case "dragTo": {
        const to = first === undefined ? null : this.#scope.located(chainOf(first))
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
      case "wait":
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
      const label = this.#scope.textOf(fields.get("label"))
      const value = this.#scope.textOf(fields.get("value") ?? one)
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
    this.#scope.note(name, { kind: "text", text: [{ expression: `context.${field}` }] })
    const read = isList ? { type: "array", path, items: { type: "string", path: "." } } : { type: "string", path }
    const parameters = { extract_data_model: { type: "object", properties: { [field]: read } } }
    return step(where, [{ _tag: "Do", action: "EXTRACT_DATAMODEL", name: `Read ${field}`, parameters }])
  }
}

/** How many files a call gives; one for a value that is not a list. */
const filesOf = (called: string, given: ReadonlyArray<Tree>): number => {
  const [first] = given
  if (first?.type === "ArrayExpression") return treesAt(first, "elements").length
  return called === "uploadFile" ? given.length : Math.min(given.length, 1)
}

/** What a script does about a dialog that is more than to accept it. */
const listened = (event: unknown, handler: Tree | undefined, where: Where): Step => {
  if (event !== "dialog") return step(where, [], ["Runs wait for no events, so nothing is done"])
  const does = (fits: (link: Link) => boolean) =>
    handler !== undefined && callsIn(handler, (call) => chainOf(call).links.some(fits)).length > 0
  return answered(where, {
    accepts: !does(({ name }) => name === "dismiss"),
    text: does(({ given, name }) => name === "accept" && given !== null && given.length > 0)
  })
}

const unread = "Its arguments are computed by the script: add the action with the values"

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
