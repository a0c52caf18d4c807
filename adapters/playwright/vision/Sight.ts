/**
 * Looking at a page and acting on it without a selector, done by Playwright.
 */
import { Effect } from "effect"
import type { Frame, Page } from "playwright-core"
import type { Elements } from "../../../core/browser/Elements.ts"
import type { ClickKind } from "../../../core/browser/element/ElementQuery.ts"
import type { Navigation } from "../../../core/browser/Navigation.ts"
import { PageFailure } from "../../../core/browser/PageFailure.ts"
import type { Vision } from "../../../core/browser/Vision.ts"
import type { HeldKey } from "../../../core/browser/vision/Dragging.ts"
import type { Gesture } from "../../../core/browser/vision/Pointer.ts"
import type { Position } from "../../../core/browser/vision/Scrolling.ts"
import type { Covered } from "../../../core/browser/vision/Shot.ts"
import type { Box, OutlineElement, PointerTarget, Seen } from "../../../core/browser/vision/Sight.ts"
import type { Target, Targets } from "../../../core/browser/vision/Targets.ts"
import type { Typing } from "../../../core/browser/vision/Typing.ts"
import * as Finder from "../element/Finder.ts"
import * as Focus from "../element/Focus.ts"
import { framesInMiddle } from "../element/MiddleFrames.ts"
import { typeFocused } from "../element/Typing.ts"
import { isShown, keepOwner, originOf } from "../element/Visible.ts"
import * as World from "../inpage/World.ts"
import type { Tab, Tabs } from "../page/Tabs.ts"
import * as Dragging from "./Dragging.ts"
import * as Pointer from "./Pointer.ts"

/** How many frames beside the page itself are described. */
const maxFrames = 20

/** How long a page may take to describe itself, in milliseconds. */
const inspectionMillis = 5_000

/** How long a frame may take to say where it is, in milliseconds. */
const frameMillis = 1_000

/** An element by the name under which it is kept in a frame. */
interface NamedElement {
  readonly frame: Frame
  readonly name: string
}

/** The name under which the element at a point is kept. */
const pointed = "pointed"

const bounded = <A>(effect: Effect.Effect<A, PageFailure>) =>
  Effect.timeoutOrElse(effect, {
    duration: inspectionMillis,
    orElse: () =>
      Effect.fail(
        new PageFailure({ kind: "unusable", reason: `the page could not be read within ${inspectionMillis} ms` })
      )
  })

export const make = (tabs: Tabs): Vision & Pick<Elements, "readable" | "turn"> & Pick<Navigation, "visited"> => {
  const { attempt, current } = tabs
  let known = new Map<string, NamedElement>()
  const hosts = visits(current().page)

  const elementAt = async (place: PointerTarget): Promise<NamedElement | null> => {
    if (place._tag === "Ref") return known.get(place.ref) ?? null
    const frame = await under(current(), current().page.mainFrame(), place.x, place.y)
    return frame === null ? null : { frame, name: pointed }
  }

  const gone = (place: PointerTarget): PageFailure =>
    new PageFailure({
      kind: "mismatch",
      reason: place._tag === "Ref" ? `the page no longer has the element ${place.ref}` : "nothing is at this point",
      matched: 0
    })

  const isWithin = async ({ x, y }: Extract<PointerTarget, { _tag: "Point" }>): Promise<boolean> => {
    const { height, width } = await World.run(current(), current().page.mainFrame(), "windowSize", null)
    return x >= 0 && y >= 0 && x < width && y < height
  }

  const clickAt = Effect.fnUntraced(function* (
    place: PointerTarget,
    kind: ClickKind,
    waitMillis: number,
    gesture?: Gesture,
    keys: ReadonlyArray<HeldKey> = []
  ) {
    if (place._tag === "Point") {
      if (!(yield* attempt("this point", () => isWithin(place)))) return yield* gone(place)
      return yield* attempt("this point", () => Pointer.pressAt(current().page, place, kind, gesture, keys))
    }
    const element = yield* attempt(place.ref, () => elementAt(place))
    if (element === null) return yield* gone(place)
    const { frame, name } = element
    const timeout = Math.max(waitMillis, 1)
    yield* attempt(place.ref, () =>
      Pointer.press(current(), frame, World.kept(frame, name), kind, timeout, gesture, { keys })
    ).pipe(
      Effect.mapError((failure) => {
        if (/sluice:gone|not attached|detached/.test(failure.reason)) return gone(place)
        const reason = `the element did not become visible, enabled and still within ${waitMillis} ms`
        return failure.kind === "mismatch" ? new PageFailure({ kind: "unusable", reason }) : failure
      })
    )
  })

  return {
    visited: Effect.sync(() => hosts),
    outline: ({ maxElements }) =>
      bounded(
        attempt(null, async () => {
          const { refs, seen } = await described(current(), maxElements)
          known = refs
          return seen
        })
      ),
    targets: ({ maxElements }) => bounded(attempt(null, () => targetsOf(current(), maxElements))),
    texts: bounded(attempt(null, () => textsOf(current(), false))),
    look: (covered) =>
      attempt(null, () => pictureOf(current(), covered)).pipe(
        Effect.map((bytes) => ({ bytes: new Uint8Array(bytes), mediaType: "image/jpeg" }))
      ),
    clickAt,
    dragAt: Effect.fnUntraced(function* (point, points, keys, gesture) {
      const last = points.at(-1) ?? { x: 0, y: 0 }
      for (const { x, y } of [point, { x: point.x + last.x, y: point.y + last.y }]) {
        const place = { _tag: "Point", x, y } as const
        if (!(yield* attempt("this point", () => isWithin(place)))) return yield* gone(place)
      }
      yield* attempt("this point", () => Dragging.along(current().page, point, points, keys, gesture))
    }),
    typeAt: Effect.fnUntraced(function* (place: PointerTarget, typing: Typing, waitMillis: number, gesture?: Gesture) {
      yield* clickAt(place, "click", waitMillis, gesture)
      const { keyboard } = current().page
      yield* attempt(null, async () => {
        if (typing.existing === "keep") await keyboard.press("End")
        else {
          await keyboard.press("ControlOrMeta+a")
          await keyboard.press("Backspace")
        }
        await typeFocused(current(), typing)
      })
    }),
    spot: (place) =>
      attempt(null, async () => {
        const tab = current()
        const focus = place === null ? await Focus.find(tab) : null
        const element = place === null ? focus && { frame: focus, name: Focus.name } : await elementAt(place)
        const selector = element === null ? null : await pathTo(tab, element)
        return { address: Focus.addressOf(element?.frame ?? tab.page.mainFrame()), selector }
      }),
    turn: (direction, container) =>
      Effect.tap(
        attempt(container, () => turned(current(), direction, container)),
        // Content that comes into view is loaded then.
        () => Effect.sleep(settleMillis)
      ),
    show: Effect.fnUntraced(function* (place: PointerTarget, position: Position) {
      const element = yield* attempt("this place", () => elementAt(place))
      if (element === null) return yield* gone(place)
      const root = World.kept(element.frame, element.name)
      yield* attempt("this place", () => World.run(current(), element.frame, "intoView", position, { root }))
      yield* Effect.sleep(settleMillis)
    }),
    readable: (selector, options) =>
      attempt(selector, async () => {
        const tab = current()
        await tab.page.waitForLoadState("domcontentloaded", { timeout: inspectionMillis })
        return Finder.onEvery(tab, selector ?? "css=body", "readable", options)
      })
  }
}

/** The page itself, and those of its frames that answer. */
const framesOf = async (tab: Tab): Promise<ReadonlyArray<Frame>> => {
  const main = tab.page.mainFrame()
  const others = tab.page.frames().filter((frame) => frame !== main)
  return [main, ...(await Finder.answering(tab, others.slice(0, maxFrames)))]
}

/** The result of an action in a frame. A frame other than the page itself may be gone by then. */
const inFrame = <A>(frame: Frame, act: () => Promise<A>, otherwise: A): Promise<A> =>
  frame.parentFrame() === null ? act() : act().catch(() => otherwise)

/** The elements of a window that can be acted on, with where each is kept. */
const described = async (tab: Tab, maxElements: number) => {
  const { page } = tab
  await page.waitForLoadState("domcontentloaded", { timeout: inspectionMillis })
  const refs = new Map<string, NamedElement>()
  const elements: Array<OutlineElement> = []
  let more = 0
  let main = { title: "", width: 0, height: 0 }
  for (const [number, frame] of (await framesOf(tab)).entries()) {
    const isSeen = await inFrame(frame, () => isShown(frame), false)
    const origin = isSeen ? await inFrame(frame, () => originOf(tab, frame), null) : null
    if (origin === null) continue
    const room = Math.max(maxElements - elements.length, 0)
    const found = await inFrame(frame, () => World.run(tab, frame, "outline", room), null)
    if (found === null) continue
    if (number === 0) main = found
    more += found.more
    for (const [index, { box, ...one }] of found.listed.entries()) {
      const ref = number === 0 ? `e${index + 1}` : `f${number}e${index + 1}`
      refs.set(ref, { frame, name: `outlined ${index}` })
      elements.push({ ...one, ref, box: box === null ? null : seenOf(moved(box, origin), main) })
    }
  }
  const window = { width: main.width, height: main.height }
  return { refs, seen: { address: page.url(), title: main.title, window, elements, more } }
}

/** What can be pointed at in a window, with selectors that lead through the frames on the way. */
const targetsOf = async (tab: Tab, maxElements: number): Promise<Targets> => {
  await tab.page.waitForLoadState("domcontentloaded", { timeout: inspectionMillis })
  const elements: Array<Target> = []
  let main = { title: "", width: 0, height: 0 }
  for (const [number, frame] of (await framesOf(tab)).entries()) {
    const isSeen = await inFrame(frame, () => isShown(frame), false)
    const origin = isSeen ? await inFrame(frame, () => originOf(tab, frame), null) : null
    const way = origin === null ? null : await inFrame(frame, () => wayTo(tab, frame), null)
    if (origin === null || way === null) continue
    const room = Math.max(maxElements - elements.length, 0)
    const found = await inFrame(frame, () => World.run(tab, frame, "targets", room), null)
    if (found === null) continue
    if (number === 0) main = { title: found.title, width: found.width, height: found.height }
    for (const element of found.elements) {
      const box = seenOf(moved(element.box, origin), main)
      const selectors = element.selectors.flatMap(({ matches, selector }) => {
        const whole = across(way, selector)
        return whole === null ? [] : [{ matches, selector: whole }]
      })
      const row = element.row === null ? null : across(way, element.row.selector)
      if (box === null || selectors.length === 0) continue
      const inRow = element.row === null || row === null ? null : { ...element.row, selector: row }
      elements.push({ ...element, box, selectors, row: inRow })
    }
  }
  return { ...main, elements }
}

/** The path to a frame, through those that it is in; empty for the page itself, and `null` when there is none. */
const wayTo = async (tab: Tab, frame: Frame): Promise<string | null> => {
  const parent = frame.parentFrame()
  return parent === null ? "" : pathTo(tab, { frame: parent, name: await keepOwner(frame) })
}

/** A selector that leads through a frame; `null` where the two cannot be written as one. */
const across = (way: string, selector: string): string | null =>
  way === "" ? selector : selector.startsWith("/") ? way + selector : null

/** The texts of a window, or of the whole page, each with where it is in the window. */
const textsOf = async (tab: Tab, isWhole: boolean): Promise<ReadonlyArray<Seen>> => {
  const seen: Array<Seen> = []
  const read = await framesOf(tab)
  for (const frame of tab.page.frames()) {
    const found = read.includes(frame)
      ? await inFrame<ReadonlyArray<Seen> | null>(
          frame,
          // A frame is captured at its own size.
          () => World.run(tab, frame, "texts", isWhole && frame === tab.page.mainFrame()),
          null
        )
      : null
    const origin = found === null ? null : await inFrame(frame, () => originOf(tab, frame), null)
    if (found === null) seen.push(...(await unreadable(frame)))
    else if (origin !== null) seen.push(...found.map((element) => ({ ...element, box: moved(element.box, origin) })))
  }
  return seen
}

/** A frame whose texts are not known; nothing where it is not shown. */
const unreadable = async (frame: Frame): Promise<ReadonlyArray<Seen>> => {
  const box = await Finder.within(
    frameMillis,
    frame.frameElement().then((owner) => owner.boundingBox())
  ).catch(() => null)
  return box === null ? [] : [{ text: "", box }]
}

/** A picture of a window, on which some boxes are covered. */
const pictureOf = async (tab: Tab, covered: ReadonlyArray<Box>): Promise<Buffer> => {
  const { page } = tab
  const shoot = () => page.screenshot({ type: "jpeg", quality: 80, scale: "css", timeout: 10_000 })
  if (covered.length === 0) return shoot()
  await World.run(tab, page.mainFrame(), "cover", covered)
  try {
    return await shoot()
  } finally {
    await World.run(tab, page.mainFrame(), "uncover", null).catch(() => undefined)
  }
}

/**
 * Takes a picture while what has to be covered is. The page is read again afterwards: where it has shown such a thing
 * elsewhere meanwhile, there is another picture.
 */
export const covering = <A>(
  { current, observe }: Tabs,
  covered: Covered | undefined,
  isWhole: boolean,
  shoot: Effect.Effect<A, PageFailure>
): Effect.Effect<A, PageFailure> =>
  Effect.gen(function* () {
    if (covered === undefined) return yield* shoot
    const places = Effect.flatMap(bounded(observe(null, () => textsOf(current(), isWhole))), covered)
    let boxes = yield* places
    for (let taken = 0; taken < mostPictures; taken++) {
      const tab = current()
      const frame = tab.page.mainFrame()
      // A page that does not answer is not waited for.
      const uncover = Effect.promise(() =>
        Finder.within(frameMillis, World.run(tab, frame, "uncover", null)).catch(() => undefined)
      )
      const shot = yield* boxes.length === 0
        ? shoot
        : bounded(observe(null, () => World.run(tab, frame, "cover", boxes))).pipe(
            Effect.andThen(shoot),
            Effect.ensuring(uncover)
          )
      const after = yield* places
      if (after.every((box) => boxes.some((one) => isIn(box, one)))) return shot
      boxes = [...boxes, ...after]
    }
    const reason = "what has to be covered in a picture of it did not stay where it was"
    return yield* new PageFailure({ kind: "unusable", reason })
  })

/** How often a picture of a page is taken while what is covered moves. */
const mostPictures = 4

const isIn = (inner: Box, outer: Box): boolean =>
  inner.x >= outer.x &&
  inner.y >= outer.y &&
  inner.x + inner.width <= outer.x + outer.width &&
  inner.y + inner.height <= outer.y + outer.height

/** Scrolls a container, or what is in the middle of the window, and returns whether that moved. */
const turned = async (tab: Tab, direction: "down" | "up", container: string | null): Promise<boolean> => {
  if (container !== null) {
    const { all, frame } = await Finder.every(tab, container)
    await World.run(tab, frame, "keepScrollerOf", "y", { root: all.first(), waitMillis: inspectionMillis })
    return World.run(tab, frame, "turnIn", direction)
  }
  for (const frame of await framesInMiddle(tab, 0)) {
    if (await inFrame(frame, () => World.run(tab, frame, "turn", direction), false)) return true
  }
  return false
}

/** How long a page may take to show content that was scrolled into view, in milliseconds. */
const settleMillis = 250

const moved = (box: Box, { x, y }: { readonly x: number; readonly y: number }): Box => ({
  ...box,
  x: box.x + x,
  y: box.y + y
})

/** The part of a box that is in the window; `null` when none is. */
const seenOf = (box: Box, window: { readonly width: number; readonly height: number }): Box | null => {
  const [x, y] = [Math.max(box.x, 0), Math.max(box.y, 0)]
  const width = Math.min(box.x + box.width, window.width) - x
  const height = Math.min(box.y + box.height, window.height) - y
  return width > 0 && height > 0 ? { x, y, width, height } : null
}

/** A path to an element, through the frames that it is in; `null` when there is none. */
const pathTo = async (tab: Tab, { frame, name }: NamedElement): Promise<string | null> => {
  const within = await World.run(tab, frame, "pathOf", name)
  if (within === null) return null
  const way = await wayTo(tab, frame)
  return way === null ? null : `${way}${within}`
}

/** The frame with the innermost element at a point of a frame, frames and shadow roots looked into; it is kept there. */
const under = async (tab: Tab, frame: Frame, x: number, y: number): Promise<Frame | null> => {
  const found = await World.run(tab, frame, "keepAt", { name: pointed, at: { x, y } })
  if (found === null || !found.isFrame) return found === null ? null : frame
  const inner = await Focus.frameIn(frame, pointed)
  return (inner === null ? null : await under(tab, inner, x - found.x, y - found.y)) ?? frame
}

/** The hosts that the windows of a session visit after this call. */
const visits = (page: Page): ReadonlySet<string> => {
  const hosts = new Set<string>()
  const note = (address: string): void => {
    if (URL.parse(address) !== null && /^https?:/.test(address)) hosts.add(new URL(address).host)
  }
  const follow = (page: Page): void => {
    note(page.url())
    page.on("framenavigated", (frame) => {
      if (frame === page.mainFrame()) note(frame.url())
    })
  }
  follow(page)
  page.context().on("page", follow)
  return hosts
}
