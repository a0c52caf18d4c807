/** Screenshots of the viewport or of the whole page. */
import { Effect } from "effect"
import type { Elements } from "../../../core/browser/Elements.ts"
import type { ElementQuery } from "../../../core/browser/element/ElementQuery.ts"
import type { Framing } from "../../../core/browser/vision/Shot.ts"
import * as Finder from "../element/Finder.ts"
import { boxOf, bringIntoSight } from "../element/Visible.ts"
import type { placeOfWindow } from "../injected/act/Scrolling.ts"
import * as World from "../inpage/World.ts"
import type { Tabs } from "../page/Tabs.ts"
import { covering } from "./Sight.ts"

/** Timeout of a screenshot, in milliseconds. */
const shotMillis = 10_000

/** Maximum height of a screenshot, in pixels. */
const longestPicture = 16_384

interface Clip {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export const make = (tabs: Tabs, { scroll }: Pick<Elements, "scroll">) => {
  const { attempt, current } = tabs

  const placed = () => World.run(current(), current().page.mainFrame(), "placeOfWindow", null)

  /** Scrolls through the page so that it loads lazy content, and returns to the former position. */
  const loaded = Effect.fnUntraced(function* (maxScrolls: number, settleMillis: number) {
    const from = yield* attempt(null, placed)
    for (let done = 0; done < maxScrolls; done++) {
      const before = yield* attempt(null, placed)
      yield* Effect.ignore(scroll({ kind: "ticks", direction: "down", ticks: 1 }, settleMillis))
      const after = yield* attempt(null, placed)
      if (after.y === before.y && after.height === before.height) break
    }
    yield* attempt(null, () => World.run(current(), current().page.mainFrame(), "scrollWindowTo", from))
  })

  return {
    screenshot: Effect.fnUntraced(function* (
      query: ElementQuery | null,
      { covered, fullPage, margin = 0, maxScrolls = 0, settleMillis = 0 }: Framing
    ) {
      if (maxScrolls > 0) yield* loaded(maxScrolls, settleMillis)
      let framed: { readonly fullPage: boolean; readonly clip?: Clip } = { fullPage }
      if (query !== null) {
        yield* Finder.onOne(tabs, query, async (element, timeout, frame) => {
          await bringIntoSight(current(), frame, element, timeout)
          const box = await boxOf(current(), frame, element, timeout)
          const page = await placed()
          if (box !== null) framed = around(box, margin, page)
        })
      } else if (fullPage) {
        const page = yield* attempt(null, placed)
        const clip = { x: 0, y: 0, width: page.width, height: longestPicture }
        if (page.height > longestPicture) framed = { fullPage, clip }
      }
      const shoot = attempt(null, () =>
        current().page.screenshot({ ...framed, type: "jpeg", quality: 80, timeout: shotMillis })
      )
      const bytes = yield* covering(tabs, covered, framed.fullPage, shoot)
      return { bytes: new Uint8Array(bytes), mediaType: "image/jpeg" }
    }) satisfies Elements["screenshot"]
  }
}

/**
 * A box of the window with a margin. Visible content is captured from the window: a picture of the whole page is
 * rendered again, and frames of other sites may not be ready in it.
 */
const around = (box: Clip, margin: number, page: ReturnType<typeof placeOfWindow>) => {
  const left = Math.max(box.x + page.x - margin, 0)
  const top = Math.max(box.y + page.y - margin, 0)
  const right = Math.min(box.x + page.x + box.width + margin, page.width)
  const bottom = Math.min(box.y + page.y + box.height + margin, page.height, top + longestPicture)
  const clip = { x: left, y: top, width: Math.max(right - left, 1), height: Math.max(bottom - top, 1) }
  const seen = { ...clip, x: left - page.x, y: top - page.y }
  const isSeen =
    seen.x >= 0 && seen.y >= 0 && seen.x + clip.width <= page.inWidth && seen.y + clip.height <= page.inHeight
  return isSeen ? { fullPage: false, clip: seen } : { fullPage: true, clip }
}
