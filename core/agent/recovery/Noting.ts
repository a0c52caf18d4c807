/** Notes which element a step acts on, and what that looks like where it is to be remembered. */
import { Effect } from "effect"
import type { Page } from "../../browser/Browser.ts"
import type { Appearance } from "../../browser/element/Appearance.ts"
import type { Target } from "../../browser/element/Target.ts"
import type { PageFailure } from "../../browser/PageFailure.ts"

export interface TouchedElement {
  selector: string | null
  appearance: Appearance | null
}

/** The same page, which notes the element that was acted on last. It is described before it is acted on: it may be gone after. */
export const noting = (page: Page, noted: TouchedElement, describes: boolean): Page => {
  const look = (target: Target): Effect.Effect<void, PageFailure> => {
    noted.selector = target.selector
    if (!describes) return Effect.void
    return page.describe(target).pipe(
      Effect.tap((appearance) => Effect.sync(() => (noted.appearance = appearance))),
      Effect.asVoid,
      // An element that is not there by now would be waited for twice.
      Effect.catchIf(
        ({ kind }) => kind !== "mismatch",
        () => Effect.void
      )
    )
  }
  return {
    ...page,
    click: (target, kind, gesture) => Effect.andThen(look(target), page.click(target, kind, gesture)),
    type: (target, typing) =>
      target === null ? page.type(null, typing) : Effect.andThen(look(target), page.type(target, typing)),
    select: (target, value, fuzzy) => Effect.andThen(look(target), page.select(target, value, fuzzy))
  }
}
