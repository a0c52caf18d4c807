/** The parameters of mouse actions: positions in elements, modifier keys, and dragging. */
import { Schema } from "effect"
import * as Template from "../expression/Template.ts"
import { pointOf } from "./Executions.ts"
import { acting, filled, optionalText } from "./Fields.ts"

/** Maximum distance in CSS pixels. */
export const maxPixels = 100_000

/** Maximum number of points in the path of one drag. */
export const maxPoints = 1_000

/** A text with an expression, whose value is known when the node runs. */
const expression = Schema.String.check(
  Schema.makeFilter((text) =>
    Template.isTemplate(text) ? undefined : "Expected a number of pixels, or an expression such as {{context.x}}"
  )
)

const pixels = Schema.Union([
  Schema.Finite.check(Schema.isBetween({ minimum: -maxPixels, maximum: maxPixels })),
  expression
])

/** A distance in CSS pixels. */
const distance = Schema.Struct({ x: pixels, y: pixels })

/** A position in an element, relative to its upper left corner. */
export const position = Schema.optionalKey(Schema.NullOr(distance))

/** Modifier keys by their names in workflows. */
export const heldKeys = { Ctrl: "ControlOrMeta", Alt: "Alt", Shift: "Shift" } as const

export const modifier_keys = Schema.optionalKey(
  Schema.NullOr(Schema.Array(Schema.Literals(["Ctrl", "Alt", "Shift"])).check(Schema.isMaxLength(3)))
)

/** The parameters for the end of a drag. Exactly one of them is given. */
export const dragEnds = ["to_selector", "offset", "path", "text"] as const

const among = `Expected exactly one of ${dragEnds.join(", ")}: where to drag to`

interface Given {
  readonly execution?: string | null
  readonly selector: string
  readonly position?: unknown
  readonly to_selector?: string | null
  readonly to_position?: unknown
  readonly offset?: unknown
  readonly path?: unknown
  readonly text?: string | null
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== ""

const wrongIn = (given: Given) => {
  const named = dragEnds.filter((name) => isGiven(given[name]))
  if (named.length !== 1) {
    const issue = named.length === 0 ? among : `${among}, got ${named.join(" and ")}`
    return { path: [named[1] ?? "to_selector"], issue }
  }
  if (isGiven(given.to_position) && named[0] !== "to_selector") {
    return { path: ["to_position"], issue: "Expected no to_position without to_selector" }
  }
  if (given.execution !== "COORDINATES") return undefined
  for (const name of ["position", "to_position", "text"] as const) {
    if (isGiven(given[name])) return { path: [name], issue: `Expected no ${name}, as execution is COORDINATES` }
  }
  for (const name of ["selector", "to_selector"] as const) {
    const point = given[name] ?? ""
    if (point === "" || Template.isTemplate(point) || pointOf(point) !== null) continue
    return { path: [name], issue: 'Expected a point of the window such as {"x": 120, "y": 300}' }
  }
  return undefined
}

/** A path, or one expression whose value is a path. */
const path = Schema.Union([
  Schema.Array(distance).check(Schema.isMinLength(1), Schema.isMaxLength(maxPoints)),
  expression
])

export const pointer = {
  DRAG: Schema.Struct({
    ...acting,
    execution: Schema.optionalKey(Schema.NullOr(Schema.Literals(["STATIC", "COORDINATES"]))),
    selector: filled,
    position,
    to_selector: optionalText,
    to_position: position,
    offset: position,
    path: Schema.optionalKey(Schema.NullOr(path)),
    text: optionalText,
    modifier_keys,
    selector_error_message: optionalText
  }).check(Schema.makeFilter(wrongIn))
} as const
