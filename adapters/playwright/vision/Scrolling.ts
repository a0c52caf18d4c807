/** Scrolling by the wheel, including content that the page loads meanwhile. */
import { Clock, Effect } from "effect"
import type { Frame } from "playwright-core"
import type { Elements } from "../../../core/browser/Elements.ts"
import type { ElementQuery } from "../../../core/browser/element/ElementQuery.ts"
import { PageFailure } from "../../../core/browser/PageFailure.ts"
import { type Direction, type Position, wheelPixels } from "../../../core/browser/vision/Scrolling.ts"
import * as Finder from "../element/Finder.ts"
import { framesInMiddle } from "../element/MiddleFrames.ts"
import { boxOf, bringIntoSight, originOf } from "../element/Visible.ts"
import * as World from "../inpage/World.ts"
import type { Tab, Tabs } from "../page/Tabs.ts"
import * as VirtualLists from "../settling/VirtualLists.ts"
import * as Pointer from "./Pointer.ts"

/** The interval at which the page is measured until it is at rest, in milliseconds. */
const lookMillis = 50

/** The number of consecutive measurements with the same position after which an element counts as at rest. */
const stillLooks = 2

/** How long the end of the content is watched for more content when nothing is being loaded, in milliseconds. */
const endMillis = 1_000

/** Maximum wait for the wheel to move the content, in milliseconds. */
const startMillis = 300

/** Maximum wait of one step for the content that it makes the page load, in milliseconds. */
const loadMillis = 5_000

/** The share of the viewport that a frame must cover to be scrolled like the page. */
const largeFrame = 0.5

/** The scrolled element, and its position. */
interface Measure {
  readonly at: number
  /** The length of its content. */
  readonly extent: number
  readonly view: number
  /** The number of its elements. */
  readonly elements: number
  /** The scroll offset of everything around it, frames included. A wheel event that it does not handle changes this. */
  readonly around: number
  /** The point at which the wheel is turned. */
  readonly x: number
  readonly y: number
}

/** The scrolled element: the element that is kept as `scroller` in a frame. */
interface Scroller {
  readonly tab: Tab
  readonly frame: Frame
}

type Axis = "x" | "y"

const axisOf = (direction: Direction): Axis => (direction === "up" || direction === "down" ? "y" : "x")
const signOf = (direction: Direction): 1 | -1 => (direction === "down" || direction === "right" ? 1 : -1)

const isAtEnd = ({ at, extent, view }: Measure, sign: 1 | -1): boolean => (sign > 0 ? at + view >= extent - 2 : at <= 1)

const hasMoved = (one: Measure, other: Measure): boolean =>
  one.at !== other.at || one.extent !== other.extent || one.elements !== other.elements

/** The frames that a frame is in. */
const framesAround = (frame: Frame): ReadonlyArray<Frame> => {
  const around = frame.parentFrame()
  return around === null ? [] : [around, ...framesAround(around)]
}

const measured = (tabs: Tabs, { frame, tab }: Scroller, axis: Axis) =>
  tabs.attempt(null, async (): Promise<Measure> => {
    const measure = await World.run(tab, frame, "measure", axis)
    const frames = framesAround(frame).map((frame) => World.run(tab, frame, "placeOfWindow", null))
    const places = await Promise.all(frames)
    return { ...measure, around: places.reduce((sum, { x, y }) => sum + x + y, measure.around) }
  })

/**
 * The element that a wheel in the middle of the viewport scrolls: a frame that covers most of it, if that can scroll,
 * otherwise the page.
 */
const pageScroller = (tabs: Tabs, direction: Direction) =>
  tabs.attempt(null, async (): Promise<Scroller> => {
    const tab = tabs.current()
    const main = tab.page.mainFrame()
    const axis = axisOf(direction)
    await tab.page.waitForLoadState("domcontentloaded")
    const frames = await framesInMiddle(tab, largeFrame).catch(() => [])
    for (const frame of frames.filter((frame) => frame !== main)) {
      await World.run(tab, frame, "keepScrollerInMiddle", axis)
      if (!isAtEnd(await World.run(tab, frame, "measure", axis), signOf(direction))) return { tab, frame }
    }
    await World.run(tab, main, "keepScrollerInMiddle", axis)
    return { tab, frame: main }
  })

/** Waits until nothing moves, grows or is being loaded; at the end of the content, a moment longer for more content. */
const settled = Effect.fnUntraced(function* (
  tabs: Tabs,
  scroller: Scroller,
  { axis, from, sign, since, until }: { axis: Axis; from: Measure; sign: 1 | -1; since: number; until: number }
) {
  const last = Math.min(until, since + loadMillis)
  let before = from
  let quietSince = yield* Clock.currentTimeMillis
  while (true) {
    yield* Effect.sleep(lookMillis)
    const now = yield* Clock.currentTimeMillis
    const after = yield* measured(tabs, scroller, axis)
    const isSame = !hasMoved(before, after) && after.around === before.around
    if (!isSame || tabs.current().pending.loading(since) > 0) quietSince = now
    before = after
    const grew = after.extent > from.extent || after.elements !== from.elements
    const quiet = isAtEnd(after, sign) && !grew ? endMillis : after.at === from.at ? startMillis : lookMillis
    if (now - quietSince >= quiet || now >= last) return after
  }
})

/** Turns the wheel once, and returns the measures before and after. */
const step = Effect.fnUntraced(function* (tabs: Tabs, scroller: Scroller, direction: Direction, until: number) {
  const [axis, sign] = [axisOf(direction), signOf(direction)]
  const since = yield* Clock.currentTimeMillis
  const before = yield* measured(tabs, scroller, axis)
  const distance = Math.max(Math.round(before.view * 0.9), 40) * sign
  yield* tabs.attempt(null, async () => {
    const { mouse } = tabs.current().page
    const origin = (await originOf(scroller.tab, scroller.frame)) ?? { x: 0, y: 0 }
    await mouse.move(origin.x + before.x, origin.y + before.y)
    await mouse.wheel(axis === "x" ? distance : 0, axis === "y" ? distance : 0)
  })
  const after = yield* settled(tabs, scroller, { axis, from: before, sign, since, until })
  if (after.at !== before.at || isAtEnd(before, sign)) return { before, after }
  // Another element is under the pointer, or the page cancels wheel events.
  yield* tabs.attempt(null, () => World.run(scroller.tab, scroller.frame, "moveBy", [axis, distance] as const))
  return { before, after: yield* settled(tabs, scroller, { axis, from: before, sign, since, until }) }
})

const late = (what: string, waitMillis: number): PageFailure =>
  new PageFailure({ kind: "unusable", reason: `${what} within ${waitMillis} ms (wait_time)` })

/** Turns the wheel so often; the first time in any case, so no wait never means no turn. */
const ticks = Effect.fnUntraced(function* (tabs: Tabs, count: number, direction: Direction, waitMillis: number) {
  const until = (yield* Clock.currentTimeMillis) + waitMillis
  for (let done = 0; done < count; done++) {
    if (done > 0 && (yield* Clock.currentTimeMillis) > until)
      return yield* late(`only ${done} of ${count} ticks were done`, waitMillis)
    const { after, before } = yield* step(tabs, yield* pageScroller(tabs, direction), direction, until)
    if (isAtEnd(after, signOf(direction)) && !hasMoved(before, after)) return
  }
})

/** The single matching container, or the scrolling element in or around it. */
const containerOf = (tabs: Tabs, selector: string, axis: Axis, waitMillis: number) =>
  Effect.gen(function* () {
    let found: Scroller | null = null
    yield* Finder.onOne(tabs, { selector, waitMillis }, async (element, timeout, frame) => {
      const tab = tabs.current()
      await bringIntoSight(tab, frame, element, timeout)
      await World.run(tab, frame, "keepScrollerOf", axis, { root: element, waitMillis: timeout })
      found = { tab, frame }
    })
    // The function above sets it, which the compiler does not follow.
    return (found as Scroller | null) ?? (yield* late("the container was not found", waitMillis))
  })

const isThere = (tabs: Tabs, selector: string) =>
  Effect.map(
    tabs.attempt(selector, async () => (await Finder.every(tabs.current(), selector)).all.count()),
    (count) => count > 0
  )

/** Scrolls to an element until it stays in place, because the page may still move after the wheel. */
const show = Effect.fnUntraced(function* (tabs: Tabs, target: ElementQuery, position: Position) {
  const until = (yield* Clock.currentTimeMillis) + target.waitMillis
  let place = ""
  for (let looks = 0, same = 0; same < stillLooks && (yield* Clock.currentTimeMillis) < until; looks++) {
    if (looks > 0) yield* Effect.sleep(lookMillis)
    const before = place
    yield* Finder.onOne(tabs, target, async (element, timeout, frame) => {
      await World.run(tabs.current(), frame, "intoView", position, { root: element, waitMillis: timeout })
      place = JSON.stringify(await boxOf(tabs.current(), frame, element, timeout))
    })
    same = place === before ? same + 1 : 0
  }
})

/** Scrolls until the element exists: to the end, and then once more from the start. */
const find = Effect.fnUntraced(function* (
  tabs: Tabs,
  scroller: Effect.Effect<Scroller, PageFailure>,
  { direction, position, selector }: { selector: string; direction: Direction; position: Position },
  waitMillis: number
) {
  const began = yield* Clock.currentTimeMillis
  const until = began + waitMillis
  const [axis, sign] = [axisOf(direction), signOf(direction)]
  let turned = isAtEnd(yield* measured(tabs, yield* scroller, axis), sign > 0 ? -1 : 1)
  while (!(yield* isThere(tabs, selector))) {
    if ((yield* Clock.currentTimeMillis) > until) {
      return yield* new PageFailure({ ...late("no such element appeared", waitMillis), selector, matched: 0 })
    }
    const one = yield* scroller
    const { after, before } = yield* step(tabs, one, direction, until)
    if (hasMoved(before, after) || !isAtEnd(after, sign)) continue
    if (turned) {
      // It may still appear without scrolling.
      yield* Effect.sleep(lookMillis)
      continue
    }
    turned = true
    yield* tabs.attempt(null, () => World.run(one.tab, one.frame, "moveBy", [axis, -sign * after.extent] as const))
    yield* settled(tabs, one, { axis, from: after, sign, since: yield* Clock.currentTimeMillis, until })
  }
  const left = Math.max(until - (yield* Clock.currentTimeMillis), 1_000)
  yield* show(tabs, { selector, waitMillis: left }, position)
})

const toEnd = Effect.fnUntraced(function* (tabs: Tabs, container: string, direction: Direction, waitMillis: number) {
  const until = (yield* Clock.currentTimeMillis) + waitMillis
  const scroller = yield* containerOf(tabs, container, axisOf(direction), waitMillis)
  while (true) {
    const { after, before } = yield* step(tabs, scroller, direction, until)
    if (isAtEnd(after, signOf(direction)) && !hasMoved(before, after)) {
      if (axisOf(direction) === "y") yield* tabs.attempt(null, () => VirtualLists.note(scroller.tab, scroller.frame))
      return
    }
    if ((yield* Clock.currentTimeMillis) > until) {
      return yield* new PageFailure({ ...late("its end was not reached", waitMillis), selector: container })
    }
  }
})

export const make = (tabs: Tabs): Pick<Elements, "scroll"> => ({
  scroll: (scroll, waitMillis) =>
    Effect.suspend(() => {
      switch (scroll.kind) {
        case "ticks":
          return ticks(tabs, scroll.ticks, scroll.direction, waitMillis)
        case "element":
          return find(tabs, pageScroller(tabs, "down"), { ...scroll, direction: "down" }, waitMillis)
        case "find":
          return find(
            tabs,
            containerOf(tabs, scroll.container, axisOf(scroll.direction), waitMillis),
            scroll,
            waitMillis
          )
        case "wheel":
          return Finder.onOne(tabs, { selector: scroll.selector, waitMillis }, async (element, timeout) => {
            const { page } = tabs.current()
            await element.hover({ timeout })
            const distance = wheelPixels * signOf(scroll.direction)
            const [dx, dy] = axisOf(scroll.direction) === "x" ? [distance, 0] : [0, distance]
            await Pointer.holding(page, scroll.keys, async () => {
              for (let done = 0; done < scroll.ticks; done++) await page.mouse.wheel(dx, dy)
            })
          })
        case "end":
          return toEnd(tabs, scroll.container, scroll.direction, waitMillis)
      }
    })
})
