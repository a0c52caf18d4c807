/** The functions that a program may need, as text. Each is written into a program that uses it. */

export interface Helper {
  readonly code: string
  /** The other helpers that it calls. */
  readonly calls: ReadonlyArray<string>
}

const helper = (code: string, ...calls: ReadonlyArray<string>): Helper => ({ code: code.trim(), calls })

/** By their names, in the order in which a program has them. */
export const helpers: Readonly<Record<string, Helper>> = {
  secret: helper(`
/** A secret of the environment. */
const secret = (name: string): string => {
  const value = env[name]
  if (value === undefined) throw new Error(\`Set the environment variable \${name}\`)
  return value
}`),
  codeOf: helper(`
/** The present code of an authenticator, by its secret in Base32 or an otpauth:// address. */
const codeOf = (secret: string): string =>
  (secret.startsWith("otpauth:") ? URI.parse(secret) : new TOTP({ secret })).generate()`),
  text: helper(`
/** A value as text. */
const text = (value: any): string =>
  value === undefined || value === null ? "" : typeof value === "string" ? value : JSON.stringify(value)`),
  listOf: helper(`
/** A list, whatever a value is. */
const listOf = (value: any): ReadonlyArray<any> =>
  Array.isArray(value) ? value : value === undefined || value === null || value === "" ? [] : [value]`),
  get: helper(`
/** The value at a path; of a list, the values of its elements. */
const get = (value: any, ...path: ReadonlyArray<string | number>): any => {
  const [key, ...rest] = path
  if (key === undefined || value === undefined || value === null) return value ?? undefined
  if (typeof key === "number") return get(Array.isArray(value) ? value[key] : key === 0 ? value : undefined, ...rest)
  if (!Array.isArray(value)) return get(value[key], ...rest)
  const found = value.flatMap((one) => get(one, ...path) ?? [])
  return found.length > 1 ? found : found[0]
}`),
  turnsOf: helper(
    `
/** The elements of a list, or the numbers below a number. */
const turnsOf = (over: any): ReadonlyArray<any> => {
  const value = typeof over === "string" && over !== "" ? JSON.parse(over) : over
  return typeof value === "number" ? Array.from({ length: value }, (_, index) => index) : listOf(value)
}`,
    "listOf"
  ),
  seen: helper(
    `
/** A value as a person sees it. */
const seen = (value: any): string => text(value).replace(/[\\s\\u200b]+/g, " ").trim()`,
    "text"
  ),
  isNothing: helper(
    `
const isNothing = (value: any): boolean => ["", "null", "[]"].includes(text(value))`,
    "text"
  ),
  has: helper(
    `
/** Whether a list has an element, or a text a part. */
const has = (value: any, part: any): boolean =>
  Array.isArray(value) ? value.some((one) => seen(one) === seen(part)) : seen(value).includes(seen(part))`,
    "seen"
  ),
  settled: helper(`
/** Waits until the page loads nothing, at most 5 seconds. */
const settled = (page: Page) => page.waitForLoadState("networkidle", { timeout: 5_000 }).catch(() => {})`),
  inPage: helper(
    `
/** Looks at a page that is settled; again where the page was left meanwhile. */
const inPage = async <A, B>(page: Page, look: (given: A) => B, given: A): Promise<B> => {
  for (let tries = 1; ; tries++) {
    await settled(page)
    try {
      return (await page.evaluate(look as (given: unknown) => unknown, given)) as B
    } catch (error) {
      if (tries === 5 || !/navigat|context was destroyed/i.test(String(error))) throw error
    }
  }
}`,
    "settled"
  ),
  goto: helper(`
/** Opens an address, which may be relative to that of the page. */
const goto = (page: Page, url: string) =>
  page.goto(page.url() === "about:blank" ? url : new URL(url, page.url()).href, { waitUntil: "domcontentloaded" })`),
  textAt: helper(
    `
/** The text that an XPath selects first; null where none comes in time. */
const textAt = async (page: Page, path: string, wait = 0): Promise<string | null> => {
  for (let left = wait; ; left -= 100, await page.waitForTimeout(100)) {
    const found = await inPage(page, (path: string) => {
      const result = document.evaluate(path, document, null, XPathResult.ANY_TYPE)
      if (result.resultType === XPathResult.NUMBER_TYPE) return String(result.numberValue)
      if (result.resultType === XPathResult.STRING_TYPE) return result.stringValue
      if (result.resultType === XPathResult.BOOLEAN_TYPE) return String(result.booleanValue)
      const node: any = result.iterateNext()
      if (node === null) return null
      return /^(INPUT|SELECT|TEXTAREA)$/.test(node.nodeName) ? node.value : (node.innerText ?? node.textContent)
    }, path)
    if (found !== null || left <= 0) return found === null ? null : found.trim()
  }
}`,
    "inPage"
  ),
  type: helper(`
/** Replaces the text of a field, key by key where the field takes keys. */
const type = async (field: Locator, value: string, options: { readonly delay?: number; readonly timeout?: number } = {}) => {
  await field.fill("", options)
  const kind = await field.getAttribute("type")
  if (/^(color|date|datetime-local|month|range|time|week)$/.test(kind ?? "")) await field.fill(value)
  else await field.pressSequentially(value, options)
}`),
  read: helper(
    `
/** Reads a data model from the page: each field at its XPath, lists by their rows. */
const read = async (page: Page, model: any): Promise<any> => {
  return inPage(page, (model: any) => {
    const found = (path: string, at: Node): Array<any> => {
      const result = document.evaluate(path, at, null, XPathResult.ANY_TYPE)
      if (result.resultType === XPathResult.NUMBER_TYPE) return [String(result.numberValue)]
      if (result.resultType === XPathResult.STRING_TYPE) return [result.stringValue]
      if (result.resultType === XPathResult.BOOLEAN_TYPE) return [String(result.booleanValue)]
      const nodes: Array<Node> = []
      for (let node = result.iterateNext(); node !== null; node = result.iterateNext()) nodes.push(node)
      return nodes
    }
    const below = (path: string): string => path.replace(/^\\//, "./")
    const isBox = (one: any): boolean => one.type === "checkbox" || one.type === "radio"
    const shown = (one: any): string => {
      if (typeof one === "string") return one
      if (/^(INPUT|SELECT|TEXTAREA)$/.test(one.nodeName)) return one.value
      return (one.innerText ?? one.textContent).replace(/\\s+/g, " ").trim()
    }
    /** The only figure of a text; null where it has none or several. */
    const figureOf = (text: string): number | null => {
      const figures = text.match(/\\d(?:[\\d.,'\u2019]|\\s(?=\\d{3}\\b))*/g) ?? []
      const [written = ""] = figures
      if (figures.length !== 1 || /[\\p{L}\\d]-\\d/u.test(text)) return null
      const digits = written.replace(/[^\\d.,]/g, "").replace(/[.,]$/, "")
      const [comma, point] = [digits.lastIndexOf(","), digits.lastIndexOf(".")]
      const separator = comma > point ? "," : "."
      const parts = digits.split(separator)
      const isGroups =
        parts.length > 2 ||
        (parts[1]?.length === 3 && (comma < 0 || point < 0) && (separator === ",") === /^(en|$)/.test(document.documentElement.lang))
      if (parts.length > 2 && (parts.at(-1)?.length !== 3 || parts.slice(1, -1).some((part) => part.length < 2))) return null
      const plain = digits.replaceAll(separator === "," ? "." : ",", "").replace(",", ".")
      const value = Number(isGroups ? digits.replace(/[.,]/g, "") : plain)
      const isNegative = /[-−(]\\s?\\p{Sc}?\\s?\\d/u.test(text) || /\\d\\s?-$/.test(text)
      return Number.isFinite(value) && Math.abs(value) < 2 ** 53 ? (isNegative ? -value : value) : null
    }
    const valueOf = (one: any, type: string): any => {
      if (one === undefined) return null
      const text = shown(one)
      if (type === "boolean") {
        if (isBox(one)) return one.checked
        return /^(true|yes|on|1)$/i.test(text) ? true : /^(false|no|off|0)$/i.test(text) ? false : null
      }
      return type === "number" || type === "integer" ? figureOf(text) : text
    }
    const field = (model: any, at: Node, isRow: boolean): any => {
      const one = typeof model === "string" ? { type: model } : model
      const path = one.path === undefined ? undefined : isRow ? below(one.path) : one.path
      if (one.type === "array") return found(path, at).map((row) => field({ ...one.items, path: undefined }, row, true))
      const here = path === undefined ? at : found(path, at)[0]
      if (one.properties === undefined) return valueOf(here, one.type)
      if (here === undefined) return null
      const inRow = isRow || path !== undefined
      return Object.fromEntries(Object.entries(one.properties).map(([name, inner]) => [name, field(inner, here, inRow)]))
    }
    return field(model, document, false)
  }, model)
}`,
    "inPage"
  ),
  keep: helper(`
/** Keeps what was read. Lists that are there already get longer. */
const keep = (data: any, values: any, replaced: ReadonlyArray<string> = []): void => {
  for (const [name, value] of Object.entries(values)) {
    const isLonger = Array.isArray(data[name]) && Array.isArray(value) && !replaced.includes(name)
    data[name] = isLonger ? [...data[name], ...value] : value
  }
}`),
  tab: helper(`
/** A tab by its index, once it is there; -1 for the last one. */
const tab = async (page: Page, index: number): Promise<Page> => {
  const context = page.context()
  while (context.pages().at(index) === undefined) await context.waitForEvent("page")
  const found = context.pages().at(index)!
  await found.waitForLoadState()
  return found
}`),
  file: helper(`
/** Keeps a file in the folder of the variable FILES; the current one where it is not set. */
const file = (name: string): string => join(env.FILES ?? ".", name)`),
  downloads: helper(`
/** The downloads of a page that no step has kept yet. */
const downloads: Array<Download> = []`),
  saveDownload: helper(
    `
/** Keeps the downloads since the last step that kept some. */
const saveDownload = async (page: Page, timeout: number): Promise<void> => {
  if (downloads.length === 0) await page.waitForEvent("download", { timeout })
  for (const download of downloads.splice(0)) await download.saveAs(file(download.suggestedFilename()))
}`,
    "downloads",
    "file"
  )
}
