/** The statements of the actions. `Unsayable` is thrown for what Playwright alone does not do. */
import type { Schema } from "effect"
import * as Json from "../../workspace/Json.ts"
import { overwritten } from "../language/parameters/DataModel.ts"
import * as KeyTokens from "../language/parameters/KeyTokens.ts"
import {
  expression,
  isPositioned,
  liveValue,
  memberOf,
  secret,
  template,
  templateText,
  Unsayable,
  type Uses,
  value,
  xpathOf
} from "./ProgramExpression.ts"

type Parameters = Schema.JsonObject
type Lines = ReadonlyArray<string>

const quoted = (text: string): string => JSON.stringify(text)

const textOf = (given: Schema.Json | undefined): string | null =>
  typeof given === "string" && given !== "" ? given : null

/** The parts of an XPath, each but the last up to a frame that it leads through. */
const throughFrames = (path: string): ReadonlyArray<string> => {
  const parts: Array<string> = []
  let [from, step, depth, quote] = [0, 0, 0, ""]
  for (let at = 0; at < path.length; at++) {
    const one = path.charAt(at)
    if (quote !== "") {
      if (one === quote) quote = ""
    } else if (one === '"' || one === "'") quote = one
    else if (one === "[" || one === "(") depth++
    else if (one === "]" || one === ")") depth--
    else if (one === "/" && depth === 0) {
      const [, name = "", next = ""] = /^(i?frame)(.?)/i.exec(path.slice(step, at)) ?? []
      if (name !== "" && (next === "" || next === "[")) {
        parts.push(path.slice(from, at))
        from = at
      }
      step = at + 1
    }
  }
  return [...parts, path.slice(from)]
}

/** The locator of a selector. A frame that an XPath names is entered. */
export const locator = (selector: Schema.Json | undefined, uses: Uses): string => {
  const written = textOf(selector)
  if (written === null) throw new Unsayable("the step has no selector")
  if (/^(css|role|text)=/.test(written)) return `page.locator(${templateText(written, uses)})`
  const parts = throughFrames(xpathOf(written)).map((path) => `.locator(${templateText(`xpath=${path}`, uses)})`)
  return `page${parts.join(".contentFrame()")}`
}

/** Options of a call; an empty text where none is given. */
const optionsOf = (options: Readonly<Record<string, string | null>>): string => {
  const given = Object.entries(options).flatMap(([name, code]) => (code === null ? [] : [`${name}: ${code}`]))
  return given.length === 0 ? "" : `{ ${given.join(", ")} }`
}

const timeout = ({ wait_time }: Parameters): string | null =>
  typeof wait_time === "number" && wait_time !== 15_000 ? String(wait_time) : null

const call = (...args: ReadonlyArray<string>): string => args.filter((one) => one !== "").join(", ")

const isStatic = ({ execution }: Parameters): boolean =>
  execution === undefined || execution === null || execution === "STATIC"

const keysHeld: Readonly<Record<string, string>> = { Ctrl: "ControlOrMeta", Alt: "Alt", Shift: "Shift" }

const heldKeys = ({ modifier_keys }: Parameters): string | null =>
  Array.isArray(modifier_keys) && modifier_keys.length > 0
    ? `[${modifier_keys.map((key: Schema.Json) => quoted(keysHeld[String(key)] ?? "")).join(", ")}]`
    : null

/** The statement before a step that may send what was typed. */
const sending = (uses: Uses, ...args: ReadonlyArray<string>): Lines => {
  if (!uses.types) return []
  uses.helpers.add("stands")
  return [`await stands(${call("page", ...args)})`]
}

const click = (given: Parameters, uses: Uses): Lines => {
  if (textOf(given.copied_as) !== null) throw new Unsayable("it reads what a click copies")
  const at = locator(given.selector, uses)
  const options = {
    timeout: timeout(given),
    modifiers: heldKeys(given),
    position: given.position == null ? null : value(given.position, uses)
  }
  if (typeof given.checked === "boolean")
    return [`await ${at}.setChecked(${call(String(given.checked), optionsOf(options))})`]
  switch (given.click_type ?? "click") {
    case "click":
      // What the pointer changes is drawn before the press.
      return [
        ...sending(uses, at, optionsOf({ timeout: timeout(given) })),
        `await ${at}.hover(${optionsOf(options)})`,
        `await ${at}.click(${optionsOf(options)})`
      ]
    case "double_click":
      return [`await ${at}.dblclick(${optionsOf(options)})`]
    case "triple_click":
      return [`await ${at}.click(${optionsOf({ ...options, clickCount: "3" })})`]
    case "right_click":
      return [`await ${at}.click(${optionsOf({ ...options, button: '"right"' })})`]
    case "middle_click":
      return [`await ${at}.click(${optionsOf({ ...options, button: '"middle"' })})`]
    case "hover":
      return [`await ${at}.hover(${optionsOf(options)})`]
    case "press":
      return [`await ${at}.hover(${optionsOf(options)})`, "await page.mouse.down()"]
    default:
      return ["await page.mouse.up()"]
  }
}

const inputText = (given: Parameters, uses: Uses): Lines => {
  const pieces = KeyTokens.split(typeof given.text === "string" ? given.text : "")
  if (given.paste_via_clipboard === true) throw new Unsayable("it pastes by the clipboard")
  const lines: Array<string> = []
  const isFocused = given.omit_focus === true
  const field = isFocused ? "" : locator(given.selector, uses)
  const options = optionsOf({
    delay: typeof given.typing_delay_ms === "number" ? String(given.typing_delay_ms) : null,
    timeout: timeout(given)
  })
  for (const [index, piece] of pieces.entries()) {
    if (piece._tag === "Unknown") throw new Unsayable(piece.reason)
    if (piece._tag === "Key") {
      if (piece.key === "Enter") lines.push(...sending(uses))
      lines.push(
        isFocused || index > 0
          ? `await page.keyboard.press(${quoted(piece.key)})`
          : `await ${field}.press(${quoted(piece.key)})`
      )
    } else if (isFocused || index > 0) lines.push(`await page.keyboard.type(${templateText(piece.text, uses)})`)
    else if (given.do_not_clear === true) {
      lines.push(`await ${field}.pressSequentially(${call(templateText(piece.text, uses), options)})`)
    } else {
      uses.helpers.add("type")
      lines.push(`await type(${call(field, templateText(piece.text, uses), options)})`)
    }
  }
  if (pieces.length === 0 && !isFocused && given.do_not_clear !== true) lines.push(`await ${field}.fill("")`)
  if (given.submit_after_input === true) lines.push(...sending(uses), 'await page.keyboard.press("Enter")')
  return lines
}

const inputSelect = (given: Parameters, uses: Uses): Lines => {
  if (given.fuzzy_match === true) throw new Unsayable("it takes the option that is most like a text")
  const chosen = templateText(String(given.value ?? ""), uses)
  const by =
    given.match_by === "value" ? `{ value: ${chosen} }` : given.match_by === "text" ? `{ label: ${chosen} }` : chosen
  uses.helpers.add("choose")
  return [`await choose(${call(locator(given.selector, uses), by, optionsOf({ timeout: timeout(given) }))})`]
}

/** A data model that the helper reads: with the paths, types and parts, and nothing else. */
const plainModel = (model: Schema.Json): Schema.Json => {
  if (!Json.isObject(model)) return Array.isArray(model) ? (model[0] ?? "string") : model
  if (Json.isObject(model.format)) throw new Unsayable("a field has a format of its own")
  if (typeof model.path === "string") {
    if (model.path.includes("{{")) throw new Unsayable("the path of a field has an expression")
    xpathOf(model.path)
    if (/(^|\/)i?frame\b/i.test(model.path)) throw new Unsayable("a field is in a frame")
  }
  const properties = Object.entries(Json.objectOf(model.properties ?? {})).filter(
    ([, field]) => !(Json.isObject(field) && field.selected === false)
  )
  if (properties.some(([name]) => name.includes("{{"))) throw new Unsayable("the name of a field has an expression")
  return {
    ...(model.type === undefined || model.type === null
      ? {}
      : { type: Array.isArray(model.type) ? (model.type[0] ?? "string") : model.type }),
    ...(model.path === undefined || model.path === null ? {} : { path: model.path }),
    ...(model.first === true || (typeof model.path === "string" && isPositioned(model.path)) ? { first: true } : {}),
    ...(model.properties == null
      ? {}
      : { properties: Object.fromEntries(properties.map(([name, field]) => [name, plainModel(field)])) }),
    ...(model.items == null ? {} : { items: plainModel(model.items) })
  }
}

const extract = (given: Parameters, uses: Uses): Lines => {
  if (given.execution !== "STATIC" && given.execution !== undefined) throw new Unsayable("a model reads the page")
  if (given.keep_html_metadata === true || given.wait_for_change === true || given.keep_whitespace === true) {
    throw new Unsayable("it reads more than the texts of the page")
  }
  const model = plainModel(given.extract_data_model ?? {})
  const replaced = overwritten(Json.objectOf(given.extract_data_model))
  if (replaced.some((name) => name.includes("."))) throw new Unsayable("it replaces a list within an object")
  uses.helpers.add("read").add("keep")
  const lines =
    textOf(given.selector) === null
      ? []
      : [`await ${locator(given.selector, uses)}.waitFor(${optionsOf({ timeout: timeout(given) })})`]
  return [
    ...lines,
    `keep(${call("data", `await read(page, ${value(model, uses)})`, replaced.length === 0 ? "" : JSON.stringify(replaced))})`
  ]
}

const transform = (given: Parameters, uses: Uses): Lines =>
  (Array.isArray(given.operations) ? given.operations : []).flatMap((operation: Schema.Json): Lines => {
    const { optional, target, type, value: source } = Json.objectOf(operation)
    const names = String(target).split(".").slice(1)
    const [name = "", ...rest] = names
    if (optional === true && type !== "DELETE") throw new Unsayable("an operation is optional")
    const place = `data${names.map(memberOf).join("")}`
    const before = rest.length === 0 ? [] : [`data${memberOf(name)} ??= {}`]
    if (rest.length > 1) throw new Unsayable("it sets a value deep within another")
    if (type === "DELETE")
      return [`delete ${rest.length === 0 ? place : place.replace(memberOf(name), `${memberOf(name)}?`)}`]
    const code = expression(String(source), uses)
    if (type === "SET") return [...before, `${place} = ${code}`]
    if (type === "MERGE") return [...before, `${place} = { ...${place}, ...${code} }`]
    uses.helpers.add("listOf")
    return [...before, `${place} = [...listOf(${place}), ...listOf(${code})]`]
  })

const scroll = (given: Parameters, uses: Uses): Lines => {
  const mode = given.scroll_mode ?? "simple"
  if (mode === "to-element")
    return [`await ${locator(given.xpath, uses)}.scrollIntoViewIfNeeded(${optionsOf({ timeout: timeout(given) })})`]
  throw new Unsayable("it scrolls until nothing more comes")
}

const tabs = (given: Parameters, uses: Uses): Lines => {
  if (given.tabAction === "OPEN") {
    const url = textOf(given.url)
    const open = "page = await page.context().newPage()"
    if (url === null) return [open]
    const go = 'await page.goto(url, { waitUntil: "domcontentloaded" })'
    return ["{", `  const url = ${templateText(url, uses)}`, `  ${open}`, `  ${go}`, "}"]
  }
  uses.helpers.add("tab")
  const index = typeof given.tab_index === "number" ? String(given.tab_index) : ""
  if (given.tabAction === "SWITCH") return [`page = await tab(page, ${index})`]
  return [
    index === "" ? "await page.close()" : `await (await tab(page, ${index})).close()`,
    "page = await tab(page, -1)"
  ]
}

const upload = (given: Parameters, uses: Uses): Lines => {
  if (given.drop === true || given.paste === true) throw new Unsayable("it drops or pastes a file")
  if (textOf(given.selector) === null) throw new Unsayable("a file dialog is open before the step")
  if (textOf(given.taken_selector) !== null) throw new Unsayable("it waits until the site has the file")
  const url = templateText(String(given.signed_file_url), uses)
  const name =
    textOf(given.file_name) === null
      ? `new URL(${url}).pathname.split("/").at(-1) || "file"`
      : templateText(String(given.file_name), uses)
  const field = locator(given.selector, uses)
  const full = "one.multiple && one.files.length > 0"
  return [
    "{",
    `  if (await ${field}.evaluate((one: any) => ${full})) throw new Error("The field has files that would be dropped")`,
    `  const response = await page.request.get(${url})`,
    `  if (!response.ok()) throw new Error(\`The file answers \${response.status()}\`)`,
    "  const buffer = await response.body()",
    `  const mimeType = response.headers()["content-type"] ?? "application/octet-stream"`,
    `  await ${field}.setInputFiles({ name: ${name}, mimeType, buffer })`,
    "}"
  ]
}

const download = (given: Parameters, uses: Uses): Lines => {
  if (given.continue_on_failed_download === true) throw new Unsayable("it continues where a download fails")
  const seconds = typeof given.timeout_seconds === "number" ? given.timeout_seconds : 60
  if (given.trigger_print === true) {
    uses.helpers.add("file")
    const wait = textOf(given.selector) === null ? [] : [`await ${locator(given.selector, uses)}.waitFor()`]
    return [...wait, 'await page.pdf({ path: file("page.pdf") })']
  }
  uses.helpers.add("saveDownload")
  return [`await saveDownload(page, ${seconds * 1_000})`]
}

const screenshot = (given: Parameters, uses: Uses, name: string): Lines => {
  uses.helpers.add("file")
  const fileName = `${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}.png`
  const path = `path: file(${quoted(fileName)})`
  return textOf(given.selector) === null
    ? [`await page.screenshot({ ${path}${given.full_page === true ? ", fullPage: true" : ""} })`]
    : [`await ${locator(given.selector, uses)}.screenshot({ ${path} })`]
}

const tfa = (given: Parameters, uses: Uses): Lines => {
  if (given.tfa_type !== "AUTHENTICATOR")
    throw new Unsayable("the code, the link or the passkey comes from outside of the page")
  uses.helpers.add("codeOf")
  const code = `codeOf(${secret(uses, String(given.credential), "TFA_SECRET")})`
  return [
    `await ${locator(given.selector, uses)}.fill(${call(code, optionsOf({ timeout: timeout(given) }))})`,
    'await page.keyboard.press("Enter")'
  ]
}

const drag = (given: Parameters, uses: Uses): Lines => {
  if (textOf(given.to_selector) === null || heldKeys(given) !== null)
    throw new Unsayable("it drags along a way of its own")
  const options = optionsOf({
    timeout: timeout(given),
    sourcePosition: given.position == null ? null : value(given.position, uses),
    targetPosition: given.to_position == null ? null : value(given.to_position, uses)
  })
  return [`await ${locator(given.selector, uses)}.dragTo(${call(locator(given.to_selector, uses), options)})`]
}

/** The statements of a step. */
export const stepLines = (action: string, given: Parameters, name: string, uses: Uses): Lines => {
  if (!isStatic(given) && action !== "INPUT_SELECT") throw new Unsayable(`its execution is ${given.execution}`)
  switch (action) {
    case "START":
      uses.helpers.add("goto")
      return [`await goto(page, ${templateText(String(given.url), uses)})`]
    case "NAVIGATE":
      if (given.url === "back") return ["await page.goBack()"]
      uses.helpers.add("goto")
      return [`await goto(page, ${templateText(String(given.url), uses)})`]
    case "CLICK":
      return click(given, uses)
    case "INPUT_TEXT":
      return inputText(given, uses)
    case "INPUT_SELECT":
      return inputSelect(given, uses)
    case "DRAG":
      return drag(given, uses)
    case "DELAY":
      return [`await page.waitForTimeout(${Number(given.delay_time) * 1_000})`]
    case "SCROLL":
      return scroll(given, uses)
    case "SCREENSHOT":
      return screenshot(given, uses, name)
    case "TAB_MANAGEMENT":
      return tabs(given, uses)
    case "EXTRACT_DATAMODEL":
      return extract(given, uses)
    case "TRANSFORM":
      return transform(given, uses)
    case "FILE_DOWNLOAD":
      return download(given, uses)
    case "FILE_UPLOAD":
      return upload(given, uses)
    case "TFA":
      return tfa(given, uses)
    default:
      throw new Unsayable(`${action} needs the service`)
  }
}

const compared: Readonly<Record<string, readonly [helper: string, code: (one: string, other: string) => string]>> = {
  EQUAL: ["seen", (one, other) => `seen(${one}) === seen(${other})`],
  NOT_EQUAL: ["seen", (one, other) => `seen(${one}) !== seen(${other})`],
  CONTAINS: ["has", (one, other) => `has(${one}, ${other})`],
  NOT_CONTAINS: ["has", (one, other) => `!has(${one}, ${other})`],
  STARTS_WITH: ["seen", (one, other) => `seen(${one}).startsWith(seen(${other}))`],
  ENDS_WITH: ["seen", (one, other) => `seen(${one}).endsWith(seen(${other}))`],
  IS_NULL: ["isNothing", (one) => `isNothing(${one})`],
  IS_NOT_NULL: ["isNothing", (one) => `!isNothing(${one})`]
}

const opposites: Readonly<Record<string, string>> = {
  EQUAL: "NOT_EQUAL",
  NOT_EQUAL: "EQUAL",
  CONTAINS: "NOT_CONTAINS",
  NOT_CONTAINS: "CONTAINS",
  IS_NULL: "IS_NOT_NULL",
  IS_NOT_NULL: "IS_NULL"
}

const comparison = (operator: Schema.Json | undefined, one: string, other: string, uses: Uses): string => {
  const [name, code] = compared[String(operator)] ?? compared.EQUAL ?? ["", () => ""]
  uses.helpers.add(name)
  return code(one, other)
}

/** The condition of a BOOL_CONDITION, or that it does not hold. */
export const condition = (given: Parameters, uses: Uses, holds: boolean): string => {
  if (!isStatic(given)) throw new Unsayable("a model decides")
  if (given.until_settled === true) throw new Unsayable("it waits until the page is settled")
  const wait = typeof given.wait_time === "number" ? String(given.wait_time) : ""
  const [one = "null", other = "null"] = [given.comparison_value_1, given.comparison_value_2].map((side) =>
    liveValue(side, wait, uses)
  )
  const operator = given.comparison_operator
  if (holds) return comparison(operator, one, other, uses)
  const opposite = opposites[String(operator)]
  return opposite === undefined ? `!${comparison(operator, one, other, uses)}` : comparison(opposite, one, other, uses)
}

/** The condition under which a step is done; `null` where it always is. */
export const runIf = (given: Parameters, uses: Uses): string | null => {
  if (given.run_if === undefined || given.run_if === null) return null
  const { conditions, match } = Json.objectOf(given.run_if)
  const all = (Array.isArray(conditions) ? conditions : []).map((one: Schema.Json) => {
    const { field, operator, value: other } = Json.objectOf(one)
    const code = expression(String(field), uses)
    const compares = comparison(operator, code, value(other ?? null, uses), uses)
    return operator === "NOT_EQUAL" ? `(${code} != null && ${compares})` : compares
  })
  return all.join(match === "any" ? " || " : " && ")
}

/** The list of a loop. */
export const turns = (given: Parameters, uses: Uses): string => {
  uses.helpers.add("turnsOf")
  const over = given.variable_over ?? null
  return `turnsOf(${typeof over === "string" ? template(over, uses) : JSON.stringify(over)})`
}
