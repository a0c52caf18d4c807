/**
 * Where the pointer acts, and which keys are held: the parameters of a node as the browser takes them.
 */
import { Effect, type Schema } from "effect"
import type { SessionParts } from "../../browser/Browser.ts"
import type { HeldKey, Offset } from "../../browser/vision/Dragging.ts"
import { heldKeys, maxPixels, maxPoints } from "../../workflow/language/parameters/PointerParameters.ts"
import * as Json from "../../workspace/Json.ts"
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

const pixelsOf = (value: Schema.Json | undefined, field: string, memory: Memory.Memory) => {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value
  if (typeof number === "number" && Math.abs(number) <= maxPixels) return Effect.succeed(number)
  const shown = memory.credentials.secrets.hideWithin(Memory.asText(value ?? null), 100)
  return Effect.fail(unusable(field, shown, `a number of pixels from -${maxPixels} to ${maxPixels}`))
}

/** A distance of a node, with its expressions evaluated. */
const distanceOf = Effect.fnUntraced(function* (
  written: Written,
  field: string,
  memory: Memory.Memory,
  page: SessionParts<"navigation">
) {
  const valueOf = (one: number | string): Effect.Effect<Schema.Json, StepFailed> =>
    typeof one === "string" ? Memory.evaluate(one, memory, page) : Effect.succeed(one)
  const x = yield* pixelsOf(yield* valueOf(written.x), `${field}.x`, memory)
  const y = yield* pixelsOf(yield* valueOf(written.y), `${field}.y`, memory)
  return { x, y } satisfies Offset
})

/** The distance that a parameter says; nothing where it is left out. */
export const offset = (
  written: Written | null | undefined,
  field: string,
  memory: Memory.Memory,
  page: SessionParts<"navigation">
): Effect.Effect<Offset | undefined, StepFailed> =>
  written === undefined || written === null ? Effect.succeed(undefined) : distanceOf(written, field, memory, page)

/**
 * The points of a path, or of the expression whose value is one. The texts of such a value are data, of an input or a page:
 * they are numbers, and are not evaluated as expressions.
 */
export const path = Effect.fnUntraced(function* (
  written: string | ReadonlyArray<Written>,
  memory: Memory.Memory,
  page: SessionParts<"navigation">
) {
  if (typeof written !== "string") {
    return yield* Effect.forEach(written, (distance, index) => distanceOf(distance, `path[${index}]`, memory, page))
  }
  const value = yield* Memory.evaluate(written, memory, page)
  if (!Array.isArray(value) || value.length === 0 || value.length > maxPoints) {
    const shown = Array.isArray(value)
      ? `a list of ${value.length} points`
      : memory.credentials.secrets.hideWithin(Memory.asText(value), 100)
    return yield* unusable("path", shown, `1 to ${maxPoints} points such as {"x": 10, "y": 0}`)
  }
  return yield* Effect.forEach(value, (one: Schema.Json, index) => {
    const { x, y } = Json.objectOf(one)
    return Effect.all({
      x: pixelsOf(x, `path[${index}].x`, memory),
      y: pixelsOf(y, `path[${index}].y`, memory)
    })
  })
})
