/**
 * Clicks elements and points, with a gesture as a hand would.
 */
import { setTimeout as pause } from "node:timers/promises"
import type { Frame, Locator, Page } from "playwright-core"
import type { ClickKind } from "../../../core/browser/element/ElementQuery.ts"
import type { Gesture } from "../../../core/browser/vision/Pointer.ts"
import { bringIntoSight } from "../element/Visible.ts"
import * as World from "../inpage/World.ts"
import type { Tab } from "../page/Tabs.ts"

interface Point {
  readonly x: number
  readonly y: number
}

/** The pointer position of each window. Only gestures move the pointer, so this is where the last one left it. */
const pointers = new WeakMap<Page, Point>()

const corner: Point = { x: 40, y: 40 }

/** How long it is tried whether the element can be clicked at the place that the hand goes to, in milliseconds. */
const trialMillis = 1_000

/** Clicks an element, once the mouse is there in the way of the gesture where there is one. */
export const press = async (
  tab: Tab,
  frame: Frame,
  element: Locator,
  kind: ClickKind,
  timeout: number,
  gesture?: Gesture
): Promise<void> => {
  const until = Date.now() + timeout
  const position = gesture === undefined ? undefined : await moveTo(tab, frame, element, gesture, timeout)
  const left = { timeout: Math.max(until - Date.now(), 1) }
  const at = position === undefined ? left : { ...left, position }
  const held = gesture === undefined ? at : { ...at, delay: gesture.holdMillis }
  switch (kind) {
    case "click":
      return element.click(held)
    case "double_click":
      return element.dblclick(held)
    case "right_click":
      return element.click({ ...held, button: "right" })
    case "hover":
      return element.hover(at)
  }
}

/** Clicks a point of the window. */
export const pressAt = async (page: Page, { x, y }: Point, kind: ClickKind, gesture?: Gesture): Promise<void> => {
  if (gesture !== undefined) await follow(page, { x, y }, gesture)
  const held = gesture === undefined ? {} : { delay: gesture.holdMillis }
  switch (kind) {
    case "click":
      return page.mouse.click(x, y, held)
    case "double_click":
      return page.mouse.dblclick(x, y, held)
    case "right_click":
      return page.mouse.click(x, y, { ...held, button: "right" })
    case "hover":
      return page.mouse.move(x, y)
  }
}

/** Moves to a point of the window. */
const follow = async (page: Page, goal: Point, gesture: Gesture): Promise<void> => {
  const from = pointers.get(page) ?? corner
  const [dx, dy] = [goal.x - from.x, goal.y - from.y]
  for (const { along, aside, millis } of gesture.moves) {
    await page.mouse.move(from.x + dx * along - dy * aside, from.y + dy * along + dx * aside)
    await pause(millis)
  }
  pointers.set(page, goal)
}

/**
 * Moves to the element, and answers where in it a click is to fall. It answers nothing where a click there would not reach
 * the element, as with one that is partly covered: a click finds its own place then.
 */
const moveTo = async (
  tab: Tab,
  frame: Frame,
  element: Locator,
  gesture: Gesture,
  timeout: number
): Promise<Point | undefined> => {
  await bringIntoSight(tab, frame, element, timeout)
  const within = await World.run(tab, frame, "placeWithin", gesture.landing, { root: element, waitMillis: timeout })
  const box = await element.boundingBox({ timeout })
  if (box === null || within === null) return undefined
  await follow(tab.page, { x: box.x + within.x, y: box.y + within.y }, gesture)
  const reaches = await element
    .click({ trial: true, position: within, timeout: Math.min(timeout, trialMillis) })
    .then(() => true)
    .catch(() => false)
  return reaches ? within : undefined
}
