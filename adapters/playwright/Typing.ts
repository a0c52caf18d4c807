/**
 * Typing into an element, and where the focus is.
 */
import type { Locator, Page } from "playwright-core"
import type { Typing } from "../../core/agent/Typing.ts"

/** Types into an element, in the way that is asked for. */
export const type = async (page: Page, element: Locator, typing: Typing, timeout: number): Promise<void> => {
  const [first, ...rest] = typing.strokes
  const atOnce = typing.existing === "replace" && typing.delayMillis === 0 && !typing.paste
  if (atOnce && (first === undefined || typeof first === "string")) {
    await element.fill(first ?? "", { timeout })
    if (rest.length > 0) await strike(page, rest, typing)
    return
  }
  if (typing.existing === "replace") await element.fill("", { timeout })
  else await element.focus({ timeout })
  if (typing.existing === "erase") {
    await page.keyboard.press("ControlOrMeta+a")
    await page.keyboard.press("Backspace")
  }
  if (typing.existing === "keep") await page.keyboard.press("End")
  await strike(page, typing.strokes, typing)
}

/** Types where the focus is. */
export const strike = async (page: Page, strokes: Typing["strokes"], typing: Typing): Promise<void> => {
  for (const stroke of strokes) {
    if (typeof stroke !== "string") await page.keyboard.press(stroke.key)
    else if (typing.paste) await page.keyboard.insertText(stroke)
    else await page.keyboard.type(stroke, { delay: typing.delayMillis })
  }
}
