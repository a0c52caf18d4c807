/**
 * The frames in the middle of a window, where the wheel of a person who looks at it is turned.
 */
import type { ElementHandle, Frame, Page } from "playwright-core"

/** How deep frames are followed into one another. */
const deepest = 5

/**
 * The frames that lie under the middle of a window and cover at least a part of it, from 0 to 1; the innermost first, the
 * page itself last.
 */
export const framesInMiddle = async (page: Page, least: number): Promise<ReadonlyArray<Frame>> => {
  const main = page.mainFrame()
  const frames: Array<Frame> = [main]
  if (page.frames().length === 1) return frames
  const window = await main.evaluate(() => ({ width: innerWidth, height: innerHeight }))
  let at = { x: window.width / 2, y: window.height / 2 }
  for (let frame: Frame = main; frames.length <= deepest; ) {
    const handle = await frame.evaluateHandle(frameAt, at)
    const owner = handle.asElement() as ElementHandle<Element> | null
    const inner = await owner?.contentFrame()
    if (owner === null || inner == null) break
    const box = await owner.evaluate(boxOf)
    await owner.dispose()
    if (box.width * box.height < least * window.width * window.height) break
    at = { x: at.x - box.x, y: at.y - box.y }
    frames.unshift(inner)
    frame = inner
  }
  return frames
}

/** Runs in the page: the frame at a point, shadow roots looked into. */
const frameAt = ({ x, y }: { readonly x: number; readonly y: number }): Element | null => {
  let found = document.elementFromPoint(x, y)
  while (found?.shadowRoot != null) {
    const inner = found.shadowRoot.elementFromPoint(x, y)
    if (inner === null || inner === found) break
    found = inner
  }
  return found?.localName === "iframe" || found?.localName === "frame" ? found : null
}

/** Runs in the page: where the document of a frame begins, and how much of it is to be seen. */
const boxOf = (element: Element) => {
  const { bottom, left, right, top } = element.getBoundingClientRect()
  const { paddingLeft, paddingTop } = getComputedStyle(element)
  return {
    x: left + element.clientLeft + Number.parseFloat(paddingLeft),
    y: top + element.clientTop + Number.parseFloat(paddingTop),
    width: Math.max(Math.min(right, innerWidth) - Math.max(left, 0), 0),
    height: Math.max(Math.min(bottom, innerHeight) - Math.max(top, 0), 0)
  }
}
