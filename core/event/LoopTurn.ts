/** The turn of a loop in which a step of a run was done. */
import { Schema } from "effect"
import * as Json from "../workspace/Json.ts"

export const LoopTurn = Schema.Struct({
  /** The LOOP node. */
  node: Schema.Struct({ id: Schema.String, name: Schema.String }),
  /** From 0, as the variable of the loop has it. */
  index: Schema.Int,
  /** How many turns the loop has. */
  count: Schema.Int,
  /** The item of the turn without secrets: its text, or the texts of its fields. */
  item: Schema.Union([Schema.String, Schema.Record(Schema.String, Schema.String)])
})
export type LoopTurn = typeof LoopTurn.Type

/** The most fields of an item that are shown. */
const mostFields = 20

/** The longest text that is shown, in characters. */
export const mostShown = 200

/** An item as it is shown. `show` makes a text of a value, and of the name of a field. */
export const shownItem = (item: Schema.Json, show: (value: Schema.Json) => string): LoopTurn["item"] =>
  Json.isObject(item)
    ? Object.fromEntries(
        Object.entries(item)
          .slice(0, mostFields)
          .map(([name, value]) => [show(name), show(value)])
      )
    : show(item)
