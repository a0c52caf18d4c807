import { Effect, type Schema } from "effect"
import { overwritten } from "../../workflow/parameters/DataModel.ts"
import { defaultWaitMillis } from "../../workflow/parameters/Fields.ts"
import * as Template from "../../workflow/Template.ts"
import * as Extraction from "../Extraction.ts"
import { ofPage } from "../Failure.ts"
import * as Memory from "../Memory.ts"
import type { Action, Surroundings } from "../Step.ts"

/** Reads what a data model describes from the page. With a selector, waits for that element first. */
export const extractDatamodel: Action<"EXTRACT_DATAMODEL"> = Effect.fnUntraced(function* (
  { parameters },
  surroundings
) {
  const { memory, page } = surroundings
  const model = parameters.extract_data_model
  const waitMillis = parameters.wait_time ?? defaultWaitMillis
  if (parameters.selector) {
    const selector = yield* Memory.evaluateText(parameters.selector, memory, page)
    yield* page
      .find({ selector, waitMillis })
      .pipe(Effect.mapError((failure) => ofPage("extract data: waiting for", failure)))
  }
  const resolved = yield* resolve(Extraction.texts(model), surroundings)
  const plan = Extraction.plan(model, (text) => resolved.get(text) ?? { text })
  const found = yield* page.extract(plan).pipe(Effect.mapError((failure) => ofPage("extract data", failure)))
  return {
    _tag: "Found",
    found: typeof found === "object" && found !== null && !Array.isArray(found) ? (found as Schema.JsonObject) : {},
    overwrite: new Set(overwritten(model))
  }
})

/** Evaluates the texts with expressions. One that is an expression and nothing else is the value, not where it is. */
const resolve = Effect.fnUntraced(function* (texts: ReadonlyArray<string>, { memory, page }: Surroundings) {
  const resolved = new Map<string, ReturnType<Extraction.Resolve>>()
  for (const text of texts.filter(Template.isTemplate)) {
    const value = yield* Memory.evaluate(text, memory, page)
    resolved.set(text, Template.parse(text).template.whole ? { known: value } : { text: Memory.asText(value) })
  }
  return resolved
})
