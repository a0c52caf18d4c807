/** The browser nodes that people add to n8n: those of Puppeteer, of Playwright and of Browserless. */
import type { Schema } from "effect"
import * as Json from "../../workspace/Json.ts"
import * as Locator from "./Locator.ts"
import type { Data } from "./N8nData.ts"
import { expressions, listOf, type Source } from "./N8nSource.ts"
import { type Act, type Element, lost, type Step, step, written } from "./Recording.ts"

/** The name that an operation has here. */
const operations: Readonly<Record<string, string>> = {
  navigate: "open",
  goto: "open",
  open: "open",
  clickelement: "click",
  click: "click",
  hover: "hover",
  fillform: "fill",
  fill: "fill",
  type: "fill",
  typetext: "fill",
  gettext: "text",
  getpagecontent: "content",
  content: "content",
  getscreenshot: "picture",
  takescreenshot: "picture",
  screenshot: "picture",
  getpdf: "print",
  pdf: "print",
  generatepdf: "print",
  runcustomscript: "script",
  executescript: "script",
  function: "script"
}

interface Found {
  readonly step: Step
  readonly script?: string
}

/** The step of a browser node, with its script if it has one; `null` for a node of another kind. */
export const pageStep = (source: Source, data: Data): Found | null => {
  const { parameters, where } = source
  if (where.kind === "html") return { step: extraction(source, data) }
  if (!/puppeteer|playwright|browserless/i.test(where.kind)) return null
  const given = String(parameters.operation ?? (/playwright/i.test(where.kind) ? "navigate" : "getPageContent"))
  const operation = operations[given.toLowerCase()]
  const opening = opened(parameters, data)
  if (opening === null) return { step: lost(where, expressions) }
  if (operation === "script") {
    const script = String(parameters.scriptCode ?? parameters.script ?? parameters.code ?? "")
    data.hasPage = true
    return { step: step(where, opening), script }
  }
  if (operation === undefined)
    return {
      step: lost(
        where,
        `Runs have no operation ${JSON.stringify(given.slice(0, 40))}: add actions that do the same`,
        opening
      )
    }
  const done = acting(operation, source, data)
  if (typeof done === "string") return { step: lost(where, done, opening) }
  const [acts, changes] = done
  const isAgain = opening.length > 0 && operation !== "open"
  return {
    step: step(
      where,
      [...opening, ...acts],
      [...(isAgain ? ["Its page is opened in the browser of the run"] : []), ...changes]
    )
  }
}

/** The address that a node opens; `null` where it is not translated. */
const opened = (parameters: Schema.JsonObject, data: Data): ReadonlyArray<Act> | null => {
  const url = data.text(parameters.url)
  if (url === null) return null
  if (url.length === 0) return []
  data.hasPage = true
  const query = Json.objectOf(parameters.queryParameters).parameters
  const pairs = listOf(query)
  const more = pairs.flatMap(({ name, value }, at) => {
    const text = data.text(value)
    return [
      `${at === 0 && !written(url).includes("?") ? "?" : "&"}${encodeURIComponent(String(name))}=`,
      ...(text ?? [])
    ]
  })
  if (pairs.some(({ value }) => data.text(value) === null)) return null
  const whole = [...url, ...more]
  return [{ _tag: "Open", url: whole.every((part) => typeof part === "string") ? [whole.join("")] : whole }]
}

const elementIn = (parameters: Schema.JsonObject, data: Data): Element | null => {
  const isPath = parameters.selectorType === "xpath"
  const text = data.text(isPath ? (parameters.xpath ?? parameters.selector) : parameters.selector)
  const selector = text === null ? "" : written(text).trim()
  if (selector === "") return null
  return Locator.elementOf([
    isPath || /^\(?\//.test(selector) ? Locator.xpath(selector.replace(/^xpath=/, "")) : Locator.css(selector)
  ])
}

/** The acts of an operation after its page is open, with what changes; or why it is not translated. */
const acting = (
  operation: string,
  { name, parameters }: Source,
  data: Data
): readonly [ReadonlyArray<Act>, ReadonlyArray<string>] | string => {
  const full = parameters.fullPage ?? Json.objectOf(parameters.screenshotOptions).fullPage
  switch (operation) {
    case "open":
      return [[], []]
    case "picture":
      return [
        [
          {
            _tag: "Do",
            action: "SCREENSHOT",
            name: "Take a picture",
            parameters: full === true ? {} : { full_page: false }
          }
        ],
        []
      ]
    case "print":
      return [
        [{ _tag: "Do", action: "FILE_DOWNLOAD", name: "Print the page", parameters: { trigger_print: true } }],
        []
      ]
    case "content": {
      const variable = data.variable(name)
      data.keep(name, {
        item: null,
        isList: false,
        fields: new Map(["body", "data", "content"].map((field) => [field, `context.${variable}`]))
      })
      return [
        [reading(variable, { type: "string", path: "//body" })],
        [`The text of the page is the variable ${variable}, not its HTML`]
      ]
    }
    default: {
      const element = elementIn(parameters, data)
      if (element === null) return "It has no selector that can be read: add the action with a selector"
      if (operation === "click" || operation === "hover") return [[{ _tag: "Click", element, type: operation }], []]
      if (operation === "text") {
        const variable = data.variable(name)
        data.keep(name, {
          item: null,
          isList: false,
          fields: new Map(["text", "data"].map((field) => [field, `context.${variable}`]))
        })
        return [[reading(variable, { type: "string", path: element.selectors[0] })], []]
      }
      const text = data.text(parameters.value ?? parameters.text)
      return text === null ? expressions : [[{ _tag: "Type", element, text }], []]
    }
  }
}

const reading = (name: string, model: Schema.JsonObject): Act => ({
  _tag: "Do",
  action: "EXTRACT_DATAMODEL",
  name: `Read ${name}`,
  parameters: { extract_data_model: { type: "object", properties: { [name]: model } } }
})

/** Values of the page by selectors of CSS. */
const extraction = ({ name, parameters, where }: Source, data: Data): Step => {
  const { values } = Json.objectOf(parameters.extractionValues)
  const given = listOf(values)
  const isPlain = given.every(
    ({ cssSelector, key, returnValue }) =>
      typeof key === "string" &&
      typeof cssSelector === "string" &&
      !/^=/.test(key + cssSelector) &&
      (returnValue ?? "text") === "text"
  )
  if (parameters.operation !== "extractHtmlContent" || given.length === 0 || !isPlain || !data.hasPage)
    return lost(
      where,
      "It reads HTML that is no page of the run: open the page by NAVIGATE, and add an EXTRACT_DATAMODEL"
    )
  const variable = data.variable(name)
  const fields = given.map(({ cssSelector, key, returnArray }) => {
    const path = `css=${String(cssSelector)}`
    return [
      String(key),
      returnArray === true ? { type: "array", path, items: { type: "string", path: "." } } : { type: "string", path }
    ] as const
  })
  data.keep(name, { item: `context.${variable}`, isList: false, fields: new Map() })
  return step(
    where,
    [reading(variable, { type: "object", properties: Object.fromEntries(fields) })],
    ["It reads the page that is open"]
  )
}
