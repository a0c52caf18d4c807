/**
 * Words for writing workflows down: what is done one after the other, with what is repeated or done on a condition inside
 * of that. They become the nodes and edges of the graph language.
 */
import type { Schema } from "effect"
import type { operators } from "../../core/workflow/language/parameters/Control.ts"
import { graphOf, type Step } from "../support/browser.ts"

/** A step, a loop or a choice. */
export type Move =
  | { readonly _tag: "Step"; readonly action: string; readonly parameters: Record<string, unknown> }
  | { readonly _tag: "Loop"; readonly parameters: Record<string, unknown>; readonly body: ReadonlyArray<Move> }
  | {
      readonly _tag: "Choice"
      readonly parameters: Record<string, unknown>
      readonly yes: ReadonlyArray<Move>
      readonly no: ReadonlyArray<Move>
    }

type More = Readonly<Record<string, unknown>>

export const step = (action: string, parameters: More = {}): Move => ({ _tag: "Step", action, parameters })

export const click = (selector: string, more: More = {}): Move => step("CLICK", { selector, ...more })

export const doubleClick = (selector: string): Move => click(selector, { click_type: "double_click" })

export const rightClick = (selector: string): Move => click(selector, { click_type: "right_click" })

export const hover = (selector: string): Move => click(selector, { click_type: "hover" })

export const type = (selector: string, text: string, more: More = {}): Move =>
  step("INPUT_TEXT", { selector, text, ...more })

/** Types where the focus is, such as keys by their names. */
export const press = (text: string): Move => step("INPUT_TEXT", { text, omit_focus: true })

export const choose = (selector: string, value: string, more: More = {}): Move =>
  step("INPUT_SELECT", { selector, value, ...more })

export const open = (url: string): Move => step("NAVIGATE", { url })

export const back = open("back")

/** A field of a data model. */
export type Field = Schema.JsonObject

export const text = (path: string): Field => ({ type: "string", path })

export const number = (path: string): Field => ({ type: "number", path })

export const yes = (path: string): Field => ({ type: "boolean", path })

export const record = (properties: Readonly<Record<string, Field>>): Field => ({ type: "object", properties })

/** A list of records, one for each element at `path`; the paths in it begin there. */
export const list = (path: string, properties: Readonly<Record<string, Field>>): Field => ({
  type: "array",
  path,
  items: record(properties)
})

/** A list of texts. */
export const texts = (path: string): Field => ({ type: "array", path, items: { type: "string" } })

/** Reads fields from the page, once the element `at` is there where one is named. */
export const read = (properties: Readonly<Record<string, Field>>, at?: string, model: More = {}): Move =>
  step("EXTRACT_DATAMODEL", {
    extract_data_model: { ...record(properties), ...model },
    ...(at === undefined ? {} : { selector: at })
  })

/** Does something for each of a list, or a number of times. The item and its index are at `context.runtime`. */
export const each = (
  over: Schema.Json,
  item: string,
  body: ReadonlyArray<Move>,
  index: string = `${item}_index`
): Move => ({
  _tag: "Loop",
  parameters: { variable_over: over, variable_current_item: item, variable_current_index: index },
  body
})

type Operator = (typeof operators)[number]

/** Does one thing where a comparison holds, and another where it does not. */
export const when = (
  [one, operator, other]: readonly [one: Schema.Json, operator: Operator, other?: Schema.Json],
  holds: ReadonlyArray<Move>,
  otherwise: ReadonlyArray<Move> = [],
  more: More = {}
): Move => ({
  _tag: "Choice",
  parameters: {
    comparison_operator: operator,
    comparison_value_1: one,
    ...(other === undefined ? {} : { comparison_value_2: other }),
    ...more
  },
  yes: holds,
  no: otherwise
})

/** The graph of a workflow that opens `url` and then does what is written down. */
export const toGraph = (url: string, moves: ReadonlyArray<Move>) => {
  const steps: Array<Step> = []
  // START is the first node of the graph.
  lay(moves, 1, 1 + sizeOf(moves), steps)
  return graphOf(url, steps)
}

const sizeOf = (moves: ReadonlyArray<Move>): number => moves.reduce((sum, move) => sum + 1 + insideOf(move), 0)

const insideOf = (move: Move): number => {
  switch (move._tag) {
    case "Step":
      return 0
    case "Loop":
      return sizeOf(move.body)
    case "Choice":
      return sizeOf(move.yes) + sizeOf(move.no)
  }
}

/** Puts moves at the positions from `at`, the last of them leading to `after`. */
const lay = (moves: ReadonlyArray<Move>, at: number, after: number, steps: Array<Step>): void => {
  let position = at
  moves.forEach((move, index) => {
    const following = position + sizeOf([move])
    const next = index === moves.length - 1 ? after : following
    switch (move._tag) {
      case "Step":
        steps.push({ action: move.action, parameters: move.parameters, to: next })
        break
      case "Loop":
        steps.push({ action: "LOOP", parameters: move.parameters, to: { body: position + 1, done: next } })
        lay(move.body, position + 1, position, steps)
        break
      case "Choice": {
        const no = position + 1 + sizeOf(move.yes)
        const to = { yes: move.yes.length === 0 ? next : position + 1, no: move.no.length === 0 ? next : no }
        steps.push({ action: "BOOL_CONDITION", parameters: move.parameters, to })
        lay(move.yes, position + 1, next, steps)
        lay(move.no, no, next, steps)
        break
      }
    }
    position = following
  })
}
