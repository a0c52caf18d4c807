/** The ways in which an action may find its element or data, and the parameters that each needs. */
import { Schema } from "effect"
import { optionalText } from "./Fields.ts"

/** The values of `execution` that use a model. */
export const modelExecutions = ["LLM_DOM", "LLM_VISION", "PROMPT", "COMPUTER_USE"] as const
export type ModelExecution = (typeof modelExecutions)[number]

export const isModelExecution = (execution: unknown): execution is ModelExecution =>
  modelExecutions.some((one) => one === execution)

const optional = <const L extends ReadonlyArray<string>>(kinds: L) =>
  Schema.optionalKey(Schema.NullOr(Schema.Literals(kinds)))

/** How an element is found: by its selector, by a model, or at a point. Default: `STATIC`. */
export const ofElement = {
  execution: optional(["STATIC", "LLM_DOM", "LLM_VISION", "COMPUTER_USE", "COORDINATES"]),
  prompt: optionalText,
  llm_model: optionalText
}

/** How the field for a code is found. */
export const ofField = {
  execution: optional(["STATIC", "LLM_VISION", "COMPUTER_USE"]),
  prompt: optionalText,
  llm_model: optionalText
}

/** How a place to scroll to is found. */
export const ofPlace = {
  execution: optional(["STATIC", "LLM_VISION"]),
  llm_model: optionalText,
  target_description: optionalText,
  container_description: optionalText
}

/** How data is read. `model` is another name of `llm_model`. */
export const ofData = {
  execution: optional(["STATIC", "LLM_DOM", "LLM_VISION", "PROMPT"]),
  prompt: optionalText,
  llm_model: optionalText,
  model: optionalText
}

/** How a condition is decided. */
export const ofCondition = {
  execution: optional(["STATIC", "LLM_VISION", "PROMPT"]),
  prompt: optionalText,
  llm_model: optionalText
}

/** Options of a list are chosen by their value or text, so `execution` is ignored. */
export const ignored = optional(["STATIC", "LLM_DOM", "LLM_VISION", "PROMPT", "COMPUTER_USE", "COORDINATES"])

/** A missing parameter and the message about it. */
interface Missing {
  readonly path: ReadonlyArray<string>
  readonly issue: string
}

interface Given {
  readonly execution?: string | null
  readonly selector?: string | null
  readonly prompt?: string | null
}

const isFilled = (text: string | null | undefined): boolean => (text ?? "").trim() !== ""

/** The missing parameter of an action on an element; `undefined` if none is missing. */
export const missingForElement = ({ execution, prompt, selector }: Given): Missing | undefined => {
  if (isModelExecution(execution)) {
    return isFilled(prompt)
      ? undefined
      : { path: ["prompt"], issue: `Expected a prompt that describes the element, as execution is ${execution}` }
  }
  if (!isFilled(selector)) return { path: ["selector"], issue: "Expected a selector" }
  if (execution !== "COORDINATES" || selector?.includes("{{") === true || pointOf(selector ?? "") !== null) return
  return { path: ["selector"], issue: 'Expected a point of the page such as {"x": 120, "y": 300}' }
}

/** The missing parameter of an action that reads data; `undefined` if none is missing. */
export const missingForData = ({ execution, prompt, selector }: Given): Missing | undefined => {
  if (execution === "LLM_DOM" && !isFilled(selector)) {
    return {
      path: ["selector"],
      issue: "Expected the selector of the part of the page to read, as execution is LLM_DOM"
    }
  }
  if (execution === "PROMPT" && !isFilled(prompt)) {
    return { path: ["prompt"], issue: "Expected a prompt, as execution is PROMPT" }
  }
  return undefined
}

/** A point of the viewport in CSS pixels, read from JSON; `null` for any other value. */
export const pointOf = (selector: string): { readonly x: number; readonly y: number } | null => {
  try {
    const point: unknown = JSON.parse(selector)
    if (typeof point !== "object" || point === null || !("x" in point) || !("y" in point)) return null
    const [x, y] = [Number(point.x), Number(point.y)]
    const isPoint = [point.x, point.y].every((one) => typeof one === "number" || typeof one === "string")
    return isPoint && x >= 0 && y >= 0 && x <= maxPixels && y <= maxPixels ? { x, y } : null
  } catch {
    return null
  }
}

const maxPixels = 100_000
