/** Sets the state of a box, a radio button or a switch. */
import type { Frame, Locator } from "playwright-core"
import * as World from "../inpage/World.ts"
import { Refused } from "../page/Attempt.ts"
import type { Tab } from "../page/Tabs.ts"
import * as Pointer from "../vision/Pointer.ts"

/** How long the page may take to show the state after a click, in milliseconds. */
const shownMillis = 2_000

const stepMillis = 50

/** Clicks the element where it is not in that state yet, and reads it again. */
export const set = async (
  tab: Tab,
  frame: Frame,
  element: Locator,
  checked: boolean,
  timeout: number
): Promise<void> => {
  const read = (waitMillis: number) => World.run(tab, frame, "checkedOf", null, { root: element, waitMillis })
  const before = await read(timeout)
  if (before === null)
    throw new Refused("unusable", "it is no box, radio button or switch: it can be neither on nor off")
  if (before === checked) return
  await Pointer.press(tab, frame, element, "click", timeout)
  const until = performance.now() + shownMillis
  while (true) {
    // An element that went away with its page has been clicked.
    const now = await read(shownMillis).catch(() => checked)
    if (now === checked) return
    if (performance.now() > until) throw new Refused("unusable", `it is still ${checked ? "off" : "on"} after a click`)
    await new Promise((resolve) => setTimeout(resolve, stepMillis))
  }
}
