/** The functions that a program may need, as text. Each is written into a program that uses it. */

import { figureText } from "./FigureText.ts"

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
  clock: helper(`
/** Milliseconds, by a clock that only goes forward. */
const clock = (): number => uptime() * 1_000`),
  underWay: helper(`
/** The requests of a page whose answers may change what it shows. */
const underWay = new Set<Request>()
const watched = (page: Page): void => {
  const context = page.context()
  context.on("request", (one) => {
    if (/^(document|fetch|script|xhr)$/.test(one.resourceType())) underWay.add(one)
  })
  for (const ends of ["requestfinished", "requestfailed"] as const) context.on(ends as "requestfinished", (one) => underWay.delete(one))
}`),
  inPage: helper(`
/** Looks at a page; again where the page was left meanwhile. */
const inPage = async <A, B>(page: Page, look: (given: A) => B, given: A): Promise<B> => {
  for (let tries = 1; ; tries++) {
    await page.waitForLoadState()
    try {
      return (await page.evaluate(look as (given: unknown) => unknown, given)) as B
    } catch (error) {
      if (tries === 5 || !/navigat|context was destroyed/i.test(String(error))) throw error
    }
  }
}`),
  steady: helper(
    `
/**
 * What a look at a page says, once it has said the same for 2 seconds while the page loads nothing; for 5 seconds where
 * something is empty. Fails where that does not come within 30 seconds.
 */
const steady = async <A, B>(page: Page, look: (given: A) => B, given: A, isEmpty: (found: B) => boolean): Promise<B> => {
  const end = clock() + 30_000
  for (let before = "", since = clock(); ; await page.waitForTimeout(100)) {
    const found = await inPage(page, look, given)
    const request = [...underWay].find((one) => !one.isNavigationRequest() && !one.frame().page().isClosed())
    const isBusy = await inPage(
      page,
      (marks) => [...document.querySelectorAll(marks)].some((one) => one.checkVisibility()),
      '[aria-busy="true"], [role="progressbar"]:not([aria-valuenow]), progress:not([value])'
    )
    const now = JSON.stringify(found)
    if (now !== before || isBusy || request !== undefined) {
      before = now
      since = clock()
    } else if (clock() - since >= (isEmpty(found) ? 5_000 : 2_000)) return found
    if (clock() < end) continue
    const why = request !== undefined ? \`it still loads \${request.url()}\` : isBusy ? "it says that it is busy" : "what it shows still changes"
    throw new Error(\`The page at \${page.url()} is not at rest after 30 seconds: \${why}\`)
  }
}`,
    "clock",
    "underWay",
    "inPage"
  ),
  goto: helper(`
/** Opens an address, which may be relative to that of the page. Fails where a page of an error comes. */
const goto = async (page: Page, url: string): Promise<void> => {
  const to = page.url() === "about:blank" ? url : new URL(url, page.url()).href
  const status = (await page.goto(to, { waitUntil: "domcontentloaded" }))?.status() ?? 200
  if ([404, 410, 429].includes(status) || status >= 500) throw new Error(\`\${to} answers with status \${status}\`)
}`),
  textAt: helper(
    `
/**
 * The text that an XPath selects; null where none comes in time. Fails where it selects different texts, unless the first
 * one is meant.
 */
const textAt = async (page: Page, path: string, wait = 0, isFirst = false): Promise<string | null> => {
  for (const end = clock() + wait; ; ) {
    const look = (path: string): ReadonlyArray<string> => {
      const result = document.evaluate(path, document, null, XPathResult.ANY_TYPE)
      if (result.resultType === XPathResult.NUMBER_TYPE) return [String(result.numberValue)]
      if (result.resultType === XPathResult.STRING_TYPE) return [result.stringValue]
      if (result.resultType === XPathResult.BOOLEAN_TYPE) return [String(result.booleanValue)]
      const texts: Array<string> = []
      for (let node: any = result.iterateNext(); node !== null; node = result.iterateNext()) {
        const shown = /^(INPUT|SELECT|TEXTAREA)$/.test(node.nodeName) ? node.value : (node.innerText ?? node.textContent)
        texts.push(shown.trim())
      }
      return texts
    }
    const [first, ...others] = await steady(page, look, path, (texts) => texts.length === 0)
    const other = isFirst ? undefined : others.find((one) => one !== first)
    if (other !== undefined) throw new Error(\`\${path} matches elements with different texts, such as "\${first}" and "\${other}": expected a path to one\`)
    if (first !== undefined || clock() >= end) return first ?? null
  }
}`,
    "clock",
    "steady"
  ),
  typed: helper(`
/** What fields showed after the program had typed into them or chosen from them. */
const typed: Array<{ readonly field: Locator; readonly page: string; readonly shown: string }> = []
const shownIn = (field: Locator) =>
  field.evaluate((one: any) => {
    const { timeOrigin } = performance
    return [one.value ?? one.innerText, \`\${timeOrigin} \${location.href}\`] as const
  })
const remember = async (field: Locator): Promise<string> => {
  const [shown, page] = await shownIn(field)
  typed.push({ field, page, shown })
  return shown
}`),
  stands: helper(
    `
/**
 * Fails where a page has taken back what was typed or chosen: before a button, a link or a key that may send it. Without a
 * locator it is a key.
 */
const stands = async (page: Page, pressed?: Locator, options: { readonly timeout?: number } = {}): Promise<void> => {
  if (typed.length === 0) return
  const buttons = "a, button, [role=button], input[type=button], input[type=image], input[type=submit]"
  if (pressed !== undefined && !(await pressed.evaluate((one, buttons) => one.closest?.(buttons) != null, buttons, options))) return
  for (let turns = 0; turns < 5 || (underWay.size > 0 && turns < 100); turns++) await page.waitForTimeout(100)
  for (const { field, page: at, shown } of typed.splice(0)) {
    if ((await field.count()) !== 1) continue
    const [now, here] = await shownIn(field)
    if (here === at && now !== shown) throw new Error(\`\${field} does not have any more what was put into it\`)
  }
}`,
    "typed",
    "underWay"
  ),
  type: helper(
    `
/** Replaces the text of a field, key by key where the field takes keys. Fails where the field then has another text. */
const type = async (field: Locator, value: string, options: { readonly delay?: number; readonly timeout?: number } = {}) => {
  // A list that opens under the pointer would take what lies there for chosen.
  await field.page().mouse.move(0, 0)
  await field.fill("", options)
  const kind = await field.getAttribute("type")
  if (/^(color|date|datetime-local|month|range|time|week)$/.test(kind ?? "")) await field.fill(value)
  else await field.pressSequentially(value, options)
  const shown = await remember(field)
  // Signs in a number change it; elsewhere a page may add some.
  const plain = (one: string) => (/[.,-]/.test(value) ? seen(one) : one.toLowerCase().replace(/[^\\p{L}\\p{N}]/gu, ""))
  if (plain(shown) !== plain(value)) throw new Error(\`\${field} has another text than was typed\`)
}`,
    "seen",
    "typed"
  ),
  choose: helper(
    `
/** Chooses an option. Fails where several options are meant, or where the list has others that would be dropped. */
const choose = async (list: Locator, option: string | { readonly label?: string; readonly value?: string }, options: { readonly timeout?: number } = {}) => {
  const why = await list.evaluate(
    (one: any, option) => {
      const { label = option, value = typeof option === "string" ? option : undefined } = typeof option === "string" ? {} as any : { label: undefined, ...option }
      const meant = [...(one.options ?? [])].filter((each: any) => each.label === label || each.value === value)
      if (meant.length > 1) return "several options have that text or value"
      return one.multiple && one.selectedOptions.length > 0 ? "it has choices that would be dropped" : null
    },
    option,
    options
  )
  if (why !== null) throw new Error(\`Cannot choose in \${list}: \${why}\`)
  await list.selectOption(option, options)
  await remember(list)
}`,
    "typed"
  ),
  look: helper(`
/** What a page shows at the paths of a data model, and why that may not be what is meant. */
const look = (model: any): { readonly found: any; readonly doubts: ReadonlyArray<string>; readonly isEmpty: boolean } => {
  const doubts: Array<string> = []
  let isEmpty = false
  const selected = (path: string, at: Node): Array<any> => {
    const result = document.evaluate(path, at, null, XPathResult.ANY_TYPE)
    if (result.resultType === XPathResult.NUMBER_TYPE) return [result.numberValue]
    if (result.resultType === XPathResult.STRING_TYPE) return [result.stringValue]
    if (result.resultType === XPathResult.BOOLEAN_TYPE) return [result.booleanValue]
    const nodes: Array<Node> = []
    for (let node = result.iterateNext(); node !== null; node = result.iterateNext()) nodes.push(node)
    return nodes
  }
  const isField = (one: any): boolean => /^(INPUT|SELECT|TEXTAREA)$/.test(one.nodeName)
  const shown = (one: any): string => {
    if (!(one instanceof Node)) return String(one)
    if (one instanceof HTMLInputElement && one.type === "password") return one.value === "" ? "" : "[secret]"
    if (isField(one)) return (one as any).value
    return ((one as any).innerText ?? one.textContent).replace(/\\s+/g, " ").trim()
  }
  /** The text of a figure, which must stand in one piece, at one size and not struck out. */
  const figure = (one: any, name: string): any => {
    if (!(one instanceof Node)) return { text: shown(one), lang: "" }
    const around = one instanceof Element ? one : ((one as any).ownerElement ?? one.parentElement)
    const pieces: Array<Element> = []
    const walker = document.createTreeWalker(one, NodeFilter.SHOW_TEXT)
    for (let text = walker.nextNode(); text !== null && !isField(one); text = walker.nextNode()) {
      const parent = text.parentElement
      const isSeen = parent?.checkVisibility({ visibilityProperty: true }) || !around?.checkVisibility()
      if (parent !== null && isSeen && /\\p{N}/u.test(text.textContent ?? "")) pieces.push(parent)
    }
    if (shown(one) === "" && /\\p{N}/u.test(one.textContent ?? "")) doubts.push(\`the figures for \${name} are not shown: "\${one.textContent?.trim()}"\`)
    if (pieces.length > 1) doubts.push(\`the figures of "\${shown(one)}" for \${name} are spread over several elements\`)
    for (let at = pieces[0]; at !== undefined && at !== around?.parentElement; at = at.parentElement ?? undefined) {
      const { textDecorationLine } = getComputedStyle(at)
      if (textDecorationLine.includes("line-through")) doubts.push(\`"\${shown(one)}" for \${name} is struck out\`)
    }
    return { text: shown(one), lang: (around?.closest("[lang]") ?? document.documentElement).getAttribute("lang") ?? "" }
  }
  const valueOf = (one: any, type: string, name: string): any => {
    if (one === undefined) {
      isEmpty = true
      return null
    }
    if (type === "number" || type === "integer") {
      if (typeof one === "number") return Number.isFinite(one) ? one : null
      const isNumeric = one instanceof HTMLInputElement && /^(number|range)$/.test(one.type)
      return isNumeric && one.value !== "" ? one.valueAsNumber : figure(one, name)
    }
    const text = shown(one)
    if (type !== "boolean") return text
    if (typeof one === "boolean") return one
    if (one instanceof HTMLInputElement && /^(checkbox|radio)$/.test(one.type)) return one.checked
    if (text === "" || /^(true|yes|on|checked|1|false|no|off|unchecked|0)$/i.test(text)) return text === "" ? null : /^(true|yes|on|checked|1)$/i.test(text)
    doubts.push(\`"\${text}" for \${name} is neither true nor false\`)
    return null
  }
  /** The only one of what a path selects. Others must show the same. */
  const sole = (all: ReadonlyArray<any>, one: any, path: string): any => {
    const [first] = all
    const other = one.first === true ? undefined : all.find((each) => shown(each) !== shown(first))
    if (other !== undefined) doubts.push(\`\${path} matches \${all.length} elements that show different texts, such as "\${shown(first)}" and "\${shown(other)}"\`)
    return first
  }
  /** Whether cells of a row span rows or columns, so that positions are no columns. */
  const isSpanned = (at: Node): boolean => {
    const row = at instanceof Element ? at.closest("tr") : null
    if (row === null) return false
    const above = [...(row.parentElement?.querySelectorAll<HTMLTableCellElement>(":scope > tr > *") ?? [])]
    const index = row.sectionRowIndex
    return [...row.cells].some(({ colSpan }) => colSpan > 1) ||
      above.some((cell) => {
        const from = (cell.parentElement as HTMLTableRowElement).sectionRowIndex
        return cell.rowSpan > 1 && from <= index && from + cell.rowSpan > index
      })
  }
  const field = (model: any, at: Node, isRow: boolean, name: string): any => {
    const one = typeof model === "string" ? { type: model } : model
    const path = one.path === undefined ? undefined : isRow ? one.path.replace(/^\\//, "./") : one.path
    const all = path === undefined ? [at] : selected(path, at)
    if (isRow && path !== undefined && /(t[dh]|\\*)\\[/.test(path) && isSpanned(at)) {
      doubts.push(\`a cell spans rows or columns, so \${path} may be another column\`)
    }
    if (one.type === "array") {
      const rows = all.map((row) => field(one.items ?? "string", row, true, name))
      const hasNone = all.every((row) => shown(row) === "")
      if (all.length > 0 && hasNone && all.every((row) => row instanceof HTMLElement && !row.matches("input, img, :has(input, img, svg)"))) {
        doubts.push(\`none of the \${all.length} rows of \${path} has a text\`)
      }
      const said = all[0] instanceof Element ? Number(all[0].closest("[aria-rowcount]")?.getAttribute("aria-rowcount") ?? -1) : -1
      if (said > all.length + 1) doubts.push(\`\${path} matches \${all.length} rows, and the list says that it has \${said}\`)
      if (all.length === 0) isEmpty = true
      return rows
    }
    const here = path === undefined ? at : one.properties === undefined ? sole(all, one, path) : all[0]
    if (one.properties === undefined) return valueOf(here, one.type, name)
    if (here === undefined) {
      isEmpty = true
      return null
    }
    const inRow = isRow || path !== undefined
    return Object.fromEntries(
      Object.entries(one.properties).map(([inner, of]) => [inner, field(of, here, inRow, name === "" ? inner : \`\${name}.\${inner}\`)])
    )
  }
  const found = field(model, document, false, "")
  const isElsewhere = document.querySelector("iframe, frame, embed, object") !== null || [...document.querySelectorAll("*")].some((one) => one.shadowRoot !== null)
  if (isEmpty && isElsewhere) doubts.push("something is not there, and may be in a frame or a shadow root, which the program does not read")
  return { found, doubts, isEmpty }
}`),
  figures: helper(figureText),
  read: helper(
    `
/** Reads a data model from the page: each field at its XPath, lists by their rows. Fails where a value is not sure. */
const read = async (page: Page, model: any): Promise<any> => {
  const { doubts, found } = await steady(page, look, model, ({ isEmpty }) => isEmpty)
  if (doubts.length > 0) throw new Error(\`Cannot read \${page.url()}: \${doubts.slice(0, 3).join("; ")}\`)
  type Shown = { readonly text: string; readonly lang: string }
  const each = (model: any, found: any, name: string, number: (shown: Shown, type: string, name: string) => unknown): any => {
    if (found === null || typeof found !== "object") return found
    if (Array.isArray(found)) return found.map((row) => each(model.items, row, name, number))
    const { properties, type = model } = model
    if (properties === undefined) return number(found, type, name)
    return Object.fromEntries(
      Object.entries(properties).map(([one, inner]) => [one, each(inner, found[one], name === "" ? one : \`\${name}.\${one}\`, number)])
    )
  }
  const columns = new Map<string, Array<string>>()
  each(model, found, "", ({ text }, _, name) => columns.set(name, [...(columns.get(name) ?? []), text]))
  const all = figures.shownBy([...columns.values()].flat())
  return each(model, found, "", ({ lang, text }, type, name) => {
    const reading = figures.read(text, figures.conventionOf(lang, figures.shownBy(columns.get(name) ?? []), all))
    const { doubt, number } = type === "integer" ? figures.whole(reading) : reading
    if (doubt !== null) throw new Error(\`Cannot read the number "\${text}" for \${name}: \${doubt}\`)
    return number
  })
}`,
    "steady",
    "look",
    "figures"
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
  kept: helper(`
/** The files that the last download kept, by name and size in bytes. */
const kept: Array<{ readonly name: string; readonly bytes: number }> = []`),
  saveDownload: helper(
    `
/** Keeps the downloads since the last step that kept some. Fails where a file is not what its name says. */
const saveDownload = async (page: Page, timeout: number): Promise<void> => {
  if (downloads.length === 0) await page.waitForEvent("download", { timeout })
  kept.length = 0
  for (const download of downloads.splice(0)) {
    const name = download.suggestedFilename()
    await download.saveAs(file(name))
    const content = readFileSync(file(name))
    const begins = content.subarray(0, 100).toString("latin1")
    const wanted = [[/\\.pdf$/i, /%PDF/], [/\\.(zip|xlsx|docx)$/i, /^PK/], [/\\.png$/i, /^.PNG/], [/\\.jpe?g$/i, /^\\xff\\xd8/]] as const
    const isPage = /^\\s*<(!doctype html|html)/i.test(begins) && !/\\.x?html?$/i.test(name)
    if (content.length === 0 || isPage || wanted.some(([named, has]) => named.test(name) && !has.test(begins))) {
      throw new Error(\`The downloaded file \${name} is not what its name says: it begins with "\${begins.slice(0, 20)}"\`)
    }
    kept.push({ name, bytes: content.length })
  }
}`,
    "downloads",
    "file",
    "kept"
  ),
  isKept: helper(
    `
/** Whether a file was kept whose name is that of a pattern, with * for any characters. */
const isKept = (pattern: string, least: number): boolean => {
  const parts = pattern.split("*").map((part) => part.replace(/[\\\\^$.*+?()[\\]{}|]/g, "\\\\$&"))
  const named = new RegExp(\`^\${parts.join("[^]*")}$\`, "i")
  return kept.some(({ bytes, name }) => bytes >= least && named.test(name))
}`,
    "kept"
  ),
  showsText: helper(`
/** Whether a visible element has a text; where the text may be empty, all of them. */
const showsText = async (found: Locator, holds: (shown: string) => boolean): Promise<boolean> => {
  const texts = (await found.filter({ visible: true }).allInnerTexts()).map(seen)
  return texts.length > 0 && (holds("") ? texts.every(holds) : texts.some(holds))
}`),
  counts: helper(
    `
/** Whether there are so many elements; where there may be too many, for 2 seconds in which the page loads nothing. */
const counts = async (page: Page, found: Locator, least: number, most: number): Promise<boolean> => {
  for (let calm = 0, turns = 0; calm < 20 && turns < 300; calm = underWay.size > 0 ? 0 : calm + 1, turns++) {
    const count = await found.count()
    if (count < least || count > most) return false
    if (most === Infinity) return true
    await page.waitForTimeout(100)
  }
  return underWay.size === 0
}`,
    "underWay"
  ),
  expected: helper(
    `
/** Waits until all of some conditions hold, or any. Fails with those that do not. */
const expected = async (
  page: Page,
  wait: number,
  match: "all" | "any",
  conditions: Readonly<Record<string, () => Promise<boolean> | boolean>>
): Promise<void> => {
  for (const end = clock() + wait; ; await page.waitForTimeout(100)) {
    const missed: Array<string> = []
    for (const [said, holds] of Object.entries(conditions)) {
      const isSo = await Promise.resolve().then(holds).catch(() => false)
      if (!isSo) missed.push(said)
    }
    if (missed.length === 0 || (match === "any" && missed.length < Object.keys(conditions).length)) return
    if (clock() >= end) throw new Error(\`Expected within \${wait} ms: \${missed.join(match === "any" ? ", or " : ", and ")}\`)
  }
}`,
    "clock"
  )
}
