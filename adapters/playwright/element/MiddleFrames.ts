/**
 * The frames in the middle of a window, where the wheel of a person who looks at it is turned.
 */
import type { Frame } from "playwright-core"
import * as World from "../inpage/World.ts"
import type { Tab } from "../page/Tabs.ts"
import * as Focus from "./Focus.ts"

/** How deep frames are followed into one another. */
const deepest = 5

/** The name under which what is in the middle of a frame is kept. */
const name = "middle"

/**
 * The frames that lie under the middle of a window and cover at least a part of it, from 0 to 1; the innermost first, the
 * page itself last.
 */
export const framesInMiddle = async (tab: Tab, least: number): Promise<ReadonlyArray<Frame>> => {
  const main = tab.page.mainFrame()
  const frames: Array<Frame> = [main]
  if (tab.page.frames().length === 1) return frames
  const window = await World.run(tab, main, "windowSize", null)
  let at = { x: window.width / 2, y: window.height / 2 }
  for (let frame: Frame = main; frames.length <= deepest; ) {
    const found = await World.run(tab, frame, "keepFrameAt", { name, ...at })
    const isLarge = found !== null && found.width * found.height >= least * window.width * window.height
    const inner = isLarge ? await Focus.frameIn(frame, name) : null
    if (found === null || inner === null) break
    at = { x: at.x - found.x, y: at.y - found.y }
    frames.unshift(inner)
    frame = inner
  }
  return frames
}
