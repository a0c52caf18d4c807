/**
 * Whether a click of a control had an effect: a request, a change of the page, another focus, a dialog, a file or a tab.
 */
import { setTimeout as pause } from "node:timers/promises"
import type { Frame, Page } from "playwright-core"
import * as World from "../inpage/World.ts"
import type { Tab } from "../page/Tabs.ts"

/** What the browser tells of a page, of which a click may be the cause. */
const events = [
  "request",
  "websocket",
  "dialog",
  "download",
  "filechooser",
  "popup",
  "framenavigated",
  "frameattached",
  "close"
] as const

const counts = new WeakMap<Page, { count: number }>()

/** How many of these events a page has had since it is followed. */
export const seen = ({ devTools, page }: Pick<Tab, "devTools" | "page">): number => {
  const known = counts.get(page)
  if (known !== undefined) return known.count
  const state = { count: 0 }
  counts.set(page, state)
  const note = () => void state.count++
  // The overloads of `on` take one name each.
  for (const event of events) page.on(event as "close", note)
  // A tab is announced there when it is asked for; it is a popup once it has been opened.
  devTools().then(
    (line) => void line.on("Page.windowOpen", note),
    () => undefined
  )
  return 0
}

/** How long an effect may take that nothing announces, in milliseconds. */
const effectMillis = 150

/** Whether nothing has come of a click in a frame since `before`, of a control of a document whose changes can be seen. */
export const isWithout = async (tab: Tab, frame: Frame, before: number): Promise<boolean> => {
  const isQuiet = async (): Promise<boolean> => {
    if (tab.isGone() || tab.isDeparting() || seen(tab) > before || tab.pending.lastStream() > 0) return false
    const since = performance.now()
    await World.run(tab, frame, "frame", null).catch(() => null)
    const [now] = World.stirringSince([frame], since)
    return now?.quiet === true && !now.actTimer
  }
  if (!(await isQuiet())) return false
  await pause(effectMillis)
  return isQuiet()
}
