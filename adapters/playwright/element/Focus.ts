/** The focused element of a tab, and the contents of frames. */
import type { Frame } from "playwright-core"
import * as World from "../inpage/World.ts"
import type { Tab } from "../page/Tabs.ts"

/** The name under which the focused element of a frame is kept in its world. */
export const name = "focus"

/** The innermost frame that has the focus, where its focused element is kept then; `null` where nothing can have it. */
export const find = async (tab: Tab): Promise<Frame | null> => {
  let found: Frame | null = null
  let next: Frame | null = tab.page.mainFrame()
  while (next !== null) {
    const frame: Frame = next
    const what = await World.run(tab, frame, "keepFocus", name)
    if (what === "nothing") break
    found = frame
    next = what === "frame" ? await frameIn(frame, name) : null
  }
  return found
}

/** The frame whose document is in the element that is kept under a name; `null` where there is none. */
export const frameIn = async (frame: Frame, name: string): Promise<Frame | null> => {
  const element = await World.kept(frame, name).elementHandle()
  const inner = (await element?.contentFrame()) ?? null
  await element?.dispose()
  return inner
}

/** The address of a frame. A document without one belongs to the document around it. */
export const addressOf = (frame: Frame): string => {
  let around = frame
  for (let parent = around.parentFrame(); parent !== null && /^(about|data|blob):/.test(around.url()); ) {
    around = parent
    parent = around.parentFrame()
  }
  return around.url()
}
