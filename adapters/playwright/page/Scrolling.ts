/**
 * Scrolling by the wheel, with what the page loads because of it.
 */
import { Clock, Effect } from "effect"
import type { ElementHandle, JSHandle } from "playwright-core"
import { PageFailure } from "../../../core/agent/page/PageFailure.ts"
import type { Direction, Position, Scrolling } from "../../../core/agent/page/Scrolling.ts"
import type { Target } from "../../../core/agent/page/Target.ts"
import * as Finder from "./Finder.ts"
import { framesInMiddle } from "./Middle.ts"
import type { Tabs } from "./Tabs.ts"
import { bringIntoSight, originOf } from "./Visible.ts"

/** How often it is looked whether the page has come to rest, in milliseconds. */
const lookMillis = 50

/** How long an end is watched for more to come when nothing is being loaded, in milliseconds. */
const endMillis = 1_000

/** How long the wheel is given to move something, in milliseconds. */
const startMillis = 300

/** How long one step waits at most for what it makes the page load, in milliseconds. */
const loadMillis = 5_000

/** A frame is scrolled like the page when it covers so much of the window. */
const largeFrame = 0.5

/** What is scrolled, and where it stands. */
interface Measure {
  readonly at: number
  /** How far it goes. */
  readonly extent: number
  readonly view: number
  /** How many elements it has. */
  readonly elements: number
  /** Where the wheel is turned. */
  readonly x: number
  readonly y: number
}

type Scroller = JSHandle<Element>

type Axis = "x" | "y"

const axisOf = (direction: Direction): Axis => (direction === "up" || direction === "down" ? "y" : "x")
const signOf = (direction: Direction): 1 | -1 => (direction === "down" || direction === "right" ? 1 : -1)

const isAtEnd = ({ at, extent, view }: Measure, sign: 1 | -1): boolean => (sign > 0 ? at + view >= extent - 2 : at <= 1)

export const make = (tabs: Tabs): Scrolling => {
  const { attempt, current } = tabs

  const measured = (scroller: Scroller, axis: Axis) => attempt(null, () => scroller.evaluate(measure, axis))

  /** What a wheel over the middle of the window scrolls: a frame that is most of the window, as long as it goes on, or the page. */
  const pageScroller = (direction: Direction) =>
    attempt(null, async () => {
      const { page } = current()
      const axis = axisOf(direction)
      await page.waitForLoadState("domcontentloaded")
      const frames = await framesInMiddle(page, largeFrame).catch(() => [])
      for (const frame of frames.filter((one) => one !== page.mainFrame())) {
        const scroller = (await frame.evaluateHandle(scrollerAt, axis)) as Scroller
        if (!isAtEnd(await scroller.evaluate(measure, axis), signOf(direction))) return scroller
        await scroller.dispose()
      }
      return (await page.evaluateHandle(scrollerAt, axis)) as Scroller
    })

  /** Waits until nothing moves, grows or is being loaded any more; at an end, a moment longer for what may come. */
  const settled = Effect.fnUntraced(function* (
    scroller: Scroller,
    { axis, from, sign, since, until }: { axis: Axis; from: Measure; sign: 1 | -1; since: number; until: number }
  ) {
    const last = Math.min(until, since + loadMillis)
    let before = from
    let quietSince = yield* Clock.currentTimeMillis
    while (true) {
      yield* Effect.sleep(lookMillis)
      const now = yield* Clock.currentTimeMillis
      const after = yield* measured(scroller, axis)
      const isSame = after.at === before.at && after.extent === before.extent && after.elements === before.elements
      if (!isSame || current().loading(since) > 0) quietSince = now
      before = after
      const grew = after.extent > from.extent || after.elements !== from.elements
      const quiet = isAtEnd(after, sign) && !grew ? endMillis : after.at === from.at ? startMillis : lookMillis
      if (now - quietSince >= quiet || now >= last) return after
    }
  })

  /** Turns the wheel once, and answers where that led. */
  const step = Effect.fnUntraced(function* (scroller: Scroller, direction: Direction, until: number) {
    const [axis, sign] = [axisOf(direction), signOf(direction)]
    const since = yield* Clock.currentTimeMillis
    const before = yield* measured(scroller, axis)
    const distance = Math.max(Math.round(before.view * 0.9), 40) * sign
    yield* attempt(null, async () => {
      const { mouse } = current().page
      const frame = await scroller.asElement()?.ownerFrame()
      const origin = (frame == null ? null : await originOf(frame)) ?? { x: 0, y: 0 }
      await mouse.move(origin.x + before.x, origin.y + before.y)
      await mouse.wheel(axis === "x" ? distance : 0, axis === "y" ? distance : 0)
    })
    const after = yield* settled(scroller, { axis, from: before, sign, since, until })
    if (after.at !== before.at || isAtEnd(before, sign)) return { before, after }
    // Something else lies under the wheel, or the page does not let it through.
    yield* attempt(null, () => scroller.evaluate(moveBy, [axis, distance] as const))
    return { before, after: yield* settled(scroller, { axis, from: before, sign, since, until }) }
  })

  const hasMoved = (one: Measure, other: Measure): boolean =>
    one.at !== other.at || one.extent !== other.extent || one.elements !== other.elements

  const late = (what: string, waitMillis: number): PageFailure =>
    new PageFailure({ kind: "unusable", reason: `${what} within ${waitMillis} ms (wait_time)` })

  const ticks = Effect.fnUntraced(function* (count: number, direction: Direction, waitMillis: number) {
    const until = (yield* Clock.currentTimeMillis) + waitMillis
    for (let done = 0; done < count; done++) {
      if ((yield* Clock.currentTimeMillis) > until)
        return yield* late(`only ${done} of ${count} ticks were done`, waitMillis)
      const { after, before } = yield* step(yield* pageScroller(direction), direction, until)
      if (isAtEnd(after, signOf(direction)) && !hasMoved(before, after)) return
    }
  })

  /** The one container that matches, or what scrolls in or around it. */
  const containerOf = (selector: string, axis: Axis, waitMillis: number) =>
    Effect.gen(function* () {
      let found: ElementHandle | null = null
      yield* Finder.onOne(tabs, { selector, waitMillis }, async (element, timeout) => {
        await bringIntoSight(element, timeout)
        found = await element.elementHandle({ timeout })
      })
      const handle = found as ElementHandle | null
      if (handle === null) return yield* late("the container was not found", waitMillis)
      return yield* attempt(selector, async () => (await handle.evaluateHandle(scrollerOf, axis)) as Scroller)
    })

  const isThere = (selector: string) =>
    Effect.map(
      attempt(selector, async () => (await Finder.every(current(), selector)).count()),
      (count) => count > 0
    )

  const show = (target: Target, position: Position) =>
    Finder.onOne(tabs, target, (element, timeout) => element.evaluate(intoView, position, { timeout }))

  /** Scrolls on until the element is there: to the end, and then once more from the start. */
  const find = Effect.fnUntraced(function* (
    scroller: Effect.Effect<Scroller, PageFailure>,
    { direction, position, selector }: { selector: string; direction: Direction; position: Position },
    waitMillis: number
  ) {
    const began = yield* Clock.currentTimeMillis
    const until = began + waitMillis
    const [axis, sign] = [axisOf(direction), signOf(direction)]
    let turned = isAtEnd(yield* measured(yield* scroller, axis), sign > 0 ? -1 : 1)
    while (!(yield* isThere(selector))) {
      if ((yield* Clock.currentTimeMillis) > until) {
        return yield* new PageFailure({ ...late("no such element came into being", waitMillis), selector, matched: 0 })
      }
      const one = yield* scroller
      const { after, before } = yield* step(one, direction, until)
      if (hasMoved(before, after) || !isAtEnd(after, sign)) continue
      if (turned) {
        // It may still come by itself.
        yield* Effect.sleep(lookMillis)
        continue
      }
      turned = true
      yield* attempt(null, () => one.evaluate(moveBy, [axis, -sign * after.extent] as const))
      yield* settled(one, { axis, from: after, sign, since: yield* Clock.currentTimeMillis, until })
    }
    const left = Math.max(until - (yield* Clock.currentTimeMillis), 1_000)
    yield* show({ selector, waitMillis: left }, position)
  })

  const toEnd = Effect.fnUntraced(function* (container: string, direction: Direction, waitMillis: number) {
    const until = (yield* Clock.currentTimeMillis) + waitMillis
    const scroller = yield* containerOf(container, axisOf(direction), waitMillis)
    while (true) {
      const { after, before } = yield* step(scroller, direction, until)
      if (isAtEnd(after, signOf(direction)) && !hasMoved(before, after)) return
      if ((yield* Clock.currentTimeMillis) > until) {
        return yield* new PageFailure({ ...late("its end was not reached", waitMillis), selector: container })
      }
    }
  })

  return {
    scroll: (scroll, waitMillis) =>
      Effect.suspend(() => {
        switch (scroll.kind) {
          case "ticks":
            return ticks(scroll.ticks, scroll.direction, waitMillis)
          case "element":
            return find(pageScroller("down"), { ...scroll, direction: "down" }, waitMillis)
          case "find":
            return find(containerOf(scroll.container, axisOf(scroll.direction), waitMillis), scroll, waitMillis)
          case "end":
            return toEnd(scroll.container, scroll.direction, waitMillis)
        }
      })
  }
}

/** Runs in the page. */
const scrollerAt = (axis: "x" | "y"): Element => {
  const scrolls = (one: Element): boolean => {
    const { overflowX, overflowY } = getComputedStyle(one)
    const room = axis === "y" ? one.scrollHeight - one.clientHeight : one.scrollWidth - one.clientWidth
    return room > 1 && /auto|scroll|overlay/.test(axis === "y" ? overflowY : overflowX)
  }
  const root = document.scrollingElement ?? document.documentElement
  const { clientHeight, clientWidth } = document.documentElement
  for (let one = document.elementFromPoint(clientWidth / 2, clientHeight / 2); one !== null; one = one.parentElement) {
    if (one !== root && one !== document.body && one !== document.documentElement && scrolls(one)) return one
  }
  return root
}

/** Runs in the page: the element itself, the largest in it, or the next one around it that scrolls. */
export const scrollerOf = (element: Node, axis: "x" | "y"): Element => {
  const scrolls = (one: Element): boolean => {
    const { overflowX, overflowY } = getComputedStyle(one)
    const room = axis === "y" ? one.scrollHeight - one.clientHeight : one.scrollWidth - one.clientWidth
    return room > 1 && /auto|scroll|overlay|hidden/.test(axis === "y" ? overflowY : overflowX)
  }
  const own = element as Element
  if (scrolls(own)) return own
  const size = (one: Element) => one.clientWidth * one.clientHeight
  const inner = [...own.querySelectorAll("*")].filter(scrolls).sort((a, b) => size(b) - size(a))[0]
  if (inner !== undefined) return inner
  for (let one = own.parentElement; one !== null; one = one.parentElement) if (scrolls(one)) return one
  return document.scrollingElement ?? document.documentElement
}

/** Runs in the page. */
const measure = (element: Element, axis: "x" | "y") => {
  const isRoot = element === document.scrollingElement || element === document.documentElement
  const { clientHeight, clientWidth } = document.documentElement
  const box = isRoot ? { left: 0, top: 0, right: clientWidth, bottom: clientHeight } : element.getBoundingClientRect()
  const [left, right] = [Math.max(box.left, 0), Math.min(box.right, clientWidth)]
  const [top, bottom] = [Math.max(box.top, 0), Math.min(box.bottom, clientHeight)]
  return {
    at: Math.round(Math.abs(axis === "y" ? element.scrollTop : element.scrollLeft)),
    extent: axis === "y" ? element.scrollHeight : element.scrollWidth,
    view: axis === "y" ? (isRoot ? clientHeight : element.clientHeight) : isRoot ? clientWidth : element.clientWidth,
    elements: element.getElementsByTagName("*").length,
    x: (left + right) / 2,
    y: (top + bottom) / 2
  }
}

/** Runs in the page. */
const moveBy = (element: Element, [axis, distance]: readonly ["x" | "y", number]): void =>
  element.scrollBy({ [axis === "y" ? "top" : "left"]: distance, behavior: "instant" })

/** Runs in the page. */
export const intoView = (element: Element, block: "start" | "center" | "end"): void =>
  element.scrollIntoView({ block, inline: "nearest", behavior: "instant" })
