/** The steps that lead to every further page of a list, and how they are linked. */
import type { Schema } from "effect"
import type { NodeId } from "../workflow/language/graph/Graph.ts"
import type { Cursor, Paging } from "./DraftPatch.ts"

/** The ids of the steps; those for rows are used where the rows are known. */
export type Ids = Readonly<Record<"check" | "click" | "count" | "note" | "look" | "compare" | "forget", NodeId>>

/** Maximum wait for the link to the next page, in milliseconds. It may appear a moment after the page. */
const pageMillis = 1_000

/** The variables with the texts of all rows, before the click and after it. The workflow has them only in between. */
const variables = (ids: Ids) => {
  const own = ids.note.replace(/\W/g, "").slice(0, 8)
  return { before: `rows_before_${own}`, after: `rows_after_${own}` }
}

/** Reads the text of every row into a variable, in place of what it has. */
const reading = (name: string, rows: string): Schema.JsonObject => ({
  execution: "STATIC",
  extract_data_model: {
    type: "object",
    overwriteArrayKeys: [name],
    properties: { [name]: { type: "array", path: rows, items: { type: "string" } } }
  }
})

/** The steps, in their order. `named` makes a name unique, and `turn` has free variables of a loop. */
export const steps = (
  { most, rows, selector }: Paging,
  ids: Ids,
  named: (name: string) => string,
  turn: Readonly<Record<"variable_current_item" | "variable_current_index", string>>
): ReadonlyArray<Schema.JsonObject> => {
  const count: Schema.JsonObject = {
    id: ids.count,
    name: named(`At most ${most} pages`),
    action: "LOOP",
    // The first page needs no turn.
    parameters: { variable_over: String((most ?? 1) - 1), ...turn }
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
  const { after, before } = variables(ids)
  const note: Schema.JsonObject = {
    id: ids.note,
    name: named("Note the rows"),
    action: "EXTRACT_DATAMODEL",
    parameters: reading(before, rows)
  }
  const look: Schema.JsonObject = {
    id: ids.look,
    name: named("Look at the rows again"),
    action: "EXTRACT_DATAMODEL",
    parameters: reading(after, rows)
  }
  const compare: Schema.JsonObject = {
    id: ids.compare,
    name: named("Are there new rows?"),
    action: "BOOL_CONDITION",
    parameters: {
      comparison_operator: "NOT_EQUAL",
      comparison_value_1: `{{context.${after}}}`,
      comparison_value_2: `{{context.${before}}}`
    }
  }
  const forget: Schema.JsonObject = {
    id: ids.forget,
    name: named("Forget the rows"),
    action: "TRANSFORM",
    parameters: {
      operations: [before, after].map((name) => ({ type: "DELETE", target: `context.${name}`, optional: true }))
    }
  }
  return [...counted, check, note, click, look, compare, forget]
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
          [ids.click]: { to: ids.look },
          [ids.look]: { to: ids.compare },
          [ids.compare]: { true: again, false: end },
          [ids.forget]: { to: onward }
        })
  }
}
