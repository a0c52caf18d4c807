/** The messages to the conversation that builds a workflow, made from what a person chooses on the page. */
import * as RecordedNode from "../../../core/workflow/convert/RecordedNode.ts"
import type { Edges } from "../data/Outline.ts"
import type { Draft, PageTarget } from "./Conversation.ts"
import {
  type CellFormat,
  columnsBetween,
  fieldOf,
  formatOf,
  type ListColumn,
  pathIn,
  wrongFormat
} from "./ListModel.ts"

/** One step, as the conversation reads it. */
export interface Candidate {
  readonly action: string
  readonly name: string
  readonly parameters: Readonly<Record<string, unknown>>
}

export const messageOf = (candidate: Candidate): string => JSON.stringify(candidate)

/** A loop that steps are recorded in. */
export interface Loop {
  readonly name: string
  /** The names of its variables: the entry of a turn, and its number, counted from 0. */
  readonly item: string
  readonly index: string
  /** The selector of the rows on the page that its list was read from; `null` for a list from elsewhere. */
  readonly rows: string | null
  /** The names of the values of an entry. */
  readonly fields: ReadonlyArray<string>
}

const record = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {}

/** The lists that the steps of a draft read, by name. One that grows holds the rows of all pages that were read. */
const listsOf = ({ nodes }: Pick<Draft, "nodes">) =>
  nodes.flatMap(({ action, parameters }) => {
    if (action !== "EXTRACT_DATAMODEL") return []
    const model = record(record(parameters).extract_data_model)
    const whole = Array.isArray(model.overwriteArrayKeys) ? model.overwriteArrayKeys : []
    return Object.entries(record(model.properties)).flatMap(([name, value]) => {
      const { items, path, type } = record(value)
      const fields = record(record(items).properties)
      const rows = typeof path === "string" ? path : null
      return type === "array" ? [{ name, fields, rows, grows: !whole.includes(name) }] : []
    })
  })

/** How the pages of a list follow each other. */
export interface PagesAsked {
  /** The most pages, as a person writes it. */
  readonly most: string
  /** The rows whose last one stays the same at the end; `null` where the element is gone there. */
  readonly rows: string | null
  /** Whether further rows come below those before. */
  readonly below: boolean
}

/** The message that repeats the last step on every page that an element leads to. */
export const onPages = (selector: string, { below, most, rows }: PagesAsked): string => {
  const more = {
    ...(rows === null ? {} : { rows }),
    ...(below ? { below } : {}),
    ...(most.trim() === "" ? {} : { most: Number(most) })
  }
  return `pages ${Object.keys(more).length === 0 ? selector : JSON.stringify({ selector, ...more })}`
}

/** A name for a list that no other list has: entries of two lists under one name would become one. */
export const freeList = (draft: Pick<Draft, "nodes">, loop: Loop | null): string =>
  free(
    loop === null ? "rows" : "details",
    listsOf(draft).map(({ name }) => name)
  )

/** The rows of the list that was read last; `null` where none was. */
export const lastRows = (draft: Pick<Draft, "nodes">): string | null =>
  listsOf(draft).findLast(({ rows }) => rows !== null)?.rows ?? null

/** The problem of a most of pages; `null` where it is one, or empty. */
export const wrongMost = (most: string): string | null =>
  most.trim() === "" || (/^\d{1,5}$/.test(most.trim()) && Number(most) >= 2 && Number(most) <= 10_000)
    ? null
    : "Expected a number of pages from 2 to 10000, or nothing"

/** The loop that the next step goes into; `null` outside of loops. */
export const loopOf = (draft: Pick<Draft, "loop" | "nodes">): Loop | null => {
  const node = draft.nodes.find(({ id }) => id === draft.loop)
  if (node === undefined) return null
  const { variable_current_index, variable_current_item, variable_over } = record(node.parameters)
  const over = /^\{\{\s*context\.(\w+)\s*\}\}$/.exec(String(variable_over))?.[1]
  const list = listsOf(draft).find(({ name }) => name === over)
  return {
    name: String(node.name),
    item: String(variable_current_item),
    index: String(variable_current_index),
    rows: list?.rows ?? null,
    fields: Object.keys(list?.fields ?? {})
  }
}

/**
 * Whether repeating a step repeats the turns of a loop: the step is the loop, or decides whether there is a next page.
 */
export const standsForLoop = (
  { action, id }: { readonly action: string; readonly id: string },
  edges: Edges
): boolean => {
  if (action === "LOOP") return true
  const leadsBack = (from: string | undefined): boolean => {
    const reached = new Set(from === undefined ? [] : [from])
    // The iteration of a set also visits values that are added during it.
    for (const one of reached) {
      const { loop_not_done, ...ways } = edges[one] ?? {}
      if (loop_not_done === undefined) for (const next of Object.values(ways)) reached.add(next)
    }
    return reached.has(id)
  }
  const { false: otherwise, true: holds } = edges[id] ?? {}
  return leadsBack(holds) !== leadsBack(otherwise)
}

/** The selector of an element in the row of the current turn; `null` when no loop goes over its rows. */
export const inEachRow = ({ row }: Pick<PageTarget, "row">, loop: Loop | null): string | null =>
  row === null || row.selector !== loop?.rows
    ? null
    : `(${row.selector})[{{context.runtime.${loop.index} + 1}}]${row.path === "." ? "" : row.path}`

/** The proposed selector: in a loop, the one within the row; otherwise the first that matches only this element. */
export const proposed = (target: Pick<PageTarget, "row" | "selectors">, loop: Loop | null = null): string =>
  inEachRow(target, loop) ??
  (target.selectors.find(({ matches }) => matches === 1) ?? target.selectors[0])?.selector ??
  ""

/** The selector of a value to read: by its place rather than by its text, which differs from run to run. */
const placed = (target: PageTarget, loop: Loop | null): string => {
  const text = target.name.trim()
  const byPlace = target.selectors.find(
    ({ matches, selector }) => matches === 1 && !(text !== "" && selector.includes(text))
  )
  return inEachRow(target, loop) ?? byPlace?.selector ?? proposed(target, loop)
}

/** A free name, made from a name that may be taken. */
const free = (wanted: string, taken: Iterable<string>): string => {
  const all = new Set(taken)
  let name = wanted
  for (let count = 2; all.has(name); count++) name = `${wanted}_${count}`
  return name
}

/**
 * The steps that begin a loop over the rows of a list: the one that reads them, unless there is one, and the loop. A list that
 * grows is read once more, of this page alone: the loop may be repeated on every page.
 */
export const eachRow = (target: PageTarget, draft: Pick<Draft, "nodes">): ReadonlyArray<Candidate> => {
  const { row } = target
  if (row === null) return []
  const lists = listsOf(draft)
  const alike = lists.filter(({ rows }) => rows === row.selector)
  const read = alike.find(({ grows }) => !grows)
  const name =
    read?.name ??
    free(
      "rows",
      lists.map((list) => list.name)
    )
  const loops = draft.nodes.flatMap(({ parameters }) => {
    const { variable_current_item } = record(parameters)
    return typeof variable_current_item === "string" ? [variable_current_item] : []
  })
  const item = free("row", loops)
  const field = identifier(target.heading ?? "", "text")
  const items = { type: "object", properties: alike[0]?.fields ?? { [field]: { type: "string", path: row.path } } }
  const reading: Candidate = {
    action: "EXTRACT_DATAMODEL",
    name: `Read ${name}`,
    parameters: {
      execution: "STATIC",
      extract_data_model: {
        type: "object",
        overwriteArrayKeys: [name],
        properties: { [name]: { type: "array", path: row.selector, items } }
      }
    }
  }
  const loop: Candidate = {
    action: "LOOP",
    name: name === "rows" ? "For each row" : `For each of ${name}`,
    parameters: {
      variable_over: `{{context.${name}}}`,
      variable_current_item: item,
      variable_current_index: `${item}_number`
    }
  }
  return read === undefined ? [reading, loop] : [loop]
}

const short = (text: string): string => (text.length > 50 ? `${text.slice(0, 49)}…` : text)

/** Tags in words. Other elements without a role are texts. */
const tags: Readonly<Record<string, string>> = { td: "cell", th: "column heading", label: "label", li: "entry" }

const wordFor = ({ kind, role }: Pick<PageTarget, "kind" | "role">): string => {
  if (kind !== "read") return role
  return tags[role] ?? (/^h[1-6]$/.test(role) ? "heading" : "text")
}

/** The name of an element in a sentence, such as `button “Sign in”`. */
export const called = (target: Pick<PageTarget, "kind" | "name" | "role">): string =>
  target.name === "" ? wordFor(target) : `${wordFor(target)} “${short(target.name)}”`

/** The name of an element in the name of a step. An element in the row of each turn has the name of its column. */
const titled = ({ heading, name, role }: PageTarget, selector: string): string => {
  if (selector.includes("{{context.runtime.")) return `the ${heading?.toLowerCase() ?? role} of each row`
  return name === "" ? `the ${role}` : short(name)
}

export type ClickType = "click" | "double_click" | "right_click" | "hover"

/** The element as the form of recordings has it. */
const elementOf = (target: PageTarget, selector: string) => ({ selectors: [selector], name: target.name }) as const

export const clickOn = (target: PageTarget, selector: string, type: ClickType = "click"): Candidate =>
  RecordedNode.of({ _tag: "Click", element: elementOf(target, selector), type }, titled(target, selector))

// The person writes a template: it is a parameter as it is, and no text that stands for itself.
export const typeInto = (target: PageTarget, selector: string, text: string, isSent: boolean): Candidate =>
  RecordedNode.of(
    {
      _tag: "Type",
      element: elementOf(target, selector),
      text: [],
      more: { text, ...(isSent ? { submit_after_input: true } : {}) }
    },
    titled(target, selector)
  )

export const chooseIn = (target: PageTarget, selector: string, value: string): Candidate =>
  RecordedNode.of(
    { _tag: "Choose", element: elementOf(target, selector), value: [], more: { value } },
    titled(target, selector)
  )

/** Whether an element takes a file: a click would open a dialog of the system. */
export const takesFile = ({ role }: Pick<PageTarget, "role">): boolean => role === "file field"

/** The step that puts the file at an address into a field. */
export const putFile = (target: PageTarget, selector: string, address: string): Candidate => ({
  action: "FILE_UPLOAD",
  name: `Put a file into ${titled(target, selector)}`,
  parameters: { execution: "STATIC", signed_file_url: address, selector }
})

interface Asked {
  readonly label: string
  readonly initial: string
  readonly type: string
  /** The problem of a text; `null` when it is valid. */
  readonly wrong: (text: string) => string | null
}

/** The steps that need no element. `asks` describes the one value that a step needs; `null` when it needs none. */
export const palette = {
  open: {
    word: "Open an address",
    asks: {
      label: "Address",
      initial: "https://",
      type: "url",
      wrong: (url) =>
        URL.parse(url) !== null && /^https?:/.test(url) ? null : "Expected an address such as https://example.com"
    },
    make: (url) => ({ action: "NAVIGATE", name: `Open ${short(url)}`, parameters: { url } })
  },
  task: {
    word: "Describe a task",
    asks: {
      label: "What to do, such as: open the newest invoice",
      initial: "",
      type: "text",
      wrong: (task) => (task.trim() === "" ? "Say what to do on this page" : null)
    },
    make: (task) => ({
      action: "CLICK",
      name: short(task.trim()),
      parameters: { execution: "COMPUTER_USE", prompt: task.trim() }
    })
  },
  back: {
    word: "Go back",
    asks: null,
    make: () => ({ action: "NAVIGATE", name: "Go back", parameters: { url: "back" } })
  },
  press: {
    word: "Press a key",
    asks: {
      label: "Key, such as enter, tab or Ctrl+S",
      initial: "enter",
      type: "text",
      wrong: (key) => (key.trim() === "" ? "Name a key, such as enter" : null)
    },
    make: (key) => ({
      action: "INPUT_TEXT",
      name: `Press ${key}`,
      parameters: { execution: "STATIC", omit_focus: true, text: `{{${key.trim()}}}` }
    })
  },
  down: {
    word: "Scroll down",
    asks: null,
    make: () => ({
      action: "SCROLL",
      name: "Scroll down",
      parameters: { direction: "down", load_events_triggered_through_scroll: 5 }
    })
  },
  up: {
    word: "Scroll up",
    asks: null,
    make: () => ({
      action: "SCROLL",
      name: "Scroll up",
      parameters: { direction: "up", load_events_triggered_through_scroll: 5 }
    })
  },
  picture: {
    word: "Take a picture",
    asks: null,
    make: () => ({ action: "SCREENSHOT", name: "Take a picture", parameters: {} })
  },
  wait: {
    word: "Wait",
    asks: {
      label: "Seconds",
      initial: "1",
      type: "text",
      wrong: (seconds) =>
        seconds.trim() !== "" && Number(seconds) >= 0 && Number.isFinite(Number(seconds))
          ? null
          : "Expected a number of seconds, such as 2"
    },
    make: (seconds) => ({ action: "DELAY", name: `Wait ${seconds} s`, parameters: { delay_time: Number(seconds) } })
  }
} as const satisfies Readonly<
  Record<
    string,
    {
      readonly word: string
      readonly asks: Asked | null
      readonly make: (text: string) => Candidate
    }
  >
>

export type PaletteName = keyof typeof palette

/** A value to read, with its name in the output. */
export interface Cell extends CellFormat {
  readonly name: string
  readonly target: PageTarget
  readonly selector: string
}

/** A name that is valid in expressions: letters, digits and underscores. */
export const identifier = (text: string, fallback: string): string => {
  const plain = text
    .normalize("NFD")
    .replace(/[^\w\s-]/g, "")
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, "_")
    .replace(/^(\d)/, "_$1")
    .slice(0, 40)
  return /[a-z]/.test(plain) ? plain : fallback
}

/** A value to read at an element, under a name that no other value has. */
export const cellOf = (target: PageTarget, others: ReadonlyArray<Cell>, loop: Loop | null = null): Cell => {
  // In a loop, what it says is that of the first turn alone.
  const isNamed = target.row === null && loop === null
  const wanted = identifier(target.heading ?? (isNamed ? target.name : wordFor(target)), "value")
  const name = free(
    wanted,
    others.map((other) => other.name)
  )
  return { name, type: "text", format: "", target, selector: placed(target, loop) }
}

/** How values are read: each on its own, or those of one list together, once for each row. */
export interface Reading {
  readonly cells: ReadonlyArray<Cell>
  /** The name of the list. */
  readonly list: string
  /** Whether values in a list are read from every row. */
  readonly isEvery: boolean
  /** The rows of the list whose columns were proposed, by two elements of a kind. */
  readonly proposed?: string
}

/**
 * The reading after an element was pointed at. A second element of a kind makes it the whole list: its rows, and its columns
 * with what they are most likely read as. Otherwise the element is a value, and no longer one if it was.
 */
export const pointedAt = (
  before: Reading,
  target: PageTarget,
  elements: ReadonlyArray<PageTarget>,
  loop: Loop | null = null
): Reading => {
  const { cells } = before
  const selector = placed(target, loop)
  const place = before.proposed === undefined ? null : pathIn(target, before.proposed)
  const others = cells.filter(
    (cell) => cell.selector !== selector && (place === null || cell.target.row?.path !== place)
  )
  if (others.length < cells.length) return { ...before, cells: others }
  const columns = before.proposed === undefined ? proposedBy(cells, target, elements) : null
  const rows = columns?.[0]?.target.row?.selector
  if (columns === null || rows === undefined || rows === loop?.rows) {
    const row = place === null ? target.row : { ...(rowsOf(cells) ?? noRows), path: place }
    return { ...before, cells: [...cells, cellOf({ ...target, row }, cells, loop)] }
  }
  const all: Array<Cell> = []
  for (const { samples, target } of columns) {
    all.push({ ...cellOf(target, all, loop), ...formatOf(samples, target.row?.path ?? "") })
  }
  return { ...before, cells: all, isEvery: true, proposed: rows }
}

const noRows = { selector: "", matches: 0 }

const proposedBy = (
  cells: ReadonlyArray<Cell>,
  target: PageTarget,
  elements: ReadonlyArray<PageTarget>
): ReadonlyArray<ListColumn> | null => {
  for (const cell of cells) {
    const columns = columnsBetween(cell.target, target, elements)
    if (columns !== null) return columns
  }
  return null
}

/** Whether an element is in one of the columns of a list that are read. */
export const isRead = ({ cells, isEvery, proposed: rows }: Reading, target: PageTarget): boolean => {
  if (rows === undefined || !isEvery) return false
  const path = pathIn(target, rows)
  return path !== null && cells.some((cell) => cell.target.row?.path === path)
}

/** The rows of the list that holds all values; `null` when there is no such list. */
export const rowsOf = (cells: ReadonlyArray<Cell>): PageTarget["row"] => {
  const [first, ...others] = cells.map(({ target }) => target.row)
  if (first === undefined || first === null) return null
  return others.every((row) => row?.selector === first.selector) ? first : null
}

/** The step that reads values. In a loop, values that are in no list become one entry of the list for each turn. */
export const readingOf = ({ cells, isEvery, list }: Reading, loop: Loop | null = null): Candidate => {
  const found = isEvery && loop?.rows !== rowsOf(cells)?.selector ? rowsOf(cells) : null
  const rows = found ?? (loop === null ? null : { selector: "/html" })
  const pathOf = ({ selector, target }: Cell) =>
    found !== null ? (target.row?.path ?? ".") : rows !== null ? selector.replace(/^\/html(?=\/)/, "") : selector
  const properties = Object.fromEntries(cells.map((cell) => [cell.name, fieldOf(cell, pathOf(cell))]))
  const model =
    rows === null
      ? { type: "object", properties }
      : {
          type: "object",
          properties: {
            [list]: { type: "array", path: rows.selector, items: { type: "object", properties } }
          }
        }
  return {
    action: "EXTRACT_DATAMODEL",
    name: `Read ${rows === null ? short(cells.map(({ name }) => name).join(", ")) : list}`,
    parameters: { execution: "STATIC", extract_data_model: model }
  }
}

/**
 * The step that scrolls a list to its end, as far as more rows come: what holds the rows, in it, or around it. `null` where no
 * list is read.
 */
export const scrollingOf = ({ cells, isEvery, list }: Reading): Candidate | null => {
  const rows = isEvery ? rowsOf(cells) : null
  return rows === null
    ? null
    : {
        action: "SCROLL",
        name: `Scroll to the end of ${list}`,
        parameters: { scroll_mode: "region", goal: "full-container", container_xpath: `(${rows.selector})[1]/..` }
      }
}

/** The message that reads a list as the step would, each value under the number of its cell; `null` while it cannot. */
export const previewOf = (reading: Reading, loop: Loop | null = null): string | null => {
  if (reading.proposed === undefined || reading.cells.length === 0 || !reading.isEvery) return null
  if (reading.cells.some((cell) => wrongFormat(cell) !== null)) return null
  const cells = reading.cells.map((cell, index) => ({ ...cell, name: `c${index}` }))
  return `preview ${messageOf(readingOf({ ...reading, cells, list: "rows" }, loop))}`
}

/** A value of the run that a text may use. */
export interface Source {
  readonly word: string
  readonly expression: string
  /** The message to send before a step may use it; `null` when none is needed. */
  readonly adds: string | null
}

type Schemas = Pick<Draft, "input_schema" | "vault_schema">

const namesOf = ({ input_schema, vault_schema }: Schemas): ReadonlyArray<string> => [
  ...Object.keys(record(input_schema.properties)),
  ...Object.keys(vault_schema)
]

/** The message that makes a value an input, under a free name, and the expression for it. */
export const inputOf = (target: Pick<PageTarget, "name">, value: string, draft: Schemas) => {
  const name = free(identifier(target.name, "value"), namesOf(draft))
  return { name, expression: `{{context.inputs.${name}}}`, adds: `input ${name} = ${value}` }
}

/** A credential of the vault. */
export interface Entry {
  readonly domain: string
  readonly permissioned_user_id: string
  readonly secret_provider_id?: string | null
  readonly tfa_method?: string | null
  readonly tfa_secret?: string | null
  /** Where its codes arrive by themselves. */
  readonly tfa_email?: string | null
  readonly tfa_phone_number?: string | null
}

const siteOf = (url: string): string => URL.parse(url)?.hostname ?? ""

/** Whether the credential is for the site of a page. */
export const isFor = ({ domain }: Entry, url: string): boolean => {
  const site = siteOf(domain.includes("://") ? domain : `https://${domain}`)
  return site !== "" && (siteOf(url) === site || siteOf(url).endsWith(`.${site}`))
}

/** A free alias for the credential of a user. */
export const aliasFor = (user: string, draft: Schemas): string =>
  free(identifier(user, "login").toUpperCase(), namesOf(draft))

/** The values of the vault's credentials for the site of a page that the draft does not use yet. */
export const vaultSourcesOf = (entries: ReadonlyArray<Entry>, url: string, draft: Schemas): ReadonlyArray<Source> => {
  const used = new Set(Object.values(draft.vault_schema).map((value) => record(value).domain))
  return entries
    .filter((entry) => isFor(entry, url) && !used.has(new URL(url).origin))
    .flatMap(({ permissioned_user_id: user }) => {
      const alias = aliasFor(user, draft)
      const adds = `credential ${alias} ${new URL(url).origin} = ${user}`
      return [
        { word: `User name of ${user} in the vault`, expression: `{{context.inputs.${alias}.USER_NAME}}`, adds },
        { word: `Password of ${user} in the vault`, expression: `{{context.inputs.${alias}.PASSWORD}}`, adds }
      ]
    })
}

/**
 * The values of the run that a text may use, with the expression for each: the entry of a loop, the inputs, and the
 * credentials.
 */
export const sourcesOf = (draft: Schemas, loop: Loop | null = null): ReadonlyArray<Source> => {
  const names = (value: unknown) => Object.keys(record(value))
  const sources = [
    ...(loop?.fields ?? []).map((name) => ({
      word: `${name} of each ${loop?.item}`,
      expression: `{{context.runtime.${loop?.item}.${name}}}`
    })),
    ...names(draft.vault_schema).flatMap((alias) => [
      { word: `User name of ${alias}`, expression: `{{context.inputs.${alias}.USER_NAME}}` },
      { word: `Password of ${alias}`, expression: `{{context.inputs.${alias}.PASSWORD}}` }
    ]),
    ...names(draft.input_schema.properties).map((name) => ({
      word: `Input ${name}`,
      expression: `{{context.inputs.${name}}}`
    }))
  ]
  return sources.map((source) => ({ ...source, adds: null }))
}

/** The source that most likely fits a field: the password for a password field, or the one with the field's name. */
export const sourceFor = (
  { name, secret }: Pick<PageTarget, "name" | "secret">,
  sources: ReadonlyArray<Source>
): string => {
  const like = identifier(name, "")
  const found = sources.find(({ expression }) =>
    secret ? /\.PASSWORD\}\}$|password/i.test(expression) : like !== "" && expression.endsWith(`.${like}}}`)
  )
  return found?.expression ?? ""
}
