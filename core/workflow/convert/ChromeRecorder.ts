/** Recordings of the Recorder panel of Chrome DevTools, as its JSON export writes them. */
import { Result, type Schema } from "effect"
import * as Json from "../../workspace/Json.ts"
import type { LinedJson } from "./LinedJson.ts"
import * as Locator from "./Locator.ts"
import {
  type Act,
  type ClickType,
  type Element,
  isFile,
  literal,
  lost,
  type Recording,
  type Step,
  step,
  type Unreadable,
  type Where,
  written
} from "./Recording.ts"

type Fields = Readonly<Record<string, unknown>>

export const recognises = (value: Schema.Json): boolean => {
  const { steps, title } = Json.objectOf(value)
  return (
    Array.isArray(steps) &&
    (typeof title === "string" || steps.length > 0) &&
    steps.every((one) => Json.isObject(one) && typeof one.type === "string")
  )
}

export const read = ({ lineOf, value }: LinedJson): Result.Result<Recording, ReadonlyArray<Unreadable>> => {
  const { steps, title } = Json.objectOf(value)
  const list: ReadonlyArray<Schema.Json> = Array.isArray(steps) ? steps : []
  const reader = new Reader()
  const read = list.map((one, index) => {
    const fields: Fields = Json.objectOf(one)
    return reader.read(fields, { step: `steps[${index}]`, line: lineOf(one), kind: String(fields.type) })
  })
  return Result.succeed({
    format: "chrome-recorder",
    name: typeof title === "string" ? title : "",
    description: null,
    steps: read
  })
}

/** Keys that are held while others are pressed, by their names in recordings. */
const modifiers: Readonly<Record<string, string>> = {
  Control: "Ctrl",
  Meta: "Ctrl",
  Alt: "Alt",
  Shift: "Shift"
}

/** Keys by their names in recordings, where a workflow has another name. */
const keys: Readonly<Record<string, string>> = {
  Enter: "enter",
  NumpadEnter: "enter",
  Tab: "tab",
  Escape: "escape",
  Backspace: "backspace",
  Delete: "delete",
  Insert: "insert",
  Home: "home",
  End: "end",
  PageUp: "page_up",
  PageDown: "page_down",
  ArrowUp: "up",
  ArrowDown: "down",
  ArrowLeft: "left",
  ArrowRight: "right",
  Space: "space",
  " ": "space"
}

/** The notation of a key in a text; `null` for one that texts do not have. */
export const keyOf = (key: string): string | null => {
  if (Object.hasOwn(keys, key)) return keys[key] ?? null
  if (/^F(?:[1-9]|1[0-2])$/.test(key)) return key
  return null
}

/** Follows the tabs and the held keys of a recording. */
class Reader {
  readonly #targets: Array<string> = ["main"]
  #target = "main"
  readonly #held = new Set<string>()

  read(fields: Fields, where: Where): Step {
    const switching = fields.type === "setViewport" || fields.type === "navigate" ? [] : this.#switchTo(fields.target)
    const done = this.#translated(fields, where)
    const events = done.lost === null ? expectedOf(fields) : { acts: [], changes: [] }
    return {
      ...done,
      acts: [...switching, ...done.acts, ...events.acts],
      changes: [
        ...(switching.length > 0 ? ["Switches to the tab of the step first"] : []),
        ...done.changes,
        ...events.changes
      ]
    }
  }

  #translated(fields: Fields, where: Where): Step {
    switch (fields.type) {
      case "navigate":
        return typeof fields.url === "string" && fields.url !== ""
          ? step(where, [{ _tag: "Open", url: literal(fields.url) }])
          : lost(where, "It has no url: add a NAVIGATE with the address")
      case "setViewport":
        return lost(where, "Runs use the window of their browser: nothing to do unless the site needs another size")
      case "emulateNetworkConditions":
        return lost(where, "Runs use the network as it is: nothing to do, as actions wait for their elements")
      case "click":
      case "doubleClick":
      case "hover":
        return this.#click(fields, where)
      case "change":
        return changed(fields, where)
      case "keyDown":
      case "keyUp":
        return this.#key(fields, where)
      case "scroll":
        return scrolled(fields, where)
      case "waitForElement":
        return awaited(fields, where)
      case "waitForExpression":
        return expressed(fields, where)
      case "close":
        return this.#close(where)
      case "customStep":
        return lost(
          where,
          "It is a step of an extension, whose meaning is not in the file: add actions that do the same"
        )
      default:
        return lost(
          where,
          `The schema of the Recorder has no step of the type "${where.kind.slice(0, 40)}": add actions that do the same`
        )
    }
  }

  /** Switches to the tab of a step. A tab that appears is the present one by itself. */
  #switchTo(target: unknown): ReadonlyArray<Act> {
    const wanted = typeof target === "string" && target !== "" ? target : "main"
    if (wanted === this.#target) return []
    this.#target = wanted
    const index = this.#targets.indexOf(wanted)
    if (index < 0) {
      this.#targets.push(wanted)
      return []
    }
    return [tab("Switch to another tab", { tabAction: "SWITCH", tab_index: index })]
  }

  #close(where: Where): Step {
    const index = this.#targets.indexOf(this.#target)
    if (index > 0) this.#targets.splice(index, 1)
    this.#target = this.#targets.at(-1) ?? "main"
    return step(where, [tab("Close the tab", { tabAction: "CLOSE" })])
  }

  #click(fields: Fields, where: Where): Step {
    const found = elementIn(fields)
    if (found === null) return lost(where, noSelector)
    const types: Readonly<Record<string, ClickType>> = { auxiliary: "middle_click", secondary: "right_click" }
    const button = typeof fields.button === "string" ? fields.button : "primary"
    if (button !== "primary" && types[button] === undefined) {
      return lost(where, `Runs do not press the button "${button.slice(0, 40)}": go back by a NAVIGATE with "back"`)
    }
    const { changes, element } = found
    const held = this.#held.size === 0 ? {} : { modifier_keys: [...this.#held] }
    const at = placeIn(fields, element)
    const more = { ...held, ...(at === null ? {} : { position: at }) }
    if (fields.type === "hover") return step(where, [{ _tag: "Click", element, type: "hover" }], changes)
    const duration = typeof fields.duration === "number" ? fields.duration : 0
    if (fields.type === "click" && button === "primary" && duration >= 350) {
      return step(
        where,
        [
          { _tag: "Click", element, type: "press", more },
          waiting(Math.min(duration / 1_000, 60)),
          { _tag: "Click", element, type: "release" }
        ],
        [...changes, "The long press is a press, a wait and a release"]
      )
    }
    const type = fields.type === "doubleClick" ? "double_click" : (types[button] ?? "click")
    return step(where, [{ _tag: "Click", element, type, more }], changes)
  }

  #key(fields: Fields, where: Where): Step {
    const key = typeof fields.key === "string" ? fields.key : ""
    const modifier = modifiers[key]
    if (modifier !== undefined) {
      if (fields.type === "keyDown") this.#held.add(modifier)
      else this.#held.delete(modifier)
      return step(where, [], ["The key is held in the steps that follow"])
    }
    if (key === "") return lost(where, "It has no key: add an INPUT_TEXT with the key")
    if (fields.type === "keyUp") return step(where, [])
    const known = keyOf(key)
    if (known === null && ![...key].every((sign) => sign > " " && key.length === 1)) {
      return lost(where, `Texts have no key "${key.slice(0, 40)}": use one that INPUT_TEXT names`)
    }
    const isChord = this.#held.size > 0 && !(this.#held.size === 1 && this.#held.has("Shift") && known === null)
    if (known === null && !isChord) {
      return step(where, [{ _tag: "Type", element: null, text: literal(key), more: { do_not_clear: true } }])
    }
    const chord = [...(known === null && !isChord ? [] : this.#held), known ?? key].join("+")
    return step(where, [{ _tag: "Press", element: null, keys: [chord] }])
  }
}

const noSelector = "It has no selectors that can be read: add the action with a selector of the element"

const tab = (name: string, parameters: Schema.JsonObject): Act => ({
  _tag: "Do",
  action: "TAB_MANAGEMENT",
  name,
  parameters
})

const waiting = (seconds: number): Act => ({
  _tag: "Do",
  action: "DELAY",
  name: `Wait ${seconds} s`,
  parameters: { delay_time: seconds }
})

/** A selector of a recording, which may be a chain through shadow roots. */
const locatorOf = (selector: unknown): Locator.Locator | null => {
  const chain: ReadonlyArray<unknown> = Array.isArray(selector) ? selector : [selector]
  const parts = chain.map((one) => (typeof one === "string" && one.trim() !== "" ? single(one) : null))
  const last = parts.at(-1) ?? null
  if (last === null || parts.includes(null)) return null
  return parts
    .slice(0, -1)
    .reduceRight<Locator.Locator>((inner, outer) => Locator.within(outer?.selector ?? "", inner), last)
}

const single = (given: string): Locator.Locator | null => {
  const selector = written(literal(given))
  const [, kind, rest = ""] = /^(aria|text|xpath|pierce)\/([\s\S]*)$/.exec(selector) ?? []
  switch (kind) {
    case "aria": {
      const [, name = "", roleName] = /^([\s\S]*?)(?:\[role="([\w-]+)"\])?$/.exec(rest) ?? []
      if (roleName !== undefined) return Locator.role(roleName, name === "" ? null : name)
      return name === "" ? null : Locator.named(name)
    }
    case "text":
      return rest === "" ? null : Locator.text(rest)
    case "xpath":
      return rest === "" ? null : Locator.xpath(rest)
    case "pierce":
      return rest === "" ? null : Locator.css(rest)
    default:
      return Locator.css(selector)
  }
}

/** The element of a step, with what changes because of its frame. */
const elementIn = (fields: Fields): { readonly element: Element; readonly changes: ReadonlyArray<string> } | null => {
  const { frame, selectors } = fields
  const offered: ReadonlyArray<unknown> = Array.isArray(selectors) ? selectors : []
  const element = Locator.elementOf(offered.flatMap((one) => locatorOf(one) ?? []))
  if (element === null) return null
  const isInFrame = Array.isArray(frame) && frame.length > 0
  return {
    element,
    changes: isInFrame ? ["The element is found in whichever frame has it, not by the number of the frame"] : []
  }
}

/** Where in a drawing a click was; `null` for other elements, which are clicked in their middle. */
const placeIn = ({ offsetX, offsetY }: Fields, { selectors }: Element): Schema.JsonObject | null =>
  typeof offsetX === "number" &&
  typeof offsetY === "number" &&
  selectors.some((one) => /\b(canvas|svg|area)\b/.test(one))
    ? { x: Math.round(offsetX), y: Math.round(offsetY) }
    : null

const changed = (fields: Fields, where: Where): Step => {
  const found = elementIn(fields)
  if (found === null) return lost(where, noSelector)
  const { value } = fields
  if (typeof value !== "string") return lost(where, "It has no value: add an INPUT_TEXT with the text")
  const { changes, element } = found
  const words = element.selectors.join(" ")
  if (/\bselect\b|role=(?:combobox|listbox)/.test(words)) {
    return step(where, [{ _tag: "Choose", element, value: literal(value) }], changes)
  }
  if (/type=["']?(?:checkbox|radio)|role=(?:checkbox|radio|switch)/.test(words)) {
    const checked = !/^(?:false|off|)$/i.test(value)
    return step(where, [{ _tag: "Click", element, type: "click", more: { checked } }], changes)
  }
  if (isFile(element.selectors, value)) {
    return step(
      where,
      [upload(element)],
      [...changes, "The file is given by the input file_url: an address from which a run fetches it"]
    )
  }
  return step(where, [{ _tag: "Type", element, text: literal(value) }], changes)
}

/** Puts a file of an input into a field. */
const upload = (element: Element): Act => ({
  _tag: "Do",
  action: "FILE_UPLOAD",
  name: `Upload a file to ${element.name || "a field"}`,
  parameters: { signed_file_url: "{{context.inputs.file_url}}", selector: element.selectors[0] }
})

/** Pixels of a turn of the wheel. */
const turn = 100

const scrolled = (fields: Fields, where: Where): Step => {
  const x = typeof fields.x === "number" ? fields.x : 0
  const y = typeof fields.y === "number" ? fields.y : 0
  const direction = y < 0 || (y === 0 && x === 0) ? "up" : y > 0 ? "down" : x > 0 ? "right" : "left"
  const pixels = Math.abs(y === 0 ? x : y)
  const found = elementIn(fields)
  const turns = Math.min(1_000, Math.max(1, Math.round((pixels === 0 ? 3_000 : pixels) / turn)))
  const parameters = {
    direction,
    load_events_triggered_through_scroll: turns,
    ...(found === null ? {} : { scroll_mode: "wheel", xpath: found.element.selectors[0] })
  }
  const act: Act = { _tag: "Do", action: "SCROLL", name: `Scroll ${direction}`, parameters }
  return step(where, [act], [...(found?.changes ?? []), "Turns the wheel instead of setting a position"])
}

type Comparison = "at_least" | "at_most" | "exactly"

const counts: Readonly<Record<string, Comparison>> = { ">=": "at_least", "==": "exactly", "<=": "at_most" }

/** What holds of a number of elements exactly when a comparison does not; `null` where no single comparison does. */
const opposite = (comparison: Comparison, times: number): readonly [Comparison, number] | null => {
  if (comparison === "at_most") return ["at_least", times + 1]
  if (times === 0) return comparison === "exactly" ? ["at_least", 1] : null
  return comparison === "at_least" ? ["at_most", times - 1] : null
}

const awaited = (fields: Fields, where: Where): Step => {
  const found = elementIn(fields)
  if (found === null) return lost(where, noSelector)
  const { attributes, count, operator, properties, timeout, visible } = fields
  const changes = [...found.changes]
  const [first] = found.element.selectors
  const selector = withAttributes(first, Json.objectOf(attributes), changes)
  const given = typeof count === "number" && Number.isInteger(count) && count >= 0 ? Math.min(count, 100_000) : 1
  const asked = [counts[typeof operator === "string" ? operator : ">="] ?? "at_least", given] as const
  // The schema calls this the inversion of the step.
  const wanted = visible === false ? opposite(...asked) : asked
  if (wanted === null || (visible === false && Object.keys(Json.objectOf(properties)).length > 0)) {
    return lost(where, "Steps cannot expect the opposite of what it compares: say by expect what the page shows then")
  }
  const [comparison, times] = wanted
  const isNone = times === 0 && comparison !== "at_least"
  const state = isNone ? "absent" : visible === true ? "visible" : "present"
  const condition = { type: "element", selector, state, ...(isNone ? {} : { [comparison]: times }) }
  const more = Object.entries(Json.objectOf(properties)).flatMap(([name, value]) => {
    const text = typeof value === "object" ? null : String(value)
    if (text !== null && /^(?:innerText|textContent)$/.test(name)) return [{ type: "text", selector, equals: text }]
    if (text !== null && /^(?:value|checked|valueAsNumber)$/.test(name))
      return [{ type: "value", selector, equals: text }]
    changes.push(`The property ${name.slice(0, 40)} is not compared`)
    return []
  })
  const wait = typeof timeout === "number" && timeout > 0 ? { wait: Math.round(timeout) } : {}
  return step(where, [{ _tag: "Expect", conditions: [condition, ...more], ...wait }], changes)
}

/** A selector for the elements that have attributes, too. */
const withAttributes = (
  selector: string,
  attributes: Readonly<Record<string, unknown>>,
  changes: Array<string>
): string => {
  const pairs = Object.entries(attributes).filter(
    ([name, value]) => /^[\w:-]+$/.test(name) && typeof value === "string"
  )
  if (pairs.length === 0) return selector
  if (selector.startsWith("css=") && !/[,>]|\s/.test(selector.slice(4))) {
    return selector + pairs.map(([name, value]) => `[${name}=${Locator.inQuotes(String(value))}]`).join("")
  }
  if (/^(css|role|text)=/.test(selector)) {
    changes.push(`The attributes ${pairs.map(([name]) => name).join(", ")} are not compared`)
    return selector
  }
  return selector + pairs.map(([name, value]) => `[@${name}=${Locator.quoted(String(value))}]`).join("")
}

/** Expressions that are conditions on the address or the text of the page. */
const expressed = ({ expression, timeout }: Fields, where: Where): Step => {
  const text = typeof expression === "string" ? expression.trim().replace(/;$/, "") : ""
  const wait = typeof timeout === "number" && timeout > 0 ? { wait: Math.round(timeout) } : {}
  const condition = conditionOf(text)
  return condition === null
    ? lost(where, "Runs execute no scripts: say by expect of the step before what the page shows then")
    : step(where, [{ _tag: "Expect", conditions: [condition], ...wait }], ["The script is a condition on the page"])
}

const conditionOf = (text: string): Schema.JsonObject | null => {
  const [, , equal] = /^(?:window\.|document\.)?location(?:\.href)?\s*={2,3}\s*(["'])([^"'\\]*)\1$/.exec(text) ?? []
  if (equal !== undefined) return { type: "address", equals: equal }
  const [, , part] =
    /^(?:window\.|document\.)?location\.(?:href|pathname)\.(?:includes|endsWith|startsWith)\((["'])([^"'\\]*)\1\)$/.exec(
      text
    ) ?? []
  if (part !== undefined) return { type: "address", contains: part }
  const [, , path] = /^(?:window\.|document\.)?location\.pathname\s*={2,3}\s*(["'])([^"'\\]*)\1$/.exec(text) ?? []
  if (path !== undefined) return { type: "address", contains: path }
  const [, , selector] =
    /^(?:!!\s*)?document\.querySelector\((["'`])((?:(?!\1)[^\\])+)\1\)(?:\s*!==?\s*null)?$/.exec(text) ?? []
  if (selector !== undefined) return { type: "element", selector: `css=${selector}`, state: "present" }
  const [, , shown] =
    /^document\.body\.(?:innerText|textContent)\.includes\((["'`])((?:(?!\1)[^\\])+)\1\)$/.exec(text) ?? []
  return shown === undefined ? null : { type: "text", contains: shown }
}

/** What `assertedEvents` says about the page after a step. */
const expectedOf = ({
  assertedEvents,
  type
}: Fields): { readonly acts: ReadonlyArray<Act>; readonly changes: ReadonlyArray<string> } => {
  const events: ReadonlyArray<unknown> = Array.isArray(assertedEvents) ? assertedEvents : []
  const addresses = events.flatMap((event) => {
    const { type: kind, url } = Json.objectOf(event)
    const parsed = kind === "navigation" && typeof url === "string" ? URL.parse(url) : null
    return parsed === null || !/^https?:$/.test(parsed.protocol) ? [] : [parsed]
  })
  if (addresses.length === 0) return { acts: [], changes: [] }
  if (type === "navigate") return { acts: [], changes: [] }
  const conditions = addresses.slice(-1).map((url) => ({ type: "address", contains: `${url.origin}${url.pathname}` }))
  return {
    acts: [{ _tag: "Expect", conditions }],
    changes: ["The step expects the address that was recorded after it, without its query"]
  }
}
