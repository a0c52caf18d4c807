/**
 * Moves the mouse to an element as a hand would.
 */
import { setTimeout as pause } from "node:timers/promises"
import type { Frame, Locator, Page } from "playwright-core"
import type { Gesture } from "../../../core/agent/page/Pointer.ts"
import type { World as InPage } from "../inpage/InWorld.ts"
import * as World from "../inpage/World.ts"
import type { Tab } from "./Tabs.ts"

interface Point {
  readonly x: number
  readonly y: number
}

/** Where the pointer of each window is. Nobody else moves it by hand, so this is where the last gesture left it. */
const pointers = new WeakMap<Page, Point>()

const corner: Point = { x: 40, y: 40 }

/** How long it is tried whether the element can be clicked at the place that the hand goes to, in milliseconds. */
const trialMillis = 1_000

/**
 * Moves to the element, and answers where in it a click is to fall. It answers nothing where a click there would not reach
 * the element, as with one that is partly covered: a click finds its own place then.
 */
export const moveTo = async (
  tab: Tab,
  frame: Frame,
  element: Locator,
  gesture: Gesture,
  timeout: number
): Promise<Point | undefined> => {
  const { page } = tab
  await element.scrollIntoViewIfNeeded({ timeout })
  const within = await World.run(tab, frame, place, gesture.landing, { root: element, waitMillis: timeout })
  const box = await element.boundingBox({ timeout })
  if (box === null || within === null) return undefined
  const goal = { x: box.x + within.x, y: box.y + within.y }
  const from = pointers.get(page) ?? corner
  const [dx, dy] = [goal.x - from.x, goal.y - from.y]
  for (const { along, aside, millis } of gesture.moves) {
    await page.mouse.move(from.x + dx * along - dy * aside, from.y + dy * along + dx * aside)
    await pause(millis)
  }
  pointers.set(page, goal)
  const reaches = await element
    .click({ trial: true, position: within, timeout: Math.min(timeout, trialMillis) })
    .then(() => true)
    .catch(() => false)
  return reaches ? within : undefined
}

/** Runs in the page: a place within the first box of the element, which may have several where its text wraps. */
const place = (landing: Point, _world: InPage, element: Element): Point | null => {
  const whole = element.getBoundingClientRect()
  const box = [...element.getClientRects()].find(({ height, width }) => height >= 1 && width >= 1)
  if (box === undefined) return null
  return { x: box.x - whole.x + box.width * landing.x, y: box.y - whole.y + box.height * landing.y }
}
