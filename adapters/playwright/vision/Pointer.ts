/**
 * Clicks elements and points, with a gesture as a hand would.
 */
import { setTimeout as pause } from "node:timers/promises"
import type { Frame, Locator, Page } from "playwright-core"
import type { ClickKind } from "../../../core/browser/element/ElementQuery.ts"
import type { Aim, HeldKey, Offset } from "../../../core/browser/vision/Dragging.ts"
import type { Gesture } from "../../../core/browser/vision/Pointer.ts"
import type { Box } from "../../../core/browser/vision/Sight.ts"
import { boxOf, bringIntoSight, originOf } from "../element/Visible.ts"
import * as World from "../inpage/World.ts"
import { arriving } from "../page/Arrival.ts"
import { Refused } from "../page/Attempt.ts"
import type { Tab } from "../page/Tabs.ts"

interface Point {
  readonly x: number
  readonly y: number
}

/** The pointer position of each tab. Only gestures move the pointer, so this is where the last one left it. */
const pointers = new WeakMap<Page, Point>()

const corner: Point = { x: 40, y: 40 }

/** How long it is tried whether the element can be clicked at the place that the hand goes to, in milliseconds. */
const trialMillis = 1_000

/**
 * The least time for a click after a gesture, in milliseconds. The gesture takes a part of the time for the element, and a
 * click whose button is held is not cut off.
 */
const clickMillis = 5_000

/** Maximum wait for a page to render a move, in milliseconds. */
const drawnMillis = 250

/** Maximum wait for what a page loads when the pointer comes, in milliseconds. */
const loadMillis = 2_000

/** The number of moves on the way to an element. */
const steps = 5

/** Clicks an element, once the mouse is there in the way of the gesture where there is one. */
export const press = async (
  tab: Tab,
  frame: Frame,
  element: Locator,
  kind: ClickKind,
  timeout: number,
  gesture?: Gesture,
  { at: wanted, keys }: Aim = { keys: [] }
): Promise<void> => {
  const until = Date.now() + timeout
  const chosen = wanted === undefined ? undefined : await within(tab, frame, element, wanted, timeout)
  const reached =
    gesture === undefined ? undefined : await moveTo(tab, frame, element, gesture, timeout, chosen?.position)
  const position = chosen?.position ?? reached
  const least = gesture === undefined ? 1 : clickMillis
  const left = { timeout: Math.max(until - Date.now(), least), modifiers: [...keys] }
  const at = position === undefined ? left : { ...left, position }
  const held = gesture === undefined ? at : { ...at, delay: gesture.holdMillis }
  const pressing = (act: Promise<void>) => arriving(tab, gesture !== undefined, act)
  const act = async (press: "near" | "there"): Promise<void> => {
    const locator = World.pressed(element, press)
    switch (kind) {
      case "click":
        return pressing(locator.click(held))
      case "double_click":
        return pressing(locator.dblclick(held))
      case "triple_click":
        return pressing(locator.click({ ...held, clickCount: 3 }))
      case "right_click":
        return pressing(locator.click({ ...held, button: "right" }))
      case "middle_click":
        return pressing(locator.click({ ...held, button: "middle" }))
      case "hover":
        return arriving(tab, false, locator.hover(at))
      case "press":
      case "release":
        await arriving(tab, false, locator.hover(at))
        return holding(tab.page, keys, () => (kind === "press" ? tab.page.mouse.down() : tab.page.mouse.up()))
    }
  }
  try {
    // A pointer that only moves there changes what it changes.
    await act(kind === "hover" ? "there" : "near")
  } catch (error) {
    const signal = World.signalOf(error)?.kind
    if (signal === "area") return pressAt(tab.page, await inArea(tab, frame, element, timeout), kind, gesture, keys)
    if (signal !== "hover") throw error
    await approach(tab, frame, element, chosen?.position, timeout)
    await act("there")
  }
}

/** Moves to an element as a hand does, by way of what is before it, and waits for what the page shows then. */
const approach = async (tab: Tab, frame: Frame, element: Locator, at: Point | undefined, timeout: number) => {
  await bringIntoSight(tab, frame, element, timeout)
  const box = await boxOf(tab, frame, element, timeout)
  if (box === null) return
  const since = Date.now()
  const { x, y } = at ?? { x: box.width / 2, y: box.height / 2 }
  await tab.page.mouse.move(box.x + x, box.y + y, { steps })
  do await drawn(tab.page)
  while (tab.pending.loading(since) > 0 && Date.now() - since < loadMillis)
}

/** A point of the viewport in an area of a picture. */
const inArea = async (tab: Tab, frame: Frame, element: Locator, timeout: number): Promise<Point> => {
  const place = await World.run(tab, frame, "placeOfArea", null, { root: element, waitMillis: timeout })
  const origin = await originOf(tab, frame)
  if (place === null || origin === null) {
    throw new Refused("unusable", "the area is nowhere on its picture, or something lies over it")
  }
  return { x: origin.x + place.x, y: origin.y + place.y }
}

/** Does something while keys are held. */
export const holding = async (
  { keyboard }: Page,
  keys: ReadonlyArray<HeldKey>,
  act: () => Promise<void>
): Promise<void> => {
  for (const key of keys) await keyboard.down(key)
  try {
    await act()
  } finally {
    for (const key of keys) await keyboard.up(key).catch(() => undefined)
  }
}

/** A place in an element as Playwright takes it, once the element is in view. Fails where it is outside of the element. */
export const within = async (
  tab: Tab,
  frame: Frame,
  element: Locator,
  { x, y }: Offset,
  timeout: number
): Promise<{ readonly position: Point; readonly box: Box }> => {
  await bringIntoSight(tab, frame, element, timeout)
  const box = await boxOf(tab, frame, element, timeout)
  if (box === null) throw new Refused("unusable", "the element has no size")
  const position = { x: x < 0 ? box.width + x : x, y: y < 0 ? box.height + y : y }
  if (position.x >= 0 && position.y >= 0 && position.x < box.width && position.y < box.height) return { position, box }
  const size = `${Math.round(box.width)} × ${Math.round(box.height)} pixels`
  throw new Refused("unusable", `the place ${JSON.stringify({ x, y })} is outside of the element, which has ${size}`)
}

/** Clicks a point of the viewport. */
export const pressAt = async (
  page: Page,
  point: Point,
  kind: ClickKind,
  gesture?: Gesture,
  keys: ReadonlyArray<HeldKey> = []
): Promise<void> => holding(page, keys, () => pressPoint(page, point, kind, gesture))

const pressPoint = async (page: Page, { x, y }: Point, kind: ClickKind, gesture?: Gesture): Promise<void> => {
  if (gesture !== undefined) await follow(page, { x, y }, gesture)
  const held = gesture === undefined ? {} : { delay: gesture.holdMillis }
  switch (kind) {
    case "click":
      return page.mouse.click(x, y, held)
    case "double_click":
      return page.mouse.dblclick(x, y, held)
    case "triple_click":
      return page.mouse.click(x, y, { ...held, clickCount: 3 })
    case "right_click":
      return page.mouse.click(x, y, { ...held, button: "right" })
    case "middle_click":
      return page.mouse.click(x, y, { ...held, button: "middle" })
    case "hover":
      return page.mouse.move(x, y)
    case "press":
    case "release":
      await page.mouse.move(x, y)
      return kind === "press" ? page.mouse.down() : page.mouse.up()
  }
}

/** Moves to a point of the viewport, from where the pointer was left where no start is given. */
export const follow = async (page: Page, goal: Point, gesture: Gesture, start?: Point): Promise<void> => {
  const from = start ?? pointers.get(page) ?? corner
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
  timeout: number,
  chosen: Point | undefined
): Promise<Point | undefined> => {
  await bringIntoSight(tab, frame, element, timeout)
  const within =
    chosen ?? (await World.run(tab, frame, "placeWithin", gesture.landing, { root: element, waitMillis: timeout }))
  const box = await element.boundingBox({ timeout })
  if (box === null || within === null) return undefined
  await follow(tab.page, { x: box.x + within.x, y: box.y + within.y }, gesture)
  const reaches = await element
    .click({ trial: true, position: within, timeout: Math.min(timeout, trialMillis) })
    .then(() => true)
    .catch(() => false)
  return reaches ? within : undefined
}

/** Waits until the page has rendered, or for `drawnMillis`. Many pages update what they show with each frame. */
export const drawn = async (page: Page): Promise<void> => {
  const twice = page
    .evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
    .catch(() => undefined)
  await Promise.race([twice, new Promise((resolve) => setTimeout(resolve, drawnMillis))])
}
