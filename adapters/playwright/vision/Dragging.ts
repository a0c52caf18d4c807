/**
 * Dragging with the mouse. Playwright turns the moves into the events of HTML drag and drop where the browser begins one.
 */
import { Effect } from "effect"
import type { Frame, Locator, Page } from "playwright-core"
import type { Elements } from "../../../core/browser/Elements.ts"
import { PageFailure } from "../../../core/browser/PageFailure.ts"
import {
  type Destination,
  type Drag,
  dragMillis,
  type HeldKey,
  type Offset
} from "../../../core/browser/vision/Dragging.ts"
import type { Gesture } from "../../../core/browser/vision/Pointer.ts"
import * as Finder from "../element/Finder.ts"
import { boxOf, bringIntoSight, originOf } from "../element/Visible.ts"
import * as World from "../inpage/World.ts"
import { Refused } from "../page/Attempt.ts"
import type { Tab, Tabs } from "../page/Tabs.ts"
import * as Pointer from "./Pointer.ts"

/** The number of moves on a straight path. Pages start a drag after some pixels, and track it across elements. */
const steps = 12

/** How long the pointer rests at the end of a straight path, in milliseconds. Many pages read its position a few times a second. */
const restMillis = 250

export const make =
  (tabs: Tabs): Elements["drag"] =>
  (query, drag) => {
    const { to } = drag
    const source = Finder.onOne(tabs, query, (element, timeout, frame) => {
      const tab = tabs.current()
      return to.kind === "text"
        ? over(tab, frame, element, to.text, drag, timeout)
        : from(tab, frame, element, to, drag, timeout)
    })
    const target =
      to.kind === "element"
        ? Finder.onOne(tabs, to.query, (element, timeout) => element.waitFor({ state: "visible", timeout }))
        : Effect.void
    return tabs.following(Effect.andThen(target, source))
  }

/** Presses the button at a point of the viewport, moves through points that are counted from there, and releases it. */
export const along = (
  page: Page,
  start: Offset,
  points: ReadonlyArray<Offset>,
  keys: ReadonlyArray<HeldKey>,
  gesture?: Gesture
): Promise<void> =>
  pressed(page, start, keys, gesture, async (move) => {
    const places = points.map(({ x, y }) => ({ x: start.x + x, y: start.y + y }))
    const [goal] = places
    if (goal !== undefined && places.length === 1) return await straight(page, goal, move)
    for (const place of places) await move(place, false)
  })

/** Moves to a place straight, and rests there until the page has seen it. */
const straight = async (page: Page, goal: Offset, move: Move): Promise<void> => {
  await move(goal, true)
  await new Promise((resolve) => setTimeout(resolve, restMillis))
  await page.mouse.move(goal.x, goal.y)
}

/** Drags an element. */
const from = async (
  tab: Tab,
  frame: Frame,
  element: Locator,
  to: Exclude<Destination, { readonly kind: "text" }>,
  { at, gesture, keys }: Drag,
  timeout: number
): Promise<void> => {
  const start = await startOf(tab, frame, element, at, timeout)
  if (to.kind === "path") return along(tab.page, start, to.points, keys, gesture)
  await pressed(tab.page, start, keys, gesture, async (move) => {
    await straight(tab.page, await goalOf(tab, to, timeout), move)
  })
}

/** The point at which an element is picked up, when nothing covers it. */
const startOf = async (
  tab: Tab,
  frame: Frame,
  element: Locator,
  at: Offset | undefined,
  timeout: number
): Promise<Offset> => {
  await bringIntoSight(tab, frame, element, timeout)
  const position =
    at === undefined
      ? await World.run(tab, frame, "placeWithin", { x: 0.5, y: 0.5 }, { root: element, waitMillis: timeout })
      : (await Pointer.within(tab, frame, element, at, timeout)).position
  if (position === null) throw new Refused("unusable", "the element has no size")
  await element.hover({ trial: true, position, timeout })
  const box = await boxOf(tab, frame, element, timeout)
  if (box === null) throw new Refused("unusable", "the element has no size")
  return { x: box.x + position.x, y: box.y + position.y }
}

/** The point at which the drag ends. It is measured now, because the dragged element may have moved the target. */
const goalOf = async (
  tab: Tab,
  { at, query }: Extract<Destination, { readonly kind: "element" }>,
  timeout: number
): Promise<Offset> => {
  const { all, frame } = await Finder.every(tab, query.selector)
  const element = all.first()
  await bringIntoSight(tab, frame, element, timeout)
  if (at !== undefined) {
    const { box, position } = await Pointer.within(tab, frame, element, at, timeout)
    return { x: box.x + position.x, y: box.y + position.y }
  }
  const box = await boxOf(tab, frame, element, timeout)
  if (box === null) throw new Refused("unusable", "the target has no size")
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
}

/** Selects a range of the text of an element by dragging; in a field, directly. */
const over = async (
  tab: Tab,
  frame: Frame,
  element: Locator,
  text: string,
  { gesture, keys }: Drag,
  timeout: number
): Promise<void> => {
  await bringIntoSight(tab, frame, element, timeout)
  const found = await World.run(tab, frame, "stretchOf", text, { root: element, waitMillis: timeout })
  if (found === null) throw new Refused("unusable", "the element does not show the text to select")
  if (found === "field") return
  const origin = (await originOf(tab, frame)) ?? { x: 0, y: 0 }
  const start = { x: origin.x + found.from.x, y: origin.y + found.from.y }
  await pressed(tab.page, start, keys, gesture, async (move) => {
    await move({ x: origin.x + found.to.x, y: origin.y + found.to.y }, true)
    await World.run(tab, frame, "selectStretch", null)
  })
}

type Move = (to: Offset, isStraight: boolean) => Promise<void>

/** Holds the left button while the pointer moves. It is released in every case. */
const pressed = async (
  page: Page,
  start: Offset,
  keys: ReadonlyArray<HeldKey>,
  gesture: Gesture | undefined,
  act: (move: Move) => Promise<void>
): Promise<void> => {
  const { mouse } = page
  await (gesture === undefined ? mouse.move(start.x, start.y) : Pointer.follow(page, start, gesture))
  await Pointer.holding(page, keys, async () => {
    await mouse.down()
    const until = Date.now() + dragMillis
    let last = start
    const move: Move = async (to, isStraight) => {
      if (Date.now() > until) throw new Refused("unusable", `the page took longer than ${dragMillis} ms for the drag`)
      if (!isStraight) await mouse.move(to.x, to.y)
      else if (gesture === undefined) await mouse.move(to.x, to.y, { steps })
      else await Pointer.follow(page, to, gesture, last)
      last = to
    }
    try {
      await act(move)
      await Pointer.drawn(page)
    } catch (error) {
      await mouse.up().catch(() => undefined)
      if (page.isClosed()) throw error
      const reason = (error instanceof Error ? error.message : String(error)).split("\n")[0] ?? ""
      throw new PageFailure({ kind: "unusable", reason: `${reason}, after it was picked up`, acted: true })
    }
    await mouse.up()
  })
}
