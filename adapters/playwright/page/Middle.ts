/**
 * The frames in the middle of a window, where the wheel of a person who looks at it is turned.
 */
import type { ElementHandle, Frame, Page } from "playwright-core"
import { inside } from "./Visible.ts"

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
    const [begins, box] = await Promise.all([owner.evaluate(inside), owner.evaluate(seenOf)])
    await owner.dispose()
    if (begins === null || box.width * box.height < least * window.width * window.height) break
    at = { x: at.x - begins.x, y: at.y - begins.y }
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

/** Runs in the page: how much of a frame is to be seen. */
const seenOf = (element: Element) => {
  const { bottom, left, right, top } = element.getBoundingClientRect()
  return {
    width: Math.max(Math.min(right, innerWidth) - Math.max(left, 0), 0),
    height: Math.max(Math.min(bottom, innerHeight) - Math.max(top, 0), 0)
  }
}
