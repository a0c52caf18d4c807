/**
 * The mouse and the keyboard of a person in remote control of the tab.
 */
import { Effect, Semaphore } from "effect"
import type { Page } from "playwright-core"
import type { Gesture, RemoteHand } from "../../../core/browser/vision/RemoteHand.ts"
import * as World from "../inpage/World.ts"
import type { Tabs } from "../page/Tabs.ts"

/**
 * Timeout of a gesture, in milliseconds: a page that hangs or has a dialog open does not answer. The next gesture is
 * still tried.
 */
const gestureMillis = 2_000

/** The pressed keys and buttons, and their tab: how each is released, by its name. */
type Pressed = Map<string, () => Promise<void>>

export const make = (tabs: Tabs): RemoteHand => {
  const pressed: Pressed = new Map()
  // A release comes after the press in progress.
  const turn = Semaphore.makeUnsafe(1)
  return {
    gesture: (gesture) =>
      Effect.suspend(() => {
        const { page } = tabs.current()
        note(pressed, page, gesture)
        return tabs.attempt(null, () => act(page, gesture))
      }).pipe(Effect.timeout(gestureMillis), Effect.ignore, turn.withPermits(1)),
    letGo: Effect.suspend(() => {
      const all = [...pressed.values()].reverse()
      pressed.clear()
      return Effect.forEach(
        all,
        (release) => Effect.ignore(Effect.timeout(Effect.tryPromise(release), gestureMillis / 2)),
        { discard: true }
      )
    }).pipe(turn.withPermits(1))
  }
}

const note = (pressed: Pressed, page: Page, gesture: Gesture): void => {
  switch (gesture.kind) {
    case "press":
      pressed.set(`button ${gesture.button}`, () => page.mouse.up({ button: gesture.button }))
      break
    case "release":
      pressed.delete(`button ${gesture.button}`)
      break
    case "key_down":
      pressed.set(`key ${gesture.key}`, () => page.keyboard.up(gesture.key))
      break
    case "key_up":
      pressed.delete(`key ${gesture.key}`)
  }
}

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
    page.viewportSize() ?? (await World.run(World.injectedTabOf(page), page.mainFrame(), "windowSize", null))
  return [x * width, y * height]
}
