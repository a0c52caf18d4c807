/**
 * Checks the site of the document before a guarded action: the document of the element or of the focus at that moment,
 * in a frame that of the frame.
 */
import { Effect } from "effect"
import type { Frame, Locator } from "playwright-core"
import type { Guard } from "../../../core/browser/element/ElementQuery.ts"
import type { Held } from "../../../core/browser/element/ReadBack.ts"
import * as Focus from "../element/Focus.ts"
import type { Typed } from "../injected/act/Editors.ts"
import * as World from "../inpage/World.ts"
import { Refused } from "./Attempt.ts"
import type { Tab } from "./Tabs.ts"

/** A field that is typed into. */
export interface Field extends Pick<Locator, "fill" | "focus" | "getAttribute"> {
  /** The name under which it is kept in the world of its frame, once it was asked what it holds. */
  readonly name: string
  /** What it holds; `null` for an element that is no field. */
  readonly held: (options: { readonly timeout: number }) => Promise<Held | null>
  /**
   * Fills it if it is a plain field, and fails with the signal `special` before anything is done otherwise. Absent where it
   * has to be checked first.
   */
  readonly fillPlain?: Locator["fill"]
  /**
   * Selects the text of a plain field and focuses it, once it is there; answers `later`, with nothing done, where it cannot
   * be typed into yet, or not with any text, and `special` where it is not plain. Absent like `fillPlain`.
   */
  readonly selectPlain?: (options: { readonly timeout: number }) => Promise<"selected" | "special" | "later">
  /** How it is typed into. The parts of an editor are kept in the world of its frame. */
  readonly typed: (options: { readonly timeout: number }) => Promise<Typed>
  /** Whether the page has spread a text over it and the fields that follow it. */
  readonly isSpread: (text: string, options: { readonly timeout: number }) => Promise<boolean>
  /** Takes a text that was meant for it back from the field that got the focus meanwhile. */
  readonly takeBack: (text: string, options: { readonly timeout: number }) => Promise<void>
  /** The fields in it, when it is around some. */
  readonly inner: (selector: string) => Promise<ReadonlyArray<Field>>
}

/** Fails with `foreign` if a guard refuses the site of a frame. */
export const check = async (tab: Tab, frame: Frame, guard: Guard, pasted?: string): Promise<void> => {
  const address = await addressOf(tab, frame)
  const reason =
    pasted === undefined || guard.pasting === undefined
      ? guard(address)
      : await Effect.runPromise(guard.pasting(address, pasted))
  if (reason !== null) throw new Refused("foreign", reason)
}

/** The same for where the focus is. */
export const checkFocus = async (tab: Tab, guard: Guard, pasted?: string): Promise<void> =>
  check(tab, (await Focus.find(tab)) ?? tab.page.mainFrame(), guard, pasted)

/**
 * Acts on an element after its document was checked. It is kept in the world of that document, which goes with it: the
 * action cannot happen in a later one.
 */
export const onField = async (
  tab: Tab,
  frame: Frame,
  element: Locator,
  guard: Guard | undefined,
  timeout: number,
  act: (field: Field) => Promise<void>
): Promise<void> => {
  if (guard === undefined) return act(fieldOf(tab, frame, element))
  const name = `field ${++count}`
  try {
    await World.run(tab, frame, "keep", name, { root: element, waitMillis: timeout })
    // A plain field is filled where the focus is, which may have moved to another document.
    const { fillPlain: _, selectPlain: __, ...field } = fieldOf(tab, frame, World.kept(frame, name), name)
    await check(tab, frame, guard)
    const { hiddenOnly } = guard
    if (hiddenOnly !== undefined && (await field.getAttribute("type", { timeout }))?.toLowerCase() !== "password") {
      throw new Refused("foreign", hiddenOnly)
    }
    await act(field)
  } catch (error) {
    // The page has put another element in its place: that one is looked for.
    if (World.signalOf(error)?.kind === "gone" || /context was destroyed|Cannot find context/i.test(String(error))) {
      throw new Refused("mismatch", "the element went away")
    }
    throw error
  }
}

/** The origin of a frame. A document without an address has the origin of its creator, as reported by the browser. */
const addressOf = async (tab: Tab, frame: Frame): Promise<string> =>
  /^(about|blob):/.test(frame.url()) ? World.run(tab, frame, "origin", null) : frame.url()

let count = 0

/** The field that a locator finds, to be typed into without a guard. */
export const fieldOf = (tab: Tab, frame: Frame, element: Locator, name = `field ${++count}`): Field => ({
  name,
  fill: (text, options) => element.fill(text, options),
  fillPlain: (text, options) => World.plain(element).fill(text, options),
  selectPlain: ({ timeout }) => World.run(tab, frame, "selectPlain", null, { root: element, waitMillis: timeout }),
  focus: (options) => element.focus(options),
  getAttribute: (name, options) => element.getAttribute(name, options),
  held: ({ timeout }) => World.run(tab, frame, "heldBy", name, { root: element, waitMillis: timeout }),
  typed: ({ timeout }) => World.run(tab, frame, "typed", null, { root: element, waitMillis: timeout }),
  isSpread: (text, { timeout }) => World.run(tab, frame, "isSpread", text, { root: element, waitMillis: timeout }),
  takeBack: (text, { timeout }) => World.run(tab, frame, "takeBack", text, { root: element, waitMillis: timeout }),
  inner: async (selector) => (await element.locator(selector).all()).map((locator) => fieldOf(tab, frame, locator))
})
