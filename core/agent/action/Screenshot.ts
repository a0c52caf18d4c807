import { Effect } from "effect"
import { defaultWaitMillis } from "../../workflow/language/parameters/Fields.ts"
import { ofPage } from "../Failure.ts"
import { type Action, next } from "../Step.ts"
import * as Memory from "../variables/Memory.ts"
import * as Metadata from "../variables/Metadata.ts"

/** The default limit of the wait for content that loads after scrolling, in milliseconds. */
const defaultSettleMillis = 2_000

/** Takes a picture of the page, whole unless `full_page` is false, or of the element that `selector` names. */
export const screenshot: Action<"SCREENSHOT", "elements" | "navigation"> = Effect.fnUntraced(function* (
  { parameters },
  { memory, page, shoot }
) {
  const selector = yield* Memory.evaluateText(parameters.selector ?? "", memory, page)
  const fullPage = selector === "" && parameters.full_page !== false
  const query = selector === "" ? null : { selector, waitMillis: parameters.wait_time ?? defaultWaitMillis }
  const shot = yield* page.elements
    .screenshot(query, {
      fullPage,
      margin: parameters.margin ?? 0,
      maxScrolls: parameters.max_scrolls ?? 0,
      settleMillis: parameters.wait_after_scroll ?? defaultSettleMillis
    })
    .pipe(Effect.mapError((failure) => ofPage("take a screenshot", failure)))
  yield* shoot(shot, { fullPage, metadata: yield* Metadata.evaluated(parameters.metadata, memory, page) })
  return next
})
