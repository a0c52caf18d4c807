/**
 * Looking at a page and acting on it without a selector, done by Playwright.
 */
import { Effect } from "effect"
import type { Frame, Locator, Page } from "playwright-core"
import { PageFailure } from "../../../core/agent/page/PageFailure.ts"
import type { Position } from "../../../core/agent/page/Scrolling.ts"
import type { Box, Outlined, Place, Seen, Sight } from "../../../core/agent/page/Sight.ts"
import type { Typing } from "../../../core/agent/page/Typing.ts"
import type { World as InPage } from "../inpage/InWorld.ts"
import * as Outline from "../inpage/Outline.ts"
import * as World from "../inpage/World.ts"
import * as Finder from "./Finder.ts"
import * as Focus from "./Focus.ts"
import { intoView, scrollerOf } from "./Scrolling.ts"
import type { Tab, Tabs } from "./Tabs.ts"
import { strike } from "./Typing.ts"

/** How many frames beside the page itself are described. */
const maxFrames = 20

/** How long a page may take to describe itself, in milliseconds. */
const inspectionMillis = 5_000

/** An element by the name under which it is kept in a frame. */
interface Known {
  readonly frame: Frame
  readonly name: string
}

/** The name under which the element at a point is kept. */
const pointed = "pointed"

export const make = (tabs: Tabs): Sight => {
  const { attempt, current } = tabs
  let known = new Map<string, Known>()
  const hosts = visits(current().page)

  const bounded = <A>(effect: Effect.Effect<A, PageFailure>) =>
    Effect.timeoutOrElse(effect, {
      duration: inspectionMillis,
      orElse: () =>
        Effect.fail(
          new PageFailure({ kind: "unusable", reason: `it did not describe itself within ${inspectionMillis} ms` })
        )
    })

  /** Tries it in a frame, which may be gone meanwhile. */
  const within = async <A>(frame: Frame, act: () => Promise<A>, otherwise: A): Promise<A> => {
    if (frame === current().page.mainFrame()) return act()
    return act().catch(() => otherwise)
  }

  const frames = (): ReadonlyArray<Frame> => {
    const { page } = current()
    return [page.mainFrame(), ...page.frames().filter((frame) => frame !== page.mainFrame())].slice(0, maxFrames + 1)
  }

  const elementAt = async (place: Place): Promise<Known | null> => {
    if (place._tag === "Ref") return known.get(place.ref) ?? null
    const frame = await under(current(), current().page.mainFrame(), place.x, place.y)
    return frame === null ? null : { frame, name: pointed }
  }

  const gone = (place: Place): PageFailure =>
    new PageFailure({
      kind: "mismatch",
      reason: place._tag === "Ref" ? `the page has no element ${place.ref} any more` : "nothing is at this point",
      matched: 0
    })

  const isWithin = async ({ x, y }: Extract<Place, { _tag: "Point" }>): Promise<boolean> =>
    World.run(current(), current().page.mainFrame(), ([left, top]) => left < innerWidth && top < innerHeight, [
      x,
      y
    ] as const)

  const press = Effect.fnUntraced(function* (
    place: Place,
    act: (element: Locator, timeout: number) => Promise<void>,
    onPoint: (mouse: Page["mouse"], x: number, y: number) => Promise<void>,
    waitMillis: number
  ) {
    if (place._tag === "Point") {
      if (!(yield* attempt("this point", () => isWithin(place)))) return yield* gone(place)
      return yield* attempt("this point", () => onPoint(current().page.mouse, place.x, place.y))
    }
    const element = yield* attempt(place.ref, () => elementAt(place))
    if (element === null) return yield* gone(place)
    yield* attempt(place.ref, () => act(World.kept(element.frame, element.name), Math.max(waitMillis, 1))).pipe(
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
          const tab = current()
          const { page } = tab
          await page.waitForLoadState("domcontentloaded", { timeout: inspectionMillis })
          const next = new Map<string, Known>()
          const elements: Array<Outlined> = []
          let more = 0
          let main = { title: "", width: 0, height: 0 }
          for (const [number, frame] of frames().entries()) {
            const origin = number === 0 ? { x: 0, y: 0 } : await within(frame, () => originOf(frame), null)
            if (origin === null) continue
            const described = await within(
              frame,
              () => World.run(tab, frame, Outline.outline, Math.max(maxElements - elements.length, 0)),
              null
            )
            if (described === null) continue
            if (number === 0) main = described
            more += described.more
            for (const [index, { box, ...one }] of described.told.entries()) {
              const ref = number === 0 ? `e${index + 1}` : `f${number}e${index + 1}`
              next.set(ref, { frame, name: `outlined ${index}` })
              elements.push({ ...one, ref, box: box === null ? null : moved(box, origin) })
            }
          }
          known = next
          const window = { width: main.width, height: main.height }
          return { address: page.url(), title: main.title, window, elements, more }
        })
      ),
    texts: bounded(
      attempt(null, async () => {
        const seen: Array<Seen> = []
        for (const [number, frame] of frames().entries()) {
          const origin = number === 0 ? { x: 0, y: 0 } : await within(frame, () => originOf(frame), null)
          if (origin === null) continue
          const inFrame = await within(frame, () => World.run(current(), frame, Outline.texts, null), [])
          seen.push(...inFrame.map(({ box, text }) => ({ text, box: moved(box, origin) })))
        }
        return seen
      })
    ),
    look: (covered) =>
      attempt(null, async () => {
        const tab = current()
        const { page } = tab
        const shoot = () => page.screenshot({ type: "jpeg", quality: 80, scale: "css", timeout: 10_000 })
        if (covered.length === 0) return shoot()
        await World.run(tab, page.mainFrame(), Outline.cover, covered)
        try {
          return await shoot()
        } finally {
          await World.run(tab, page.mainFrame(), Outline.uncover, null).catch(() => undefined)
        }
      }).pipe(Effect.map((bytes) => ({ bytes: new Uint8Array(bytes), mediaType: "image/jpeg" }))),
    clickAt: (place, kind, waitMillis) =>
      press(
        place,
        (element, timeout) => {
          switch (kind) {
            case "click":
              return element.click({ timeout })
            case "double_click":
              return element.dblclick({ timeout })
            case "right_click":
              return element.click({ button: "right", timeout })
            case "hover":
              return element.hover({ timeout })
          }
        },
        (mouse, x, y) => {
          switch (kind) {
            case "click":
              return mouse.click(x, y)
            case "double_click":
              return mouse.dblclick(x, y)
            case "right_click":
              return mouse.click(x, y, { button: "right" })
            case "hover":
              return mouse.move(x, y)
          }
        },
        waitMillis
      ),
    typeAt: Effect.fnUntraced(function* (place: Place, typing: Typing, waitMillis: number) {
      yield* press(
        place,
        (element, timeout) => element.click({ timeout }),
        (mouse, x, y) => mouse.click(x, y),
        waitMillis
      )
      const { keyboard } = current().page
      yield* attempt(null, async () => {
        if (typing.existing === "keep") await keyboard.press("End")
        else {
          await keyboard.press("ControlOrMeta+a")
          await keyboard.press("Backspace")
        }
        await strike(current(), typing.strokes, typing)
      })
    }),
    spot: (place) =>
      attempt(null, async () => {
        const tab = current()
        const main = tab.page.mainFrame()
        const focus = place === null ? await Focus.find(tab) : null
        const element = place === null ? focus && { frame: focus, name: Focus.name } : await elementAt(place)
        const frame = element?.frame ?? main
        const selector =
          element === null || frame !== main ? null : await World.run(tab, main, Outline.selectorOf, element.name)
        return { address: Focus.addressOf(frame), selector }
      }),
    turn: (direction, container) =>
      Effect.tap(
        attempt(container, async () => {
          const tab = current()
          if (container === null) return World.run(tab, tab.page.mainFrame(), Outline.turn, direction)
          const { frame, all } = await Finder.every(tab, container)
          await World.run(tab, frame, scrollerOf, "y", { root: all.first(), waitMillis: inspectionMillis })
          return World.run(tab, frame, Outline.turnIn, direction)
        }),
        // What comes into view is loaded then.
        () => Effect.sleep(settleMillis)
      ),
    show: Effect.fnUntraced(function* (place: Place, position: Position) {
      const element = yield* attempt("this place", () => elementAt(place))
      if (element === null) return yield* gone(place)
      const root = World.kept(element.frame, element.name)
      yield* attempt("this place", () => World.run(current(), element.frame, intoView, position, { root }))
      yield* Effect.sleep(settleMillis)
    }),
    readable: ({ selector, ...options }) =>
      attempt(selector, async () => {
        const tab = current()
        await tab.page.waitForLoadState("domcontentloaded", { timeout: inspectionMillis })
        return Finder.onEvery(tab, selector ?? "css=body", Outline.readable, options)
      })
  }
}

/** How long a page is given to show what scrolling brought into view, in milliseconds. */
const settleMillis = 250

const moved = (box: Box, { x, y }: { readonly x: number; readonly y: number }): Box => ({
  ...box,
  x: box.x + x,
  y: box.y + y
})

/** Where the document of a frame begins in the window; `null` when it is not to be seen. */
const originOf = async (frame: Frame): Promise<{ readonly x: number; readonly y: number } | null> => {
  const owner = await frame.frameElement()
  const box = await owner.boundingBox()
  return box === null || box.width < 2 || box.height < 2 ? null : { x: box.x, y: box.y }
}

/** The frame with the innermost element at a point of a frame, frames and shadow roots looked into; it is kept there. */
const under = async (tab: Tab, frame: Frame, x: number, y: number): Promise<Frame | null> => {
  const found = await World.run(tab, frame, keepUnder, { name: pointed, x, y })
  if (found === null || !found.isFrame) return found === null ? null : frame
  const inner = await Focus.frameIn(frame, pointed)
  return (inner === null ? null : await under(tab, inner, x - found.x, y - found.y)) ?? frame
}

/** Runs in the page: keeps the innermost element at a point, and tells where what it holds begins. */
const keepUnder = ({ name, x, y }: { name: string; x: number; y: number }, { keep }: InPage) => {
  let found = document.elementFromPoint(x, y)
  while (found?.shadowRoot != null) {
    const inner = found.shadowRoot.elementFromPoint(x, y)
    if (inner === null || inner === found) break
    found = inner
  }
  if (found === null) return null
  keep(name, found)
  const { left, top } = found.getBoundingClientRect()
  const isFrame = /^(i?frame|object|embed|fencedframe)$/i.test(found.localName)
  return { isFrame, x: left + found.clientLeft, y: top + found.clientTop }
}

/** The hosts that the windows of a session go to, from now on. */
const visits = (page: Page): ReadonlySet<string> => {
  const hosts = new Set<string>()
  const note = (address: string): void => {
    if (URL.canParse(address) && /^https?:/.test(address)) hosts.add(new URL(address).host)
  }
  const follow = (one: Page): void => {
    note(one.url())
    one.on("framenavigated", (frame) => {
      if (frame === one.mainFrame()) note(frame.url())
    })
  }
  follow(page)
  page.context().on("page", follow)
  return hosts
}
