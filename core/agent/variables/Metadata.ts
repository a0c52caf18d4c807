import type { Schema } from "effect"
import type { SessionParts } from "../../browser/Browser.ts"
import * as Memory from "./Memory.ts"

/** The metadata of a picture or a file, with the expressions in it evaluated. */
export const evaluated = (
  metadata: Schema.JsonObject | null | undefined,
  memory: Memory.Memory,
  page: SessionParts<"navigation">
) => Memory.evaluateWithin(metadata ?? {}, memory, page)
