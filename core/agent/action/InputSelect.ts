import { Effect } from "effect"
import { defaultWaitMillis } from "../../workflow/language/parameters/Fields.ts"
import { ofPage } from "../Failure.ts"
import { type Action, next } from "../Step.ts"
import * as Memory from "../variables/Memory.ts"
import * as SecretUse from "../variables/SecretUse.ts"

/** Chooses an option of the one element that matches. */
export const inputSelect: Action<"INPUT_SELECT", "elements" | "navigation"> = Effect.fnUntraced(function* (
  { parameters },
  { memory, option, page }
) {
  const selector = yield* Memory.evaluateText(parameters.selector, memory, page)
  const value = option ?? (yield* Memory.evaluateText(parameters.value, memory, page, "guarded"))
  const guard = option === null ? yield* SecretUse.guard([parameters.value], [value], memory) : undefined
  if (guard?.hiddenOnly !== undefined) return yield* SecretUse.refused(`choose in ${selector}`, guard.hiddenOnly)
  const target = { selector, waitMillis: parameters.wait_time ?? defaultWaitMillis, guard }
  const shown = memory.credentials.secrets.hide(value)
  yield* page.elements
    .select(target, value, parameters.fuzzy_match === true, parameters.match_by ?? undefined)
    .pipe(Effect.mapError((failure) => ofPage(`choose "${shown}" in`, failure)))
  return next
})
