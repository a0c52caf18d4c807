/** Notes which element a step acts on, and its appearance where that is remembered. */
import { Effect } from "effect"
import type { BrowserSession } from "../../browser/Browser.ts"
import { tapped } from "../../browser/Elements.ts"
import type { Appearance } from "../../browser/element/Appearance.ts"

export interface TouchedElement {
  selector: string | null
  appearance: Appearance | null
}

/**
 * The same session, which notes the element that was acted on last. It is described before it is acted on: it may be gone
 * after.
 */
export const noting = (page: BrowserSession, noted: TouchedElement, describes: boolean): BrowserSession => ({
  ...page,
  elements: tapped(page.elements, (query) => {
    noted.selector = query.selector
    if (!describes) return Effect.void
    return page.elements.describe(query).pipe(
      Effect.tap((appearance) => Effect.sync(() => (noted.appearance = appearance))),
      Effect.asVoid,
      // An element that is not there by now would be waited for twice.
      Effect.catchIf(
        ({ kind }) => kind !== "mismatch",
        () => Effect.void
      )
    )
  })
})
