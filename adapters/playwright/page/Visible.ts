/**
 * Brings elements into sight, and tells where they are to be seen.
 */
import type { ElementHandle, Frame, Locator } from "playwright-core"

/** Scrolls to an element, unless it is seen already, and waits until it is still. */
export const bringIntoSight = async (element: Locator | ElementHandle<Element>, timeout: number): Promise<void> => {
  // In a frame that is not seen the browser draws nothing, so that nothing there would ever be still.
  if ("elementHandle" in element) await element.evaluate(scroll, null, { timeout })
  else await element.evaluate(scroll)
  await element.scrollIntoViewIfNeeded({ timeout })
}

/**
 * Where the document of a frame begins in the window; `null` when it is not to be seen. What Playwright tells of elements in
 * frames of other sites passes over the borders of these frames.
 */
export const originOf = async (frame: Frame): Promise<{ readonly x: number; readonly y: number } | null> => {
  const around = frame.parentFrame()
  if (around === null) return { x: 0, y: 0 }
  const owner = (await frame.frameElement()) as ElementHandle<Element>
  const [box, origin] = await Promise.all([owner.evaluate(inside), originOf(around)])
  await owner.dispose()
  return box === null || origin === null ? null : { x: origin.x + box.x, y: origin.y + box.y }
}

/** Runs in the page: where the document of a frame begins; `null` when there is nothing to be seen of it. */
export const inside = (element: Element) => {
  const { height, width, x, y } = element.getBoundingClientRect()
  const { paddingLeft, paddingTop } = getComputedStyle(element)
  if (height < 2 || width < 2) return null
  return {
    x: x + element.clientLeft + Number.parseFloat(paddingLeft),
    y: y + element.clientTop + Number.parseFloat(paddingTop)
  }
}

/** Where an element is to be seen in the window; `null` when it is not. */
export const boxOf = async (element: Locator, frame: Frame, timeout: number) => {
  if (frame.parentFrame() === null) return element.boundingBox({ timeout })
  const [box, origin] = await Promise.all([element.evaluate(outline, null, { timeout }), originOf(frame)])
  if (origin === null || box.width === 0 || box.height === 0) return null
  return { ...box, x: box.x + origin.x, y: box.y + origin.y }
}

/** Runs in the page. */
const outline = (element: Element) => {
  const { height, width, x, y } = element.getBoundingClientRect()
  return { height, width, x, y }
}

/** Runs in the page. */
const scroll = (element: Element): void => {
  const own = element as Element & { readonly scrollIntoViewIfNeeded?: (center: boolean) => void }
  own.scrollIntoViewIfNeeded?.(true)
}
