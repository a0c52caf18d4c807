/**
 * Scrolls elements into view, and returns where they are visible.
 */
import type { Frame, Locator } from "playwright-core"
import * as World from "../inpage/World.ts"
import type { Tab } from "../page/Tabs.ts"

/** Scrolls to an element of a frame, unless it is seen already, and waits until it is still. */
export const bringIntoSight = async (tab: Tab, frame: Frame, element: Locator, timeout: number): Promise<void> => {
  // In a frame that is not seen the browser draws nothing, so that nothing there would ever be still.
  await World.run(tab, frame, "intoSight", null, { root: element, waitMillis: timeout })
  await element.scrollIntoViewIfNeeded({ timeout })
}

/** Keeps the element that holds a frame in the world of the frame around it, and answers the name under which. */
export const keepOwner = async (frame: Frame): Promise<string> => {
  const owner = await frame.frameElement()
  await World.keep(owner, "owner")
  await owner.dispose()
  return "owner"
}

/** Whether a frame can be seen, and all that it is in. */
export const isShown = async (frame: Frame): Promise<boolean> => {
  for (let at = frame, around = at.parentFrame(); around !== null; around = at.parentFrame()) {
    const owner = await at.frameElement()
    const isSeen = await World.runOn(owner, "isVisible", null)
    await owner.dispose()
    if (!isSeen) return false
    at = around
  }
  return true
}

/**
 * The origin of the document of a frame in the window; `null` when it has no place there. The results of Playwright for
 * elements in frames of other sites cross the borders of these frames.
 */
export const originOf = async (tab: Tab, frame: Frame): Promise<{ readonly x: number; readonly y: number } | null> => {
  const around = frame.parentFrame()
  if (around === null) return { x: 0, y: 0 }
  const box = await World.run(tab, around, "originOf", await keepOwner(frame))
  const origin = box === null ? null : await originOf(tab, around)
  return box === null || origin === null ? null : { x: origin.x + box.x, y: origin.y + box.y }
}

/** The box of an element of a frame in the window; `null` when it is not visible. */
export const boxOf = async (tab: Tab, frame: Frame, element: Locator, timeout: number) => {
  if (frame.parentFrame() === null) return element.boundingBox({ timeout })
  const box = await World.run(tab, frame, "boxOf", null, { root: element, waitMillis: timeout })
  const origin = await originOf(tab, frame)
  if (origin === null || box.width === 0 || box.height === 0) return null
  return { ...box, x: box.x + origin.x, y: box.y + origin.y }
}
