import { Effect } from "effect"
import { defaultWaitMillis } from "../../workflow/parameters/Fields.ts"
import { ofPage } from "../Failure.ts"
import * as Memory from "../Memory.ts"
import * as Pointer from "../Pointer.ts"
import { type Action, next } from "../Step.ts"

/** Clicks the one element that matches, in the way that `click_type` says. */
export const click: Action<"CLICK"> = Effect.fnUntraced(function* ({ parameters }, { memory, page }) {
  const selector = yield* Memory.evaluateText(parameters.selector, memory, page)
  const kind = parameters.click_type ?? "click"
  const gesture = parameters.human_mode === true ? yield* Pointer.draw : undefined
  yield* page
    .click({ selector, waitMillis: parameters.wait_time ?? defaultWaitMillis }, kind, gesture)
    .pipe(Effect.mapError((failure) => ofPage(kind.replace("_", "-"), failure)))
  return next
})
