/** The steps that lead to every further page of a list, and how they are linked. */
import type { Schema } from "effect"
import type { NodeId } from "../workflow/language/graph/Graph.ts"
import type { Cursor, Paging } from "./DraftPatch.ts"

/** The ids of the steps; those for rows are used where the rows are known. */
export type Ids = Readonly<Record<"check" | "click" | "count" | "note" | "compare" | "forget", NodeId>>

/** Maximum wait for the link to the next page, in milliseconds. It may appear a moment after the page. */
const pageMillis = 1_000

/** The variable with the text of the last row before the click. The workflow has it only in between. */
const noted = (ids: Ids): string => `last_row_${ids.note.replace(/\W/g, "").slice(0, 8)}`

const ofLast = (rows: string): string => `(${rows})[last()]`

/** The steps, in their order. `named` makes a name unique, and `variables` are free ones of a loop. */
export const steps = (
  { most, rows, selector }: Paging,
  ids: Ids,
  named: (name: string) => string,
  variables: Readonly<Record<"variable_current_item" | "variable_current_index", string>>
): ReadonlyArray<Schema.JsonObject> => {
  const count: Schema.JsonObject = {
    id: ids.count,
    name: named(`At most ${most} pages`),
    action: "LOOP",
    // The first page needs no turn.
    parameters: { variable_over: String((most ?? 1) - 1), ...variables }
  }
  const check: Schema.JsonObject = {
    id: ids.check,
    name: named("Is there a further page?"),
    action: "BOOL_CONDITION",
    parameters: {
      comparison_operator: "IS_NOT_NULL",
      comparison_value_1: `<<xpath:${selector}>>`,
      wait_time: pageMillis
    }
  }
  const click: Schema.JsonObject = {
    id: ids.click,
    name: named("Go to the next page"),
    action: "CLICK",
    parameters: { execution: "STATIC", selector }
  }
  const counted = most === undefined ? [] : [count]
  if (rows === undefined) return [...counted, check, click]
  const name = noted(ids)
  const note: Schema.JsonObject = {
    id: ids.note,
    name: named("Note the last row"),
    action: "EXTRACT_DATAMODEL",
    parameters: {
      execution: "STATIC",
      extract_data_model: { type: "object", properties: { [name]: { type: "string", path: ofLast(rows) } } }
    }
  }
  const compare: Schema.JsonObject = {
    id: ids.compare,
    name: named("Are there new rows?"),
    action: "BOOL_CONDITION",
    parameters: {
      comparison_operator: "NOT_EQUAL",
      comparison_value_1: `<<xpath:${ofLast(rows)}>>`,
      comparison_value_2: `{{context.${name}}}`
    }
  }
  const forget: Schema.JsonObject = {
    id: ids.forget,
    name: named("Forget the last row"),
    action: "TRANSFORM",
    parameters: { operations: [{ type: "DELETE", target: `context.${name}`, optional: true }] }
  }
  return [...counted, check, note, click, compare, forget]
}

/** The step that comes first. */
export const entry = ({ most }: Paging, ids: Ids): NodeId => (most === undefined ? ids.check : ids.count)

/** The position behind the last page. */
export const exit = ({ rows }: Paging, ids: Ids): Cursor =>
  rows === undefined ? { after: ids.check, way: "false" } : { after: ids.forget, way: "to" }

/** The edges of the steps: `again` comes on each further page, and `onward` after the last one. */
export const edges = (
  { most, rows }: Paging,
  ids: Ids,
  { again, onward }: { readonly again: NodeId; readonly onward: NodeId }
): Schema.JsonObject => {
  const end = rows === undefined ? onward : ids.forget
  return {
    ...(most === undefined ? {} : { [ids.count]: { loop_not_done: ids.check, loop_done: end } }),
    [ids.check]: { true: rows === undefined ? ids.click : ids.note, false: end },
    ...(rows === undefined
      ? { [ids.click]: { to: again } }
      : {
          [ids.note]: { to: ids.click },
          [ids.click]: { to: ids.compare },
          [ids.compare]: { true: again, false: end },
          [ids.forget]: { to: onward }
        })
  }
}
