/**
 * Where the pointer acts, and which keys are held: the parameters of a node as the browser takes them.
 */
import { Effect, type Schema } from "effect"
import type { Using } from "../../browser/Browser.ts"
import type { HeldKey, Offset } from "../../browser/vision/Dragging.ts"
import { heldKeys, maxPixels, maxPoints } from "../../workflow/language/parameters/PointerParameters.ts"
import { StepFailed } from "../Failure.ts"
import * as Memory from "../variables/Memory.ts"

/** A distance of a node, whose numbers may be expressions. */
type Written = {
  readonly x: number | string
  readonly y: number | string
}

/** The keys of a node, each once. */
export const keysOf = (keys: ReadonlyArray<keyof typeof heldKeys> | null | undefined): ReadonlyArray<HeldKey> => [
  ...new Set((keys ?? []).map((key) => heldKeys[key]))
]

const unusable = (field: string, shown: string, expected: string): StepFailed =>
  new StepFailed({
    code: "TEMPLATE-E0001",
    sentence: `Cannot use ${shown} as ${field}: expected ${expected}`,
    original: null
  })

const pixelsOf = Effect.fnUntraced(function* (
  written: Schema.Json | undefined,
  field: string,
  memory: Memory.Memory,
  page: Using<"navigation">
) {
  const value = typeof written === "string" ? yield* Memory.evaluate(written, memory, page) : written
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value
  if (typeof number === "number" && Math.abs(number) <= maxPixels) return number
  const shown = memory.credentials.secrets.hideWithin(Memory.asText(value ?? null), 100)
  return yield* unusable(field, shown, `a number of pixels from -${maxPixels} to ${maxPixels}`)
})

/** The distance that a parameter says; nothing where it is left out. */
export const offset = Effect.fnUntraced(function* (
  written: Written | null | undefined,
  field: string,
  memory: Memory.Memory,
  page: Using<"navigation">
) {
  if (written === undefined || written === null) return undefined
  const x = yield* pixelsOf(written.x, `${field}.x`, memory, page)
  const y = yield* pixelsOf(written.y, `${field}.y`, memory, page)
  return { x, y } satisfies Offset
})

/** The points of a path, or of the expression whose value is one. */
export const path = Effect.fnUntraced(function* (
  written: string | ReadonlyArray<Written>,
  memory: Memory.Memory,
  page: Using<"navigation">
) {
  const value: Schema.Json = typeof written === "string" ? yield* Memory.evaluate(written, memory, page) : [...written]
  if (!Array.isArray(value) || value.length === 0 || value.length > maxPoints) {
    const shown = Array.isArray(value)
      ? `a list of ${value.length} points`
      : memory.credentials.secrets.hideWithin(Memory.asText(value ?? null), 100)
    return yield* unusable("path", shown, `1 to ${maxPoints} points such as {"x": 10, "y": 0}`)
  }
  const points: Array<Offset> = []
  for (const [index, one] of value.entries()) {
    const { x, y } = typeof one === "object" && one !== null ? (one as Partial<Written>) : {}
    points.push({
      x: yield* pixelsOf(x, `path[${index}].x`, memory, page),
      y: yield* pixelsOf(y, `path[${index}].y`, memory, page)
    })
  }
  return points
})
