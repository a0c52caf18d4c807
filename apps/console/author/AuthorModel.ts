/** What a person points at and chooses, as messages to the conversation that builds the workflow. */
import type { PageTarget } from "./Conversation.ts"

/** One step, as the conversation reads it. */
export interface Candidate {
  readonly action: string
  readonly name: string
  readonly parameters: Readonly<Record<string, unknown>>
}

export const messageOf = (candidate: Candidate): string => JSON.stringify(candidate)

/** The selector that is proposed: the first that leads to the element alone. */
export const proposed = ({ selectors }: PageTarget): string =>
  (selectors.find(({ matches }) => matches === 1) ?? selectors[0])?.selector ?? ""

const short = (text: string): string => (text.length > 50 ? `${text.slice(0, 49)}…` : text)

/** Tags in words. Other elements without a role are texts. */
const tags: Readonly<Record<string, string>> = { td: "cell", th: "column heading", label: "label", li: "entry" }

const wordFor = ({ kind, role }: Pick<PageTarget, "kind" | "role">): string => {
  if (kind !== "read") return role
  return tags[role] ?? (/^h[1-6]$/.test(role) ? "heading" : "text")
}

/** What an element is called in a sentence, such as `button “Sign in”`. */
export const called = (target: Pick<PageTarget, "kind" | "name" | "role">): string =>
  target.name === "" ? wordFor(target) : `${wordFor(target)} “${short(target.name)}”`

/** What an element is called in the name of a step. */
const titled = ({ name, role }: PageTarget): string => (name === "" ? `the ${role}` : short(name))

export type ClickType = "click" | "double_click" | "right_click" | "hover"

const clicks: Readonly<Record<ClickType, string>> = {
  click: "Click",
  double_click: "Double-click",
  right_click: "Right-click",
  hover: "Point at"
}

export const clickOn = (target: PageTarget, selector: string, type: ClickType = "click"): Candidate => ({
  action: "CLICK",
  name: `${clicks[type]} ${titled(target)}`,
  parameters: { execution: "STATIC", selector, ...(type === "click" ? {} : { click_type: type }) }
})

export const typeInto = (target: PageTarget, selector: string, text: string, isSent: boolean): Candidate => ({
  action: "INPUT_TEXT",
  name: `Type into ${titled(target)}`,
  parameters: { execution: "STATIC", selector, text, ...(isSent ? { submit_after_input: true } : {}) }
})

export const chooseIn = (target: PageTarget, selector: string, value: string): Candidate => ({
  action: "INPUT_SELECT",
  name: `Choose in ${titled(target)}`,
  parameters: { execution: "STATIC", selector, value }
})

/** The steps that need no element, each with the one thing that it must be told; `null` where there is none. */
export const palette = {
  open: {
    word: "Open an address",
    asks: { label: "Address", initial: "https://", type: "url" },
    make: (url) => ({ action: "NAVIGATE", name: `Open ${short(url)}`, parameters: { url } })
  },
  back: {
    word: "Go back",
    asks: null,
    make: () => ({ action: "NAVIGATE", name: "Go back", parameters: { url: "back" } })
  },
  press: {
    word: "Press a key",
    asks: { label: "Key, such as enter, tab or Ctrl+S", initial: "enter", type: "text" },
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
    asks: { label: "Seconds", initial: "1", type: "text" },
    make: (seconds) => ({ action: "DELAY", name: `Wait ${seconds} s`, parameters: { delay_time: Number(seconds) } })
  }
} as const satisfies Readonly<
  Record<
    string,
    {
      readonly word: string
      readonly asks: { readonly label: string; readonly initial: string; readonly type: string } | null
      readonly make: (text: string) => Candidate
    }
  >
>

export type PaletteName = keyof typeof palette

/** A value that is to be read, with the name that it gets. */
export interface Cell {
  readonly name: string
  readonly isNumber: boolean
  readonly target: PageTarget
  readonly selector: string
}

/** A name that can be written in expressions: letters, digits and underscores. */
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

/** A value to read at an element, under a name that no other one has. */
export const cellOf = (target: PageTarget, others: ReadonlyArray<Cell>): Cell => {
  const wanted = identifier(target.heading ?? (target.row === null ? target.name : wordFor(target)), "value")
  const taken = new Set(others.map(({ name }) => name))
  let name = wanted
  for (let count = 2; taken.has(name); count++) name = `${wanted}_${count}`
  return { name, isNumber: false, target, selector: proposed(target) }
}

/** How values are read: each value alone, or those of one list together, once for each row of the list. */
export interface Reading {
  readonly cells: ReadonlyArray<Cell>
  /** The name of the list. */
  readonly list: string
  /** Whether values in a list are read from every row. */
  readonly isEvery: boolean
}

/** The rows of the list that all values are in; `null` where they are in none together. */
export const rowsOf = (cells: ReadonlyArray<Cell>): PageTarget["row"] => {
  const [first, ...others] = cells.map(({ target }) => target.row)
  if (first === undefined || first === null) return null
  return others.every((row) => row?.selector === first.selector) ? first : null
}

export const readingOf = ({ cells, isEvery, list }: Reading): Candidate => {
  const rows = isEvery ? rowsOf(cells) : null
  const typeOf = ({ isNumber }: Cell) => (isNumber ? "number" : "string")
  const properties = Object.fromEntries(
    cells.map((cell) => [
      cell.name,
      { type: typeOf(cell), path: rows === null ? cell.selector : (cell.target.row?.path ?? ".") }
    ])
  )
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

/** The values that a text may take from a run, with the expression for each: its inputs, and its credentials. */
export const sourcesOf = (draft: {
  readonly input_schema: Readonly<Record<string, unknown>>
  readonly vault_schema: Readonly<Record<string, unknown>>
}): ReadonlyArray<{ readonly word: string; readonly expression: string }> => {
  const names = (value: unknown) => (typeof value === "object" && value !== null ? Object.keys(value) : [])
  return [
    ...names(draft.vault_schema).flatMap((alias) => [
      { word: `User name of ${alias}`, expression: `{{context.inputs.${alias}.USER_NAME}}` },
      { word: `Password of ${alias}`, expression: `{{context.inputs.${alias}.PASSWORD}}` }
    ]),
    ...names(draft.input_schema.properties).map((name) => ({
      word: `Input ${name}`,
      expression: `{{context.inputs.${name}}}`
    }))
  ]
}

/** The source that a field most likely wants: the password for a password field, or the one that is called like it. */
export const sourceFor = (
  { name, secret }: Pick<PageTarget, "name" | "secret">,
  sources: ReturnType<typeof sourcesOf>
): string => {
  const like = identifier(name, "")
  const found = sources.find(({ expression }) =>
    secret ? /\.PASSWORD\}\}$|password/i.test(expression) : like !== "" && expression.endsWith(`.${like}}}`)
  )
  return found?.expression ?? ""
}
