/**
 * Looking at a page and acting on it without a selector, done by Playwright.
 */
import { Effect } from "effect"
import type { ElementHandle, Frame, JSHandle, Page } from "playwright-core"
import { PageFailure } from "../../../core/agent/page/PageFailure.ts"
import type { Gesture } from "../../../core/agent/page/Pointer.ts"
import type { Position } from "../../../core/agent/page/Scrolling.ts"
import type { Box, Outlined, Place, Seen, Sight } from "../../../core/agent/page/Sight.ts"
import type { ClickKind } from "../../../core/agent/page/Target.ts"
import type { Typing } from "../../../core/agent/page/Typing.ts"
import * as Outline from "../inpage/Outline.ts"
import * as Finder from "./Finder.ts"
import { framesInMiddle } from "./Middle.ts"
import * as Pointer from "./Pointer.ts"
import { intoView, scrollerOf } from "./Scrolling.ts"
import type { Tabs } from "./Tabs.ts"
import { strike } from "./Typing.ts"
import { inside, originOf } from "./Visible.ts"

/** How many frames beside the page itself are described. */
const maxFrames = 20

/** How long a page may take to describe itself, in milliseconds. */
const inspectionMillis = 5_000

/** An element by its ref: a frame's outline and the place in it. */
interface Known {
  readonly outline: JSHandle<ReturnType<typeof Outline.outline>>
  readonly index: number
}

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

  const elementAt = async (place: Place): Promise<ElementHandle<Element> | null> => {
    if (place._tag === "Point") return under(current().page.mainFrame(), place.x, place.y)
    const one = known.get(place.ref)
    if (one === undefined) return null
    const handle = await one.outline.evaluateHandle(({ elements }, index) => elements[index] ?? null, one.index)
    return handle.asElement() as ElementHandle<Element> | null
  }

  const gone = (place: Place): PageFailure =>
    new PageFailure({
      kind: "mismatch",
      reason: place._tag === "Ref" ? `the page has no element ${place.ref} any more` : "nothing is at this point",
      matched: 0
    })

  const isWithin = async ({ x, y }: Extract<Place, { _tag: "Point" }>): Promise<boolean> =>
    current().page.evaluate(([left, top]) => left < innerWidth && top < innerHeight, [x, y] as const)

  const clickAt = Effect.fnUntraced(function* (place: Place, kind: ClickKind, waitMillis: number, gesture?: Gesture) {
    if (place._tag === "Point") {
      if (!(yield* attempt("this point", () => isWithin(place)))) return yield* gone(place)
      return yield* attempt("this point", () => Pointer.pressAt(current().page, place, kind, gesture))
    }
    const element = yield* attempt(place.ref, () => elementAt(place))
    if (element === null) return yield* gone(place)
    const timeout = Math.max(waitMillis, 1)
    yield* attempt(place.ref, () => Pointer.press(current().page, element, kind, timeout, gesture)).pipe(
      Effect.mapError((failure) => {
        if (/not attached|detached/.test(failure.reason)) return gone(place)
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
          const { page } = current()
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
              async () => {
                const handle = await frame.evaluateHandle(Outline.outline, Math.max(maxElements - elements.length, 0))
                const data = await handle.evaluate(({ height, more, title, told, width }) => ({
                  height,
                  more,
                  title,
                  told,
                  width
                }))
                return { handle, data }
              },
              null
            )
            if (described === null) continue
            const { data, handle } = described
            if (number === 0) main = data
            more += data.more
            for (const [index, { box, ...one }] of data.told.entries()) {
              const ref = number === 0 ? `e${index + 1}` : `f${number}e${index + 1}`
              next.set(ref, { outline: handle, index })
              elements.push({ ...one, ref, box: box === null ? null : seenOf(moved(box, origin), main) })
            }
          }
          for (const outline of new Set([...known.values()].map(({ outline }) => outline))) {
            outline.dispose().catch(() => undefined)
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
          const inFrame = await within(frame, () => frame.evaluate(Outline.texts), [])
          seen.push(...inFrame.map(({ box, text }) => ({ text, box: moved(box, origin) })))
        }
        return seen
      })
    ),
    look: (covered) =>
      attempt(null, async () => {
        const { page } = current()
        const shoot = () => page.screenshot({ type: "jpeg", quality: 80, scale: "css", timeout: 10_000 })
        if (covered.length === 0) return shoot()
        await page.evaluate(Outline.cover, covered)
        try {
          return await shoot()
        } finally {
          await page.evaluate(Outline.uncover).catch(() => undefined)
        }
      }).pipe(Effect.map((bytes) => ({ bytes: new Uint8Array(bytes), mediaType: "image/jpeg" }))),
    clickAt,
    typeAt: Effect.fnUntraced(function* (place: Place, typing: Typing, waitMillis: number, gesture?: Gesture) {
      yield* clickAt(place, "click", waitMillis, gesture)
      const { keyboard } = current().page
      yield* attempt(null, async () => {
        if (typing.existing === "keep") await keyboard.press("End")
        else {
          await keyboard.press("ControlOrMeta+a")
          await keyboard.press("Backspace")
        }
        await strike(current().page, typing.strokes, typing)
      })
    }),
    spot: (place) =>
      attempt(null, async () => {
        const { page } = current()
        const element = place === null ? await focused(page.mainFrame()) : await elementAt(place)
        const frame = (await element?.ownerFrame()) ?? page.mainFrame()
        const selector = element === null ? null : await pathTo(element, frame)
        // A frame without an address of its own belongs to the page around it.
        let around: Frame = frame
        for (let parent = around.parentFrame(); parent !== null && /^(about|data|blob):/.test(around.url()); ) {
          around = parent
          parent = around.parentFrame()
        }
        return { address: around.url(), selector }
      }),
    turn: (direction, container) =>
      Effect.tap(
        attempt(container, async () => {
          if (container === null) {
            const { page } = current()
            for (const frame of await framesInMiddle(page, 0)) {
              if (await within(frame, () => frame.evaluate(Outline.turn, direction), false)) return true
            }
            return false
          }
          const element = (await Finder.every(current(), container)).first()
          const scroller = await element.evaluateHandle(scrollerOf, "y" as "x" | "y", { timeout: inspectionMillis })
          return scroller.evaluate(Outline.turnIn, direction)
        }),
        // What comes into view is loaded then.
        () => Effect.sleep(settleMillis)
      ),
    show: Effect.fnUntraced(function* (place: Place, position: Position) {
      const element = yield* attempt("this place", () => elementAt(place))
      if (element === null) return yield* gone(place)
      yield* attempt("this place", () => element.evaluate(intoView, position))
      yield* Effect.sleep(settleMillis)
    }),
    readable: ({ selector, ...options }) =>
      attempt(selector, async () => {
        const { page } = current()
        await page.waitForLoadState("domcontentloaded", { timeout: inspectionMillis })
        const all = selector === null ? page.locator("css=body") : await Finder.every(current(), selector)
        return all.evaluateAll(Outline.readable, options)
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

/** The part of a box that is in the window; `null` when none is. */
const seenOf = (box: Box, window: { readonly width: number; readonly height: number }): Box | null => {
  const [x, y] = [Math.max(box.x, 0), Math.max(box.y, 0)]
  const width = Math.min(box.x + box.width, window.width) - x
  const height = Math.min(box.y + box.height, window.height) - y
  return width > 0 && height > 0 ? { x, y, width, height } : null
}

/** A path to an element, through the frames that it is in; `null` when there is none. */
const pathTo = async (element: ElementHandle<Element>, frame: Frame): Promise<string | null> => {
  const within = await element.evaluate(Outline.selectorOf)
  if (within === null || frame.parentFrame() === null) return within
  const owner = await frame.frameElement()
  const around = await pathTo(owner as ElementHandle<Element>, frame.parentFrame() ?? frame)
  return around === null ? null : `${around}${within}`
}

/** The innermost element at a point of a frame, frames and shadow roots looked into. */
const under = async (frame: Frame, x: number, y: number): Promise<ElementHandle<Element> | null> => {
  const handle = await frame.evaluateHandle(
    ([left, top]) => {
      let found = document.elementFromPoint(left, top)
      while (found?.shadowRoot != null) {
        const inner = found.shadowRoot.elementFromPoint(left, top)
        if (inner === null || inner === found) break
        found = inner
      }
      return found
    },
    [x, y] as const
  )
  const element = handle.asElement() as ElementHandle<Element> | null
  const inner = await element?.contentFrame()
  if (inner == null || element == null) return element
  const box = await element.evaluate(inside)
  return box === null ? element : ((await under(inner, x - box.x, y - box.y)) ?? element)
}

/** The innermost element that has the focus. */
const focused = async (frame: Frame): Promise<ElementHandle<Element> | null> => {
  const handle = await frame.evaluateHandle(() => {
    let found = document.activeElement
    while (found?.shadowRoot?.activeElement != null) found = found.shadowRoot.activeElement
    return found
  })
  const element = handle.asElement() as ElementHandle<Element> | null
  const inner = await element?.contentFrame()
  return inner == null ? element : ((await focused(inner)) ?? element)
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
