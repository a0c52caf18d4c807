import { Effect } from "effect"
import { ofPage } from "../Failure.ts"
import { type Action, next } from "../Step.ts"

/** Takes a picture of the page, whole unless `full_page` is false. */
export const screenshot: Action<"SCREENSHOT"> = Effect.fnUntraced(function* ({ parameters }, { page, shoot }) {
  const fullPage = parameters.full_page !== false
  const shot = yield* page
    .screenshot({ fullPage })
    .pipe(Effect.mapError((failure) => ofPage("take a screenshot", failure)))
  yield* shoot(shot, { fullPage, metadata: parameters.metadata ?? {} })
  return next
})
