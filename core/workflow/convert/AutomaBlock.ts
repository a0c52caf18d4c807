/** The blocks of Automa, one by one. */
import type { Schema } from "effect"
import * as Json from "../../workspace/Json.ts"
import { keyOf } from "./ChromeRecorder.ts"
import * as Locator from "./Locator.ts"
import {
  type Act,
  answered,
  type Comparison,
  type Element,
  lost,
  notOneFile,
  type Step,
  step,
  type Text,
  type Where,
  written
} from "./Recording.ts"

export type Data = Readonly<Record<string, unknown>>
/** A way out of a condition, with the act that decides about it. */
export interface Way {
  readonly way: string
  readonly act: Act
}

export interface Read {
  readonly step: Step
  /** The ways of a condition, beside that of its fallback; `null` for a block that leads on. */
  readonly ways: ReadonlyArray<Way> | null
}

const plain = (name: string): string => name.trim().replace(/\W/g, "_").replace(/^(\d)/, "_$1").slice(0, 60) || "value"

/** The names of variables and loops. */
export class Names {
  readonly #set = new Set<string>()
  readonly #inputs = new Map<string, { readonly reason: string; readonly example?: string }>()
  isOpen = false

  set(name: string): string {
    this.#set.add(plain(name))
    return plain(name)
  }

  reads(): ReadonlyArray<{ readonly name: string; readonly reason: string; readonly example?: string }> {
    return [...this.#inputs].map(([name, input]) => ({ name, ...input }))
  }

  /** Makes a list of the file an input, with the list as its example. */
  list(name: string, example: string): string {
    this.#inputs.set(name, { reason: "The rows of a loop, as JSON: the example is the list of the file", example })
    return `{{context.inputs.${name}}}`
  }

  /** The expression of a reference such as `loopData.people.First Name`. */
  #expressionOf(reference: string): string {
    const [root = "", name = "", ...rest] = reference.trim().split(/[.@]/)
    const path = rest
      .map((part) => (/^[A-Za-z_]\w*$/.test(part) ? `.${part}` : `.\`${part.replaceAll("`", "")}\``))
      .join("")
    if (root === "loopData") return `context.runtime.${plain(name)}${rest[0] === "$index" ? "_index" : path}`
    if (root === "variables" && this.#set.has(plain(name))) return `context.${plain(name)}${path}`
    const input = plain(root === "variables" || root === "globalData" ? name || root : reference)
    if (!this.#inputs.has(input))
      this.#inputs.set(input, { reason: "The workflow reads this value and does not set it" })
    return `context.inputs.${input}`
  }

  text(given: unknown): Text {
    return String(given ?? "")
      .split(/(\{\{[^{}]{1,200}\}\})/)
      .flatMap((part): Text => {
        const reference = /^\{\{([^{}]+)\}\}$/.exec(part)?.[1]
        if (reference !== undefined) return [{ expression: this.#expressionOf(reference) }]
        return part === "" ? [] : [part]
      })
  }

  written(given: unknown): string {
    return written(this.text(given))
  }
}

export const read = (data: Data, where: Where, names: Names): Read => {
  if (data.disableBlock === true) return alone(step(where, [], ["It is switched off in the file, so it is left out"]))
  if (where.kind === "conditions") return conditions(data, where, names)
  if (where.kind === "element-exists") {
    const element = elementIn(data, names)
    if (element === null) return alone(lost(where, unread, [{ _tag: "Skip" }, { _tag: "End" }]))
    const condition = {
      comparison_operator: "IS_NOT_NULL",
      comparison_value_1: `<<xpath:${element.selectors[0]}>>`
    } as const
    return { step: step(where, []), ways: [{ way: "1", act: { _tag: "If", condition } }] }
  }
  return alone(flow(data, where, names) ?? onElement(data, where, names))
}

const alone = (one: Step): Read => ({ step: one, ways: null })

const unread = "It has no selector that can be read: add the action with a selector"

const elementIn = (data: Data, names: Names): Element | null => {
  const selector = names.written(data.selector)
  if (selector.trim() === "") return null
  return Locator.elementOf([
    data.findBy === "xpath" || /^\(?\//.test(selector) ? Locator.xpath(selector) : Locator.css(selector)
  ])
}

const comparisons: Readonly<Record<string, Comparison["comparison_operator"]>> = {
  eq: "EQUAL",
  nq: "NOT_EQUAL",
  cnt: "CONTAINS",
  nct: "NOT_CONTAINS",
  stw: "STARTS_WITH",
  enw: "ENDS_WITH",
  itr: "IS_NOT_NULL"
}

/** The branches of a condition. One that compares more than two values is not decided, and its way is left out. */
const conditions = (data: Data, where: Where, names: Names): Read => {
  const branches = (Array.isArray(data.conditions) ? data.conditions : []).map(Json.objectOf)
  const ways = branches.map((branch): Way & { readonly isKnown: boolean } => {
    const condition = comparisonIn(branch, names)
    const act: Act = condition === null ? { _tag: "Skip" } : { _tag: "If", condition }
    return { way: String(branch.id), act, isKnown: condition !== null }
  })
  const isKnown = ways.every((way) => way.isKnown)
  const reason = "A condition compares the page or several values: add a BOOL_CONDITION, and its way"
  return { step: isKnown ? step(where, []) : lost(where, reason), ways }
}

const comparisonIn = (branch: Data, names: Names): Comparison | null => {
  let found: unknown = branch
  for (let level = 0; level < 3; level++) {
    const inner = Json.objectOf(found)
    const list = Array.isArray(inner.conditions) ? inner.conditions : null
    if (list === null) break
    if (list.length !== 1) return null
    found = list[0]
  }
  const { items } = Json.objectOf(found)
  const [left, compare, right, more] = (Array.isArray(items) ? items : []).map(Json.objectOf)
  const operator = comparisons[String(compare?.type)]
  if (left?.type !== "value" || right?.type !== "value" || operator === undefined || more !== undefined) return null
  return {
    comparison_operator: operator,
    comparison_value_1: names.written(Json.objectOf(left.data).value),
    comparison_value_2: names.written(Json.objectOf(right.data).value)
  }
}

const acting = (action: string, name: string, parameters: Schema.JsonObject): Act => ({
  _tag: "Do",
  action,
  name,
  parameters
})

const flow = (data: Data, where: Where, names: Names): Step | null => {
  switch (where.kind) {
    case "trigger":
      return data.type === "manual" || data.type === undefined
        ? step(where, [])
        : lost(where, "Workflows are started by runs: make a schedule, or submit a run")
    case "active-tab":
    case "wait-connections":
    case "note":
      return step(where, [])
    case "handle-dialog":
      return answered(where, { accepts: data.accept !== false, text: String(data.promptText ?? "") !== "" })
    case "new-tab": {
      const url = names.text(data.url)
      if (!names.isOpen) {
        names.isOpen = true
        return step(where, [{ _tag: "Open", url }])
      }
      return step(where, [acting("TAB_MANAGEMENT", "Open a tab", { tabAction: "OPEN", url: written(url) })])
    }
    case "go-back":
      return step(where, [{ _tag: "Back" }])
    case "reload-tab":
      return step(
        where,
        [{ _tag: "Open", url: [{ expression: "window.location.href" }] }],
        ["The address is opened again"]
      )
    case "close-tab":
      return step(where, [acting("TAB_MANAGEMENT", "Close the tab", { tabAction: "CLOSE" })])
    case "delay": {
      const seconds = Number(data.time) / 1_000
      if (!(seconds >= 0 && seconds <= 3_600)) return lost(where, "Its time cannot be read: add a DELAY")
      return step(where, [acting("DELAY", `Wait ${seconds} s`, { delay_time: seconds })])
    }
    case "take-screenshot":
      return step(where, [acting("SCREENSHOT", "Take a picture", data.fullPage === true ? {} : { full_page: false })])
    case "loop-data":
      return loop(data, where, names)
    case "loop-breakpoint":
      return step(where, [{ _tag: "End" }])
    case "tab-url": {
      const name = names.set(String(data.variableName ?? "") || String(data.dataColumn ?? "") || "url")
      const model = { type: "object", properties: { [name]: { type: "string", path: "{{window.location.href}}" } } }
      return step(where, [acting("EXTRACT_DATAMODEL", `Read ${name}`, { extract_data_model: model })])
    }
    case "insert-data":
      return lost(where, "Its values go into a table of the program: add a TRANSFORM")
    case "webhook":
      return request(data, where, names)
    case "javascript-code":
      return lost(where, "Runs execute no scripts: add a TRANSFORM, or actions on the page")
    default:
      return null
  }
}

const loop = (data: Data, where: Where, names: Names): Step => {
  const item = plain(String(data.loopId ?? "loop"))
  const index = `${item}_index`
  const each = (over: Schema.Json): Step => step(where, [{ _tag: "Each", over, item, index }])
  const [from, to] = [Number(data.fromNumber), Number(data.toNumber)]
  if (
    data.loopThrough === "numbers" &&
    Number.isInteger(from) &&
    Number.isInteger(to) &&
    to >= from &&
    to - from < 100_000
  ) {
    return each(`{{[${from}..${to}]}}`)
  }
  if (data.loopThrough === "variable") return each(names.written(`{{variables.${String(data.variableName ?? "")}}}`))
  if (data.loopThrough === "custom-data" || data.loopThrough === undefined) {
    try {
      const list = Json.parse(String(data.loopData))
      if (Array.isArray(list) && list.length > 0) {
        const rows = names.list(`${item}_rows`, JSON.stringify(list))
        return {
          ...each(rows),
          changes: [`The rows are the input ${item}_rows, with those of the file as its example`]
        }
      }
    } catch {
      // It is no JSON.
    }
  }
  return lost(where, "What it goes over is not read: add a LOOP over a list", [{ _tag: "Skip" }])
}

const request = (data: Data, where: Where, names: Names): Step => {
  const method = String(data.method ?? "GET").toUpperCase()
  const url = names.written(data.url)
  if (!/^(?:https?:\/\/|\{\{)/.test(url) || (Array.isArray(data.headers) && data.headers.length > 0)) {
    return lost(where, "Its address or its headers are not read, as headers may hold secrets: add an API_FLOW")
  }
  const body =
    typeof data.body === "string" && data.body !== "{}" && method !== "GET"
      ? { body: { type: "text", value: names.written(data.body) } }
      : {}
  return step(where, [acting("API_FLOW", "Send a request", { steps: [{ id: "request", method, url, ...body }] })])
}

const onElement = (data: Data, where: Where, names: Names): Step => {
  const element = elementIn(data, names)
  if (where.kind === "press-key") return pressed(data, element, where)
  const isKnown = /^(?:event-click|link|hover-element|forms|get-text|attribute-value|element-scroll|upload-file)$/.test(
    where.kind
  )
  if (!isKnown) return lost(where, "Runs have no such block: add actions on the page that do the same")
  if (element === null) return lost(where, unread)
  const [selector] = element.selectors
  const variable = String(data.variableName ?? "") || String(data.dataColumn ?? "") || "text"
  const reading = (path: string): Step => {
    const name = names.set(variable)
    const model = { type: "object", properties: { [name]: { type: "string", path } } }
    return step(where, [acting("EXTRACT_DATAMODEL", `Read ${name}`, { extract_data_model: model })])
  }
  switch (where.kind) {
    case "event-click":
    case "link":
      return step(where, [{ _tag: "Click", element, type: "click" }])
    case "hover-element":
      return step(where, [{ _tag: "Click", element, type: "hover" }])
    case "get-text":
      return reading(selector)
    case "attribute-value":
      return selector.startsWith("css=")
        ? lost(where, "An attribute is read by an XPath: add an EXTRACT_DATAMODEL with one")
        : reading(`${selector}/@${String(data.attributeName ?? "")}`)
    case "element-scroll":
      return step(where, [acting("SCROLL", "Scroll to an element", { scroll_mode: "to-element", xpath: selector })])
    case "upload-file": {
      if (Array.isArray(data.filePaths) && data.filePaths.length !== 1) return lost(where, notOneFile)
      const parameters = { signed_file_url: "{{context.inputs.file_url}}", selector }
      const change = "The file is given by the input file_url: an address from which a run fetches it"
      return step(where, [acting("FILE_UPLOAD", "Upload a file", parameters)], [change])
    }
    default:
      return filled(data, element, where, names)
  }
}

const filled = (data: Data, element: Element, where: Where, names: Names): Step => {
  if (data.getValue === true) return lost(where, "It reads the value of a field: add an EXTRACT_DATAMODEL")
  switch (data.type) {
    case "checkbox":
    case "radio":
      return step(where, [{ _tag: "Click", element, type: "click", more: { checked: data.selected !== false } }])
    case "select":
      return data.selectOptionBy === undefined || data.selectOptionBy === "value"
        ? step(where, [{ _tag: "Choose", element, value: names.text(data.value), more: { match_by: "value" } }])
        : lost(where, "An option is chosen by its value or text, not by its position: add an INPUT_SELECT")
    default: {
      const more = data.clearValue === false ? { do_not_clear: true } : {}
      return step(where, [{ _tag: "Type", element, text: names.text(data.value), more }])
    }
  }
}

const pressed = (data: Data, element: Element | null, where: Where): Step => {
  const key = keyOf(String(data.keys ?? ""))
  return key === null
    ? lost(where, "Texts have no such key: add an INPUT_TEXT with the keys")
    : step(where, [{ _tag: "Press", element, keys: [key] }])
}
