/** Recordings of `playwright codegen --target jsonl`: one action a line. */
import { Result } from "effect"
import * as Json from "../../workspace/Json.ts"
import * as PlaywrightLocator from "./PlaywrightLocator.ts"
import {
  type Act,
  type Element,
  literal,
  lost,
  notOneFile,
  type Recording,
  type Step,
  step,
  type Unreadable,
  type Where,
  written
} from "./Recording.ts"
import * as ScriptKeys from "./ScriptKeys.ts"

type Fields = Readonly<Record<string, unknown>>
export const recognises = (text: string): boolean => {
  const [first = ""] = text.split("\n", 1)
  return /^\s*\{.*"(?:browserName|pageAlias|pageGuid)"/.test(first)
}

export const read = (text: string): Result.Result<Recording, ReadonlyArray<Unreadable>> => {
  const problems: Array<Unreadable> = []
  const steps: Array<Step> = []
  const reader = new Reader()
  text.split("\n").forEach((line, index) => {
    if (line.trim() === "") return
    const fields = parsed(line)
    if (fields === null) {
      problems.push({ path: "", message: `Cannot read line ${index + 1}: expected a JSON object` })
      return
    }
    if (typeof fields.name !== "string") return
    steps.push(reader.read(fields, { step: String(steps.length + 1), line: index + 1, kind: fields.name }))
  })
  return problems.length > 0
    ? Result.fail(problems.slice(0, 20))
    : Result.succeed({ format: "playwright", name: "", description: null, steps })
}

const parsed = (line: string): Fields | null => {
  try {
    const value = Json.parse(line)
    return Json.isObject(value) ? value : null
  } catch {
    return null
  }
}

/** The page of an action: an alias, or in later versions an id. */
const pageOf = ({ pageAlias, pageGuid }: Fields): string => String(pageAlias ?? pageGuid ?? "")

class Reader {
  readonly #pages: Array<string> = []
  #page = ""

  read(fields: Fields, where: Where): Step {
    const switching = this.#switchTo(pageOf(fields), fields.name === "openPage")
    const done = this.#translated(fields, where)
    const signals: ReadonlyArray<unknown> = Array.isArray(fields.signals) ? fields.signals : []
    const acts: Array<Act> = [...switching, ...done.acts]
    const changes = [...done.changes]
    for (const signal of signals.map(Json.objectOf)) {
      const popup = signal.popupAlias ?? signal.popupPageGuid
      if (signal.name === "popup" && typeof popup === "string") {
        this.#pages.push(popup)
        this.#page = popup
        changes.push("The tab that it opens becomes the present one")
      }
      if (signal.name === "download") {
        acts.push({ _tag: "Do", action: "FILE_DOWNLOAD", name: "Keep the file", parameters: {} })
        changes.push("The file that it downloads is kept")
      }
      if (signal.name === "dialog") changes.push("Runs accept each dialog by themselves")
    }
    return { ...done, acts, changes }
  }

  #switchTo(alias: string, isNew: boolean): ReadonlyArray<Act> {
    if (isNew || alias === "" || alias === this.#page) return []
    const index = this.#pages.indexOf(alias)
    this.#page = alias
    if (index < 0) {
      this.#pages.push(alias)
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

  #openPage(fields: Fields, where: Where): Step {
    const isFirst = this.#pages.length === 0
    this.#page = pageOf(fields)
    this.#pages.push(this.#page)
    const url = typeof fields.url === "string" && /^https?:/.test(fields.url) ? fields.url : null
    if (isFirst) return step(where, url === null ? [] : [{ _tag: "Open", url: literal(url) }])
    const parameters = { tabAction: "OPEN", ...(url === null ? {} : { url }) }
    return step(where, [{ _tag: "Do", action: "TAB_MANAGEMENT", name: "Open a tab", parameters }])
  }

  #closePage(where: Where): Step {
    const at = this.#pages.indexOf(this.#page)
    if (at >= 0) this.#pages.splice(at, 1)
    this.#page = this.#pages.at(-1) ?? ""
    // The end of a run closes the last one.
    if (this.#pages.length === 0) return step(where, [])
    return step(where, [
      { _tag: "Do", action: "TAB_MANAGEMENT", name: "Close the tab", parameters: { tabAction: "CLOSE" } }
    ])
  }

  #translated(fields: Fields, where: Where): Step {
    switch (fields.name) {
      case "openPage":
        return this.#openPage(fields, where)
      case "closePage":
        return this.#closePage(where)
      case "navigate":
        return step(where, [{ _tag: "Open", url: literal(String(fields.url ?? "")) }])
      default:
        return onElement(fields, where)
    }
  }
}

/** The element of a selector, in which braces stand for themselves. */
const elementOf = (selector: unknown): Element | null => {
  if (typeof selector !== "string") return null
  const found = PlaywrightLocator.elementOf(PlaywrightLocator.bySelector(PlaywrightLocator.whole, selector))
  return found === null ? null : { selectors: [written(literal(found.selectors[0]))], name: found.name }
}

const onElement = (fields: Fields, where: Where): Step => {
  const element = elementOf(fields.selector)
  if (element === null) return lost(where, "It has no selector: add an action that does the same")
  const [selector] = element.selectors
  const text = String(fields.text ?? "")
  const held = ScriptKeys.heldIn(fields.modifiers)
  const expecting = (condition: { readonly [name: string]: string }): Step =>
    step(where, [{ _tag: "Expect", conditions: [{ ...condition, selector }] }])
  switch (fields.name) {
    case "click": {
      const twice = fields.clickCount === 2 ? "double_click" : fields.clickCount === 3 ? "triple_click" : "click"
      const type = fields.button === "right" ? "right_click" : fields.button === "middle" ? "middle_click" : twice
      return step(where, [{ _tag: "Click", element, type, more: held.length === 0 ? {} : { modifier_keys: held } }])
    }
    case "hover":
      return step(where, [{ _tag: "Click", element, type: "hover" }])
    case "fill":
      return step(where, [{ _tag: "Type", element, text: literal(text) }])
    case "press": {
      const key = ScriptKeys.chordOf([...held, String(fields.key ?? "")].join("+"))
      return key === null
        ? lost(where, "Texts have no such key: use one that INPUT_TEXT names")
        : step(where, [{ _tag: "Press", element, keys: [key] }])
    }
    case "check":
    case "uncheck":
      return step(where, [{ _tag: "Click", element, type: "click", more: { checked: fields.name === "check" } }])
    case "select": {
      const options: ReadonlyArray<unknown> = Array.isArray(fields.options) ? fields.options : []
      const value = options.length === 1 ? String(options[0]) : JSON.stringify(options)
      return step(where, [{ _tag: "Choose", element, value: literal(value) }])
    }
    case "setInputFiles":
      if (Array.isArray(fields.files) && fields.files.length !== 1) return lost(where, notOneFile)
      return step(where, [ScriptKeys.upload(selector)], [ScriptKeys.uploadChange])
    case "assertText":
      return expecting({ type: "text", [fields.substring === true ? "contains" : "equals"]: written(literal(text)) })
    case "assertValue":
      return expecting({ type: "value", equals: written(literal(String(fields.value ?? ""))) })
    case "assertChecked":
      return expecting({ type: "value", equals: String(fields.checked === true) })
    case "assertVisible":
      return expecting({ type: "element", state: "visible" })
    default:
      return lost(
        where,
        "It compares a snapshot, or is not known: say by expect of the step before what the page shows"
      )
  }
}
