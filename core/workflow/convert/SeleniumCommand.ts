/** The commands of Selenium IDE, one by one. */
import type { Schema } from "effect"
import { keyOf } from "./ChromeRecorder.ts"
import * as Locator from "./Locator.ts"
import {
  type Act,
  type Condition,
  type Element,
  holds,
  isFile,
  literal,
  literalOf,
  lost,
  requires,
  type Step,
  step,
  type Text,
  type Where,
  written
} from "./Recording.ts"
import * as ScriptExpression from "./ScriptExpression.ts"

type Fields = Readonly<Record<string, unknown>>
/** The names of variables in a project. */
export interface Names {
  readonly isStored: (name: string) => boolean
  /** Names that are read and never stored become inputs. */
  readonly read: (name: string) => string
  readonly reads: () => ReadonlyArray<{ readonly name: string; readonly reason: string }>
}

/** A name that expressions can read. */
const plain = (name: string): string => name.trim().replace(/\W/g, "_").replace(/^(\d)/, "_$1").slice(0, 60) || "value"

export const namesOf = (commands: ReadonlyArray<Fields>): Names => {
  const stored = new Set(
    commands.flatMap(({ command, value }) =>
      typeof value === "string" && /^(store|execute)/.test(String(command)) ? [plain(value)] : []
    )
  )
  const inputs = new Set<string>()
  return {
    isStored: (name) => stored.has(name),
    read: (name) => {
      inputs.add(name)
      return `context.inputs.${name}`
    },
    reads: () => [...inputs].map((name) => ({ name, reason: "The file reads this variable and does not store it" }))
  }
}

const script = "Runs execute no scripts. Do the same by actions on the page, or by a TRANSFORM"

/** Words about a script that may hold a secret, which a report does not repeat. */
const mayHoldSecret = /pass|token|secret|key|auth|cookie|["'][\w\-+/=]{20,}["']/i

const quotedScript = (text: string): string =>
  text.trim() === "" || mayHoldSecret.test(text)
    ? ""
    : `. The script is: ${text.trim().replace(/\s+/g, " ").slice(0, 300)}`

/** Commands that change nothing that a run could do. */
const idle: Readonly<Record<string, string>> = {
  echo: "Runs print nothing: take a SCREENSHOT, or keep the value in the output",
  debugger: "Runs have no debugger: nothing to do",
  setSpeed: "Actions wait for their elements: nothing to do",
  setWindowSize: "Runs use the window of their browser: nothing to do unless the site needs another size",
  mouseOut: "The pointer leaves an element with the next action: nothing to do",
  chooseCancelOnNextConfirmation: "Runs accept every dialog: the page must offer another way to cancel",
  chooseCancelOnNextPrompt: "Runs accept every dialog: the page must offer another way to cancel",
  webdriverChooseCancelOnVisibleConfirmation: "Runs accept every dialog: the page must offer another way to cancel",
  webdriverChooseCancelOnVisiblePrompt: "Runs accept every dialog: the page must offer another way to cancel",
  answerOnNextPrompt: "Runs accept a prompt with its default text: the page must offer another way to answer",
  webdriverAnswerOnVisiblePrompt:
    "Runs accept a prompt with its default text: the page must offer another way to answer",
  assertAlert: "Runs accept dialogs at once, and do not compare their texts",
  assertConfirmation: "Runs accept dialogs at once, and do not compare their texts",
  assertPrompt: "Runs accept dialogs at once, and do not compare their texts",
  removeSelection:
    "A choice can be added and replaced: choose the values that remain by an INPUT_SELECT with a JSON list",
  assertNotSelectedValue: "A step can expect only what a field holds: expect its value",
  assertNotSelectedLabel: "A step can expect only what a field holds: expect its value",
  storeWindowHandle: ""
}

/** The keys of `sendKeys`, without `KEY_`. */
const keys: Readonly<Record<string, string>> = {
  ENTER: "enter",
  RETURN: "enter",
  TAB: "tab",
  ESC: "escape",
  ESCAPE: "escape",
  SPACE: "space",
  BACKSPACE: "backspace",
  BKSP: "backspace",
  DELETE: "delete",
  DEL: "delete",
  INSERT: "insert",
  HOME: "home",
  END: "end",
  PAGE_UP: "page_up",
  PGUP: "page_up",
  PAGE_DOWN: "page_down",
  PGDN: "page_down",
  UP: "up",
  DOWN: "down",
  LEFT: "left",
  RIGHT: "right"
}

/** Reads the commands of one test. */
export class Reader {
  readonly #url: string
  readonly #names: Names
  /** The variables of loops in which the present command is. */
  readonly #items: Array<string | null> = []
  /** How many ends each open block takes. */
  readonly #ends: Array<number> = []
  /** The tabs by the names of their handles. */
  readonly #tabs = new Map<string, number>([["root", 0]])
  #count = 1

  constructor(url: string, names: Names) {
    this.#url = url
    this.#names = names
  }

  read(fields: Fields, where: Where): Step {
    const command = typeof fields.command === "string" ? fields.command : ""
    const target = typeof fields.target === "string" ? fields.target : ""
    const value = typeof fields.value === "string" ? fields.value : ""
    if (command === "") return step(where, [], ["It is empty, so nothing is done"])
    if (command.startsWith("//")) return step(where, [], ["It is switched off in the file, so it is left out"])
    const opened = this.#windowOf(fields)
    const done =
      this.#block(command, target, value, where) ??
      this.#act(command, target, value, fields, where) ??
      this.#check(command, target, value, fields, where) ??
      this.#store(command, target, value, fields, where) ??
      lost(where, idle[command] ?? `No command "${command.slice(0, 60)}" is known: add an action that does the same`)
    return opened ? { ...done, changes: [...done.changes, "The tab that it opens becomes the present one"] } : done
  }

  /** Notes the tab that a command opens. */
  #windowOf({ opensWindow, windowHandleName }: Fields): boolean {
    if (opensWindow !== true) return false
    if (typeof windowHandleName === "string") this.#tabs.set(windowHandleName, this.#count)
    this.#count++
    return true
  }

  #expressionOf(name: string): string {
    const known = plain(name)
    if (this.#items.includes(known)) return `context.runtime.${known}`
    return this.#names.isStored(known) ? `context.${known}` : this.#names.read(known)
  }

  /** A text with its variables. */
  #text(text: string): Text {
    const parts = text.split(/(\$\{\w{1,60}\})/)
    return parts.flatMap((part): Text => {
      const name = /^\$\{(\w+)\}$/.exec(part)?.[1]
      if (name !== undefined && !name.startsWith("KEY_")) return [{ expression: this.#expressionOf(name) }]
      return part === "" ? [] : [part]
    })
  }

  #written(text: string): string {
    return written(this.#text(text))
  }

  /** The expression of a short script; `null` for one that has none. */
  #computed(text: string): string | null {
    return ScriptExpression.translated(text, (name) =>
      this.#names.isStored(plain(name)) || this.#items.includes(plain(name)) ? this.#expressionOf(name) : null
    )
  }

  /** An expression of a condition, whose unknown names are inputs. */
  #condition(text: string): Condition | null {
    const found = ScriptExpression.translated(text, (name) =>
      name === "window" || name === "document" ? null : this.#expressionOf(name)
    )
    return found === null ? null : holds(found)
  }

  #element(target: string, fields: Fields, field = "targets"): Element | null {
    const offered: ReadonlyArray<unknown> = Array.isArray(fields[field]) ? fields[field] : []
    const all = [target, ...offered.flatMap((one: unknown) => (Array.isArray(one) ? [one[0]] : []))]
    const locators = all.flatMap((one) => (typeof one === "string" ? (this.#locator(one) ?? []) : []))
    return Locator.elementOf(locators)
  }

  #locator(target: string): Locator.Locator | null {
    const [, kind = "", rest = ""] = /^(\w+)=([\s\S]*)$/.exec(target) ?? []
    if (/^\(?\/\//.test(target)) return Locator.xpath(this.#written(target))
    const text = this.#written(rest)
    if (text === "") return null
    switch (kind.toLowerCase()) {
      case "id":
        return Locator.id(text)
      case "name":
        return Locator.attribute("name", text)
      case "identifier":
        return { ...Locator.id(text), selector: `//*[@id=${Locator.quoted(text)} or @name=${Locator.quoted(text)}]` }
      case "css":
        return Locator.css(text)
      case "xpath":
        return Locator.xpath(text)
      case "link":
      case "linktext":
        return {
          selector: `//a[normalize-space()=${Locator.quoted(text.replace(/^exact:/, ""))}]`,
          fragility: 5,
          name: text
        }
      case "partiallinktext":
        return { selector: `//a[contains(normalize-space(), ${Locator.quoted(text)})]`, fragility: 6, name: text }
      case "class":
      case "classname":
        return Locator.css(`.${text}`)
      case "tagname":
        return Locator.css(text)
      default:
        return null
    }
  }

  #block(command: string, target: string, value: string, where: Where): Step | null {
    switch (command) {
      case "if":
      case "while": {
        const condition = this.#condition(target)
        this.#enter(1, null)
        if (condition === null) return lost(where, `${script}${quotedScript(target)}`, [{ _tag: "Skip" }])
        return step(where, [{ _tag: command === "if" ? "If" : "While", condition }])
      }
      case "elseIf": {
        const condition = this.#condition(target)
        const last = this.#ends.length - 1
        this.#ends[last] = (this.#ends[last] ?? 0) + 1
        if (condition === null)
          return lost(where, `${script}${quotedScript(target)}`, [{ _tag: "Else" }, { _tag: "Skip" }])
        return step(where, [{ _tag: "Else" }, { _tag: "If", condition }])
      }
      case "else":
        return step(where, [{ _tag: "Else" }])
      case "end": {
        this.#items.pop()
        const ends = this.#ends.pop() ?? 0
        return step(
          where,
          Array.from({ length: ends }, (): Act => ({ _tag: "End" }))
        )
      }
      case "times": {
        const count = this.#text(target)
        const number = literalOf(count)
        this.#enter(1, null)
        const index = `turn_${this.#items.length}`
        const over = number === null ? written(count) : Number(number)
        return step(where, [{ _tag: "Each", over, item: `${index}_number`, index }])
      }
      case "forEach": {
        const over = `{{${this.#expressionOf(target)}}}`
        const item = plain(value)
        this.#enter(1, item)
        return step(where, [{ _tag: "Each", over, item, index: `${item}_index` }])
      }
      case "do":
        this.#enter(0, null)
        return step(where, [{ _tag: "Turn" }])
      case "repeatIf": {
        this.#items.pop()
        this.#ends.pop()
        const condition = this.#condition(target)
        if (condition === null) {
          const never: Condition = { comparison_operator: "EQUAL", comparison_value_1: "0", comparison_value_2: "1" }
          return lost(where, `${script}${quotedScript(target)}. The block is done once`, [
            { _tag: "Until", condition: never }
          ])
        }
        return step(where, [{ _tag: "Until", condition }])
      }
      default:
        return null
    }
  }

  #enter(ends: number, item: string | null): void {
    this.#ends.push(ends)
    this.#items.push(item)
  }

  #act(command: string, target: string, value: string, fields: Fields, where: Where): Step | null {
    switch (command) {
      case "open":
        return step(where, [{ _tag: "Open", url: this.#address(target) }])
      case "pause": {
        const seconds = Number(target) / 1_000
        if (!(seconds >= 0 && seconds <= 3_600)) return lost(where, "Its time cannot be read: add a DELAY")
        const act: Act = { _tag: "Do", action: "DELAY", name: `Wait ${seconds} s`, parameters: { delay_time: seconds } }
        return step(where, [act])
      }
      case "close":
        this.#count = Math.max(1, this.#count - 1)
        return step(where, [tabs("Close the tab", { tabAction: "CLOSE" })])
      case "selectWindow":
        return this.#selectWindow(target, where)
      case "selectFrame":
        return step(where, [], ["Selectors find their elements in whichever frame has them, so nothing is done"])
      case "chooseOkOnNextConfirmation":
      case "webdriverChooseOkOnVisibleConfirmation":
        return step(where, [], ["Runs accept every dialog by themselves"])
      case "runScript":
        return lost(where, `${script}${quotedScript(target)}`)
      default:
        return this.#onElement(command, target, value, fields, where)
    }
  }

  #onElement(command: string, target: string, value: string, fields: Fields, where: Where): Step | null {
    if (!Object.hasOwn(onElement, command)) return null
    const element = this.#element(target, fields)
    if (element === null)
      return lost(where, `The locator "${target.slice(0, 100)}" is of no known kind: add the action with a selector`)
    const type = clicks[command]
    if (type !== undefined) {
      const [, x, y] = /^\s*(-?\d+)(?:\.\d+)?\s*,\s*(-?\d+)(?:\.\d+)?\s*$/.exec(value) ?? []
      const more =
        command.endsWith("At") && x !== undefined && y !== undefined ? { position: { x: Number(x), y: Number(y) } } : {}
      return step(where, [{ _tag: "Click", element, type, more }])
    }
    switch (command) {
      case "check":
      case "uncheck":
        return step(where, [{ _tag: "Click", element, type: "click", more: { checked: command === "check" } }])
      case "type":
      case "editContent":
        return this.#type(element, value, where)
      case "sendKeys":
        return this.#sendKeys(element, value, where)
      case "select":
      case "addSelection":
        return this.#choose(element, value, where)
      case "submit":
        return submitted(element, where)
      default: {
        const to = this.#element(value, fields, "valueTargets")
        if (to === null) return lost(where, `The locator "${value.slice(0, 100)}" is of no known kind: add a DRAG`)
        const parameters = { selector: element.selectors[0], to_selector: to.selectors[0] }
        return step(where, [{ _tag: "Do", action: "DRAG", name: `Drag ${element.name || "an element"}`, parameters }])
      }
    }
  }

  #type(element: Element, value: string, where: Where): Step {
    if (isFile(element.selectors, value)) {
      const name = this.#names.read("file_url")
      const parameters = { signed_file_url: `{{${name}}}`, selector: element.selectors[0] }
      const act: Act = { _tag: "Do", action: "FILE_UPLOAD", name: "Upload a file", parameters }
      return step(where, [act], ["The file is given by the input file_url: an address from which a run fetches it"])
    }
    return step(where, [{ _tag: "Type", element, text: this.#text(value) }])
  }

  #sendKeys(element: Element, value: string, where: Where): Step {
    const unknown: Array<string> = []
    const acts = value.split(/(\$\{KEY_\w{1,20}\})/).flatMap((part): ReadonlyArray<Act> => {
      const name = /^\$\{KEY_(\w+)\}$/.exec(part)?.[1]
      if (name === undefined) {
        return part === "" ? [] : [{ _tag: "Type", element, text: this.#text(part), more: { do_not_clear: true } }]
      }
      const key = keys[name] ?? keyOf(name)
      if (key !== null && key !== undefined) return [{ _tag: "Press", element, keys: [key] }]
      unknown.push(name)
      return []
    })
    return unknown.length > 0
      ? lost(where, `Texts have no key ${unknown.join(", ")}: use one that INPUT_TEXT names`)
      : step(where, acts)
  }

  #choose(element: Element, value: string, where: Where): Step {
    const [, kind = "label", text = value] = /^(label|value|id|index)=([\s\S]*)$/.exec(value) ?? []
    if (kind === "index" || kind === "id") {
      return lost(where, `An option is chosen by its value or text, not by its ${kind}: add an INPUT_SELECT`)
    }
    const more = { match_by: kind === "label" ? "text" : "value" }
    return step(where, [{ _tag: "Choose", element, value: this.#text(text.replace(/^(?:exact|glob):/, "")), more }])
  }

  #address(target: string): Text {
    const parts = this.#text(target)
    const literals = literalOf(parts)
    if (literals !== null) return literal(URL.parse(literals, this.#url)?.href ?? literals)
    return /^https?:/.test(target) || typeof parts[0] !== "string" ? parts : [this.#url.replace(/\/$/, ""), ...parts]
  }

  #selectWindow(target: string, where: Where): Step {
    const handle = /^(?:handle=|tab=)?\$\{(\w+)\}$/.exec(target)?.[1]
    const local = /^(?:tab=)?win_ser_(\w+)$/.exec(target)?.[1]
    const index =
      handle !== undefined
        ? this.#tabs.get(handle)
        : local === "local"
          ? 0
          : local !== undefined
            ? Number(local)
            : /^(?:name=|title=|tab=)?$/.test(target)
              ? 0
              : undefined
    return index === undefined || Number.isNaN(index)
      ? lost(where, `The file does not say which tab "${target.slice(0, 60)}" is: switch to it by a TAB_MANAGEMENT`)
      : step(where, [tabs("Switch to a tab", { tabAction: "SWITCH", tab_index: index })])
  }

  #store(command: string, target: string, value: string, fields: Fields, where: Where): Step | null {
    const name = plain(value)
    switch (command) {
      case "store":
        return step(where, [{ _tag: "Set", name, value: this.#text(target) }])
      case "storeJson":
        return isJson(target)
          ? step(where, [{ _tag: "Set", name, value: { computed: target } }])
          : lost(where, "It is not JSON: add a TRANSFORM")
      case "storeWindowHandle":
        this.#tabs.set(value, this.#tabs.size === 1 ? 0 : this.#count - 1)
        return step(where, [], ["Tabs are named by their numbers, so nothing is done"])
      case "executeScript":
      case "executeAsyncScript": {
        const found = command === "executeScript" ? this.#computed(target) : null
        if (found === null) return lost(where, `${script}${quotedScript(target)}`)
        return step(where, value === "" ? [] : [{ _tag: "Set", name, value: { computed: found } }], [
          "The script is an expression"
        ])
      }
      case "storeTitle":
        return step(where, [reading(value, "//title")])
      case "storeText":
      case "storeValue":
      case "storeAttribute":
      case "storeElementCount":
      case "storeXpathCount":
        return this.#read(command, target, value, fields, where)
      default:
        return null
    }
  }

  #read(command: string, target: string, value: string, fields: Fields, where: Where): Step {
    const at = command === "storeAttribute" ? target.lastIndexOf("@") : target.length
    const element = this.#element(target.slice(0, at).replace(/\/$/, ""), fields)
    if (element === null)
      return lost(where, `The locator "${target.slice(0, 100)}" is of no known kind: add an EXTRACT_DATAMODEL`)
    const [first] = element.selectors
    const path = element.selectors.find((one) => !/^(css|role|text)=/.test(one))
    if (command === "storeElementCount" || command === "storeXpathCount") {
      const list = `${plain(value)}_elements`
      const model = {
        type: "object",
        overwriteArrayKeys: [list],
        properties: { [list]: { type: "array", path: first, items: { type: "string", path: "." } } }
      }
      const act: Act = {
        _tag: "Do",
        action: "EXTRACT_DATAMODEL",
        name: `Count ${plain(value)}`,
        parameters: { extract_data_model: model }
      }
      return step(where, [act, { _tag: "Set", name: plain(value), value: { computed: `$count(context.${list})` } }])
    }
    if (command === "storeText") return step(where, [reading(value, first)])
    if (command === "storeValue" && path === undefined) return step(where, [reading(value, first)])
    const attribute = command === "storeValue" ? "value" : target.slice(at + 1)
    const own = path ?? xpathOf(first)
    return own === null
      ? lost(where, "An attribute is read by an XPath: add an EXTRACT_DATAMODEL with one")
      : step(where, [reading(value, `${own}/@${attribute}`)])
  }

  /** Assertions, verifications and waits: what the step before must lead to. */
  #check(command: string, target: string, value: string, fields: Fields, where: Where): Step | null {
    const [, kind = "", what = ""] = /^(assert|verify|waitFor)(.*)$/.exec(command) ?? []
    if (kind === "" || Object.hasOwn(idle, `assert${what}`)) {
      return kind === "" ? null : lost(where, idle[`assert${what}`] ?? "")
    }
    const changes = kind === "verify" ? ["The run fails where it does not hold, instead of going on"] : []
    const wait = kind === "waitFor" && Number(value) > 0 && what !== "Text" ? { wait: Number(value) } : {}
    const expecting = (...conditions: ReadonlyArray<Schema.JsonObject>): Step =>
      step(where, [{ _tag: "Expect", conditions, ...wait }], changes)
    if (what === "") {
      const field = this.#expressionOf(target)
      return expecting({ type: "variable", field, operator: "EQUAL", value: this.#written(value) })
    }
    if (what === "Title") return expecting({ type: "text", selector: "//title", equals: this.#written(target) })
    const element = this.#element(target, fields)
    if (element === null)
      return lost(where, `The locator "${target.slice(0, 100)}" is of no known kind: add what the step before expects`)
    const [selector] = element.selectors
    switch (what) {
      case "Text":
        return expecting({ type: "text", selector, equals: this.#written(value.replaceAll("\\n", "\n")) })
      case "NotText": {
        const condition: Condition = {
          comparison_operator: "NOT_EQUAL",
          comparison_value_1: `<<xpath:${selector}>>`,
          comparison_value_2: this.#written(value)
        }
        return step(where, requires(condition, `${where.kind} does not hold`), [
          ...changes,
          "It is a condition that must hold"
        ])
      }
      case "Value":
      case "SelectedLabel":
      case "SelectedValue":
        return expecting({ type: "value", selector, equals: this.#written(value.replace(/^(?:label|value)=/, "")) })
      case "Checked":
      case "NotChecked":
        return expecting({ type: "value", selector, equals: String(what === "Checked") })
      case "ElementPresent":
        return expecting({ type: "element", selector, state: "present" })
      case "ElementVisible":
        return expecting({ type: "element", selector, state: "visible" })
      case "ElementNotPresent":
      case "ElementNotVisible":
        return expecting({ type: "element", selector, state: "absent" })
      case "Editable":
      case "ElementEditable":
        return expecting({ type: "element", selector: usable(selector), state: "visible" })
      case "NotEditable":
      case "ElementNotEditable":
        return expecting({ type: "element", selector: usable(selector), state: "absent" })
      default:
        return null
    }
  }
}

const clicks: Readonly<Record<string, Extract<Act, { readonly _tag: "Click" }>["type"]>> = {
  click: "click",
  clickAt: "click",
  doubleClick: "double_click",
  doubleClickAt: "double_click",
  mouseOver: "hover",
  mouseMoveAt: "hover",
  mouseDown: "press",
  mouseDownAt: "press",
  mouseUp: "release",
  mouseUpAt: "release"
}

const onElement: Readonly<Record<string, unknown>> = {
  ...clicks,
  check: true,
  uncheck: true,
  type: true,
  editContent: true,
  sendKeys: true,
  select: true,
  addSelection: true,
  submit: true,
  dragAndDropToObject: true
}

const tabs = (name: string, parameters: Schema.JsonObject): Act => ({
  _tag: "Do",
  action: "TAB_MANAGEMENT",
  name,
  parameters
})

/** Reads a text of the page under a name. */
const reading = (name: string, path: string): Act => ({
  _tag: "Do",
  action: "EXTRACT_DATAMODEL",
  name: `Read ${plain(name)}`,
  parameters: { extract_data_model: { type: "object", properties: { [plain(name)]: { type: "string", path } } } }
})

const submitted = (element: Element, where: Where): Step => {
  const path = element.selectors.find((one) => !/^(css|role|text)=/.test(one)) ?? xpathOf(element.selectors[0])
  if (path === null) return lost(where, "The button of the form is not in the file: add a CLICK on it")
  const button = `${path}/descendant-or-self::form//*[(self::button and (not(@type) or @type='submit')) or (self::input and (@type='submit' or @type='image'))]`
  return step(
    where,
    [{ _tag: "Click", element: { ...element, selectors: [button] }, type: "click" }],
    ["Clicks the button of the form"]
  )
}

/** A simple CSS selector as an XPath; `null` for others. */
const xpathOf = (selector: string): string | null => {
  const [, tag = "*", id] = /^css=([a-z]\w*)?#([\w-]+)$/.exec(selector) ?? []
  if (id !== undefined) return `//${tag}[@id='${id}']`
  const [, element = "*", name, value] = /^css=([a-z]\w*)?\[([\w-]+)=["']?([\w-]+)["']?\]$/.exec(selector) ?? []
  return name === undefined ? null : `//${element}[@${name}='${value}']`
}

/** A selector for the element while it can be used. */
const usable = (selector: string): string =>
  selector.startsWith("css=")
    ? `${selector}:not(:disabled):not([readonly])`
    : /^(role|text)=/.test(selector)
      ? selector
      : `${selector}[not(@disabled) and not(@readonly)]`

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
