/**
 * The mouse and the keyboard of somebody who has the window in front of them from afar.
 */
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { PageFailure } from "../../core/agent/Browser.ts"
import type { Gesture, RemoteHand } from "../../core/agent/RemoteHand.ts"
import type { Tabs } from "./Tabs.ts"

/** A page that hangs, or that has a dialog open, answers no gesture; the next one is tried all the same. */
const gestureMillis = 2_000

export const make = (tabs: Tabs): RemoteHand => ({
  gesture: (gesture) =>
    tabs
      .attempt(null, () => act(tabs.current().page, gesture))
      .pipe(
        Effect.timeoutOrElse({
          duration: gestureMillis,
          orElse: () =>
            Effect.fail(new PageFailure({ kind: "unusable", reason: `it did not answer within ${gestureMillis} ms` }))
        })
      )
})

const act = async (page: Page, gesture: Gesture): Promise<void> => {
  switch (gesture.kind) {
    case "move":
      return page.mouse.move(...(await placeOf(page, gesture)))
    case "press":
    case "release": {
      const { button, clicks: clickCount } = gesture
      await page.mouse.move(...(await placeOf(page, gesture)))
      return gesture.kind === "press" ? page.mouse.down({ button, clickCount }) : page.mouse.up({ button, clickCount })
    }
    case "wheel":
      await page.mouse.move(...(await placeOf(page, gesture)))
      return page.mouse.wheel(gesture.dx, gesture.dy)
    case "key_down":
      // A character that no key of the keyboard has is inserted.
      return page.keyboard.down(gesture.key).catch((error: unknown) => {
        if ([...gesture.key].length === 1) return page.keyboard.insertText(gesture.key)
        throw error
      })
    case "key_up":
      return page.keyboard.up(gesture.key).catch(() => undefined)
    case "text":
      return page.keyboard.insertText(gesture.text)
  }
}

const placeOf = async (page: Page, { x, y }: { readonly x: number; readonly y: number }): Promise<[number, number]> => {
  const { height, width } =
    page.viewportSize() ?? (await page.evaluate(() => ({ width: innerWidth, height: innerHeight })))
  return [x * width, y * height]
}
