/** What selectors match now, in the documents that the finder would use. */
import type { Frame } from "playwright-core"
import { type ElementState, nothing } from "../../../core/browser/element/ElementState.ts"
import * as Selector from "../../../core/browser/element/Selector.ts"
import * as ClosedRoots from "../inpage/ClosedRoots.ts"
import * as World from "../inpage/World.ts"
import { Refused } from "../page/Attempt.ts"
import type { Tab } from "../page/Tabs.ts"
import * as Finder from "./Finder.ts"
import { isShown } from "./Visible.ts"

/** The state of each selector. Closed shadow roots are opened when a selector matches nothing. */
export const of = async (tab: Tab, selectors: ReadonlyArray<string>): Promise<ReadonlyArray<ElementState>> => {
  await tab.page.waitForLoadState("domcontentloaded")
  const parsed = selectors.map((text) => {
    const selector = Selector.parse(text)
    if (selector.kind === "refused") throw new Refused("selector", `${text} cannot be read: ${selector.reason}`)
    return { text, selector }
  })
  const look = () => Promise.all(parsed.map((one) => stateOf(tab, one)))
  const now = await look()
  const isMissing = now.some(({ matched }) => matched === 0)
  return isMissing && (await ClosedRoots.open(tab)) ? look() : now
}

const stateOf = async (
  tab: Tab,
  { selector, text }: { readonly selector: Selector.Selector; readonly text: string }
): Promise<ElementState> => {
  if (selector.kind !== "xpath") return Finder.onEvery(tab, text, "stateOf", null)
  const inFrame = async (frame: Frame): Promise<ElementState> =>
    (await World.run(tab, frame, "states", [selector.query]))[0] ?? nothing
  const { first, others } = await Finder.scopes(tab, selector)
  const own = first === null ? nothing : await inFrame(first)
  if (own.matched > 0 || others.length === 0) return own
  for (const frame of await Finder.answering(tab, others)) {
    const state = await inFrame(frame).catch((error: unknown) => {
      if (error instanceof Refused) throw error
      // The frame is gone, or does not answer.
      return nothing
    })
    if (state.matched > 0) return (await isShown(frame).catch(() => false)) ? state : { ...state, visible: 0 }
  }
  return own
}
