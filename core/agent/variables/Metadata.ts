import { Effect, type Schema } from "effect"
import type { Using } from "../../browser/Browser.ts"
import { StepFailed } from "../Failure.ts"
import * as Memory from "./Memory.ts"

/** Maximum length of the metadata of a file, as JSON, in characters. */
const longest = 16_384

/** The metadata of a picture or a file, with the expressions in it evaluated. Fails where it becomes too long. */
export const evaluated = Effect.fnUntraced(function* (
  metadata: Schema.JsonObject | null | undefined,
  memory: Memory.Memory,
  page: Using<"navigation">
) {
  const made = yield* Memory.evaluateWithin(metadata ?? {}, memory, page)
  const { length } = JSON.stringify(made)
  if (length <= longest) return made
  const sentence = `Cannot keep the metadata: it has ${length} characters as JSON, and at most ${longest} are kept`
  return yield* new StepFailed({ code: "TEMPLATE-E0001", sentence, original: null })
})
