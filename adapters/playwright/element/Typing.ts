/**
 * Typing into an element, and where the focus is.
 */
import type { BrowserContext, Page } from "playwright-core"
import * as FieldValue from "../../../core/browser/element/FieldValue.ts"
import type { Typing } from "../../../core/browser/vision/Typing.ts"
import * as World from "../inpage/World.ts"
import * as Guarded from "../page/Guarded.ts"
import type { Tab } from "../page/Tabs.ts"
import * as Focus from "./Focus.ts"

/** Types into an element, in the way that is asked for. */
export const type = async (tab: Tab, element: Guarded.Field, typing: Typing, timeout: number): Promise<void> => {
  const { page } = tab
  const [first, ...rest] = typing.strokes
  const atOnce = typing.existing === "replace" && typing.delayMillis === 0 && !typing.paste
  if (atOnce && (first === undefined || typeof first === "string")) {
    await set(tab, element, first ?? "", timeout, typing.guard)
    if (rest.length > 0) await strike(tab, rest, typing)
    return
  }
  if (typeof first === "string" && (await isChosen(element, timeout))) {
    await set(tab, element, first, timeout, typing.guard)
    return strike(tab, rest, typing)
  }
  if (typing.existing === "replace") await element.fill("", { timeout })
  else await element.focus({ timeout })
  if (typing.existing === "erase") await erase(page)
  // Also the last one of several lines.
  if (typing.existing === "keep") await page.keyboard.press("ControlOrMeta+End")
  await strike(tab, typing.strokes, typing)
}

const erase = async (page: Page): Promise<void> => {
  await page.keyboard.press("ControlOrMeta+a")
  await page.keyboard.press("Backspace")
}

/** Whether a field is one whose value is chosen, so that keys would mean something else than the text. */
const isChosen = async (element: Guarded.Field, timeout: number): Promise<boolean> =>
  /^(date|time|datetime-local|month|week|color|range)$/.test((await element.getAttribute("type", { timeout })) ?? "")

/** Sets a text at once, and key by key where the field takes it only so. */
const set = async (
  tab: Tab,
  element: Guarded.Field,
  text: string,
  timeout: number,
  guard: Typing["guard"]
): Promise<void> => {
  const { page } = tab
  try {
    await element.fill(text, { timeout })
  } catch (error) {
    const reason = String(error)
    if (/not an <input>/.test(reason)) {
      // It is around the field.
      const [inner, ...others] = await element.inner(
        "css=input:not([type=hidden]),textarea,[contenteditable=''],[contenteditable=true]"
      )
      if (inner === undefined || others.length > 0) throw error
      return set(tab, inner, text, timeout, guard)
    }
    if (!/Malformed value|Cannot type text into/.test(reason) || !(await fillAs(element, text, timeout))) throw error
    return
  }
  if (text === "") return
  const held = await element.inputValue({ timeout: 1_000 }).catch(() => null)
  if (held === null || held === text || FieldValue.holds(held, text)) return
  if (await fillAs(element, text, timeout)) return
  // A field with a mask that takes keys only. One that makes something else of them, does so again.
  await element.focus({ timeout: 1_000 })
  await erase(page)
  await keyIn(tab, text, { delay: 0 }, guard)
}

/**
 * Types a text key by key where the focus is. A guarded text is checked before each key: the focus may have moved on.
 */
const keyIn = async (tab: Tab, text: string, options: { delay: number }, guard: Typing["guard"]): Promise<void> => {
  const { keyboard } = tab.page
  if (guard === undefined) return keyboard.type(text, options)
  for (const character of text) {
    await Guarded.checkFocus(tab, guard)
    await keyboard.type(character, options)
  }
}

/** Fills a field of dates, numbers and the like with what a text means there. */
const fillAs = async (element: Guarded.Field, text: string, timeout: number): Promise<boolean> => {
  const value = FieldValue.forType((await element.getAttribute("type", { timeout })) ?? "", text)
  if (value !== null) await element.fill(value, { timeout })
  return value !== null
}

/** The text that was copied in a session. The clipboard of the browser is shared with other sessions, so it is left alone. */
const copied = new WeakMap<BrowserContext, string>()

/** Types where the focus is. */
export const strike = async (tab: Tab, strokes: Typing["strokes"], typing: Typing): Promise<void> => {
  const { delayMillis, guard, paste: asPaste, pauses = [] } = typing
  let at = 0
  for (const stroke of strokes) {
    if (typeof stroke !== "string") await press(tab, stroke.key, guard)
    else if (asPaste) await paste(tab, stroke, guard)
    else if (pauses.length === 0) await keyIn(tab, stroke, { delay: delayMillis }, guard)
    else {
      for (const character of stroke) {
        await keyIn(tab, character, { delay: 0 }, guard)
        await new Promise((resolve) => setTimeout(resolve, pauses[at++ % pauses.length]))
      }
    }
  }
}

const press = async (tab: Tab, key: string, guard: Typing["guard"]): Promise<void> => {
  const { page } = tab
  if (key === "ControlOrMeta+c") {
    const frame = await Focus.find(tab)
    const text = frame === null ? null : await World.run(tab, frame, "copy", Focus.name).catch(() => null)
    if (text !== null && text !== "") copied.set(page.context(), text)
  } else if (key === "ControlOrMeta+v") await paste(tab, copied.get(page.context()) ?? "", guard)
  else await page.keyboard.press(key)
}

const paste = async (tab: Tab, text: string, guard: Typing["guard"]): Promise<void> => {
  if (text === "") return
  if (guard !== undefined) await Guarded.checkFocus(tab, guard, text)
  const frame = await Focus.find(tab)
  const goesOn =
    frame === null || (await World.run(tab, frame, "pasteInto", { name: Focus.name, text }).catch(() => true))
  if (goesOn) await tab.page.keyboard.insertText(text)
}
