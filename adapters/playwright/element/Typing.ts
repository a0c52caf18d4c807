/** Typing into an element, or into the focused one. */
import type { BrowserContext, Frame, Locator, Page } from "playwright-core"
import * as FieldValue from "../../../core/browser/element/FieldValue.ts"
import { type Held, isHeld, isNumber } from "../../../core/browser/element/ReadBack.ts"
import { PageFailure } from "../../../core/browser/PageFailure.ts"
import type { Typing } from "../../../core/browser/vision/Typing.ts"
import { copyKey, cutKey, pasteKey } from "../../../core/workflow/language/parameters/KeyTokens.ts"
import * as World from "../inpage/World.ts"
import { Refused } from "../page/Attempt.ts"
import * as GuardedAction from "../page/GuardedAction.ts"
import type { Tab } from "../page/Tabs.ts"
import * as Editing from "./Editing.ts"
import * as Fills from "./Fills.ts"
import * as Focus from "./Focus.ts"

/** A text that a field has, or the editor that shows it. */
export interface Entered {
  readonly text: string
  readonly editor: Editing.Editor | null
}

/**
 * Types into an element, in the way that is asked for. Returns the text that the field has then, or the editor is to show;
 * `null` where that is not known, or was sent.
 */
export const type = async (
  tab: Tab,
  frame: Frame,
  element: GuardedAction.Field,
  typing: Typing,
  timeout: number
): Promise<Entered | null> => {
  const { delayMillis, existing, guard, paste, readBack = false, strokes } = typing
  const [first, ...rest] = strokes
  const isText = typeof first === "string"
  const atOnce = existing === "replace" && delayMillis === 0 && !paste && (first === undefined || isText)
  const setting = { text: isText ? first : "", isChosen: false, readBack, timeout, guard }
  const isWhole = isText && readBack && first !== "" && rest.length === 0
  const whole = isWhole ? { text: first, editor: null } : null
  // The usual case, with fewer answers to wait for on a page that is busy.
  if (atOnce && (await setPlain(tab, frame, element, setting))) {
    await strike(tab, rest, typing)
    return whole
  }
  const { editor, isChosen } = await element.typed({ timeout })
  if (editor !== null) {
    const entered = await Editing.enter(tab, frame, editor, guard)
    await edit(tab, entered, typing, timeout, element.name)
    return isWhole ? { text: first, editor: entered } : null
  }
  if (atOnce || (isText && isChosen)) {
    await set(tab, element, { ...setting, isChosen })
    await strike(tab, rest, typing)
    return whole
  }
  const before = existing === "keep" && readBack ? ((await heldBy(element))?.value ?? "") : ""
  if (existing === "replace") await element.fill("", { timeout })
  else await element.focus({ timeout })
  if (existing === "erase") await erase(tab.page)
  // Also the last one of several lines.
  if (existing === "keep") await tab.page.keyboard.press("ControlOrMeta+End")
  if (!isText) {
    await strike(tab, strokes, typing)
    return null
  }
  await strike(tab, [first], typing)
  if (readBack) await stands(element, first, before, guard)
  await strike(tab, rest, typing)
  return isWhole ? { text: `${before}${first}`, editor: null } : null
}

/** The name under which the field that had the focus is kept while it is typed into. */
const focused = "focused"

/**
 * Types where the focus is. A field there must hold the text, unless the page has emptied it: pages that scan codes take
 * each text away.
 */
export const typeFocused = async (tab: Tab, typing: Typing): Promise<void> => {
  const { existing, guard, readBack = false, strokes } = typing
  const [first, ...rest] = strokes
  const frame = readBack && typeof first === "string" ? await Focus.find(tab) : null
  if (frame === null || typeof first !== "string") return strike(tab, strokes, typing)
  await World.run(tab, frame, "keepFocus", focused)
  const field = GuardedAction.fieldOf(tab, frame, World.kept(frame, focused))
  const before = existing === "keep" ? ((await heldBy(field))?.value ?? "") : ""
  await strike(tab, [first], typing)
  if ((await heldBy(field))?.value !== "") await stands(field, first, before, guard)
  await strike(tab, rest, typing)
}

/** Types into an editor, and once more if the page set the editor's content meanwhile. */
const edit = async (tab: Tab, editor: Editing.Editor, typing: Typing, timeout: number, name: string): Promise<void> => {
  const { existing, readBack = false, strokes } = typing
  const [first, ...rest] = strokes
  await Editing.begin(tab, editor, existing, timeout)
  if (typeof first !== "string") return strike(tab, strokes, typing)
  await enterText(tab, editor, first, typing)
  if (readBack) {
    let lost = await Editing.shows(tab, editor, first, existing, name)
    // What is kept would get the text twice.
    if (lost !== null && existing !== "keep") {
      await Editing.begin(tab, editor, existing, timeout)
      await enterText(tab, editor, first, typing)
      lost = await Editing.shows(tab, editor, first, existing, name)
    }
    if (lost !== null) throw lost
  }
  await strike(tab, rest, typing)
}

/**
 * Enters a text where the keys of an editor go. Editors complete brackets and indent lines while typing, so the text is
 * pasted and followed by a key without effect. If the page does not handle the paste, the last character is typed as a key.
 */
const enterText = async (tab: Tab, editor: Editing.Editor, text: string, typing: Typing): Promise<void> => {
  const { delayMillis, guard, pauses = [] } = typing
  const isByKeys = editor.kind !== "code" && !typing.paste && (delayMillis > 0 || pauses.length > 0)
  if (isByKeys) return strike(tab, [text], typing)
  if (typing.html === true) return paste(tab, text, guard, true)
  if (text === "") return
  if (guard !== undefined) await GuardedAction.checkFocus(tab, guard)
  // Editors of whole documents handle a paste asynchronously, so it cannot be detected whether they do.
  if (editor.kind === "document" || (await offer(tab, text))) await insert(tab, text, guard)
  else await tab.page.keyboard.press("ControlOrMeta+End")
}

const erase = async (page: Page): Promise<void> => {
  await page.keyboard.press("ControlOrMeta+a")
  await page.keyboard.press("Backspace")
}

interface Setting {
  readonly text: string
  /** How the text is first entered, in place of `fill` of the field. */
  readonly enter?: Locator["fill"]
  readonly isChosen: boolean
  readonly readBack: boolean
  readonly timeout: number
  readonly guard: Typing["guard"]
}

/** The last character of a text that a key of the keyboard writes; nothing where that key would do something else. */
const lastKey = (text: string): string => /[ -~]$/.exec(text)?.[0] ?? ""

/** Sets the text of a plain field. Returns `false`, with nothing done, for another element, or one that is not known yet. */
const setPlain = async (tab: Tab, frame: Frame, element: GuardedAction.Field, setting: Setting): Promise<boolean> => {
  const { fillPlain, selectPlain } = element
  if (fillPlain === undefined || selectPlain === undefined) return false
  const began = performance.now()
  // A frame may be hidden, which its document does not know.
  const state = setting.text === "" || frame.parentFrame() !== null ? "later" : await selectPlain(setting)
  if (state === "special") return false
  const timeout = Math.max(setting.timeout - (performance.now() - began), 1)
  if (state === "later") return set(tab, element, { ...setting, timeout, enter: fillPlain })
  // What is selected is replaced by the first key, too.
  const insert = async (text: string) => (text === "" ? undefined : tab.page.keyboard.insertText(text))
  return set(tab, element, { ...setting, timeout, enter: insert })
}

/**
 * Sets the text except for its last key at once, or key by key if the field does not accept that. Returns `false`, with
 * nothing done, for an element that `fillPlain` does not fill.
 */
const set = async (tab: Tab, element: GuardedAction.Field, setting: Setting): Promise<boolean> => {
  const { enter = element.fill, guard, isChosen, readBack, text, timeout } = setting
  const { page } = tab
  const key = isChosen ? "" : lastKey(text)
  try {
    await enter(text.slice(0, text.length - key.length), { timeout })
  } catch (error) {
    if (World.signalOf(error)?.kind === "special") return false
    const reason = String(error)
    if (/not an <input>/.test(reason)) {
      // It is around the field.
      const [inner, ...others] = await element.inner(
        "css=input:not([type=hidden]),textarea,[contenteditable=''],[contenteditable=true]"
      )
      if (inner === undefined || others.length > 0) throw error
      const inside = await inner.typed({ timeout })
      return set(tab, inner, { text, isChosen: inside.isChosen, readBack, timeout, guard })
    }
    if (!/Malformed value|Cannot type text into/.test(reason)) throw error
    if (!(await fillAs(element, text, timeout))) {
      if (key === "") throw error
      // The text without its last key may be invalid, such as the sign of a number.
      await element.fill(text, { timeout })
    }
    await notice(page)
    return true
  }
  if (key !== "") await keyIn(tab, key, { delay: 0 }, guard)
  else if (text !== "") await notice(page)
  if (text === "" || (await isTaken(element, text))) return true
  // The page may have moved the focus between the text and its last key, or before both.
  await element.takeBack(text, { timeout: 1_000 }).catch(() => undefined)
  if ((await fillAs(element, text, timeout)) && (await isTaken(element, text))) return true
  // A masked field accepts keys only. If it changes the text, it would do so again.
  if (isChosen) return readBack ? stands(element, text, "", guard).then(() => true) : true
  await element.focus({ timeout: 1_000 })
  await erase(page)
  await keyIn(tab, text, { delay: 0 }, guard)
  if (readBack) await stands(element, text, "", guard, slowly)
  return true
}

/** Whether a field, or it with those that follow it, has taken a text; also where it went away with its page. */
const isTaken = async (element: GuardedAction.Field, text: string): Promise<boolean> => {
  const held = await heldBy(element)
  return held === null || isHeld(held, text) || (await isSpread(element, text))
}

/** A key that writes nothing, for pages that listen to keys. */
const notice = (page: Page): Promise<void> => page.keyboard.press("Shift")

/** What a field holds; `null` for what is no field, or went away with its page. */
const heldBy = (element: GuardedAction.Field): Promise<Held | null> =>
  element.held({ timeout: 1_000 }).catch(() => null)

/** Whether a page has spread a text over a field and those that follow it; not where the field went away. */
const isSpread = (element: GuardedAction.Field, text: string): Promise<boolean> =>
  element.isSpread(text, { timeout: 1_000 }).catch(() => false)

/** Fails if a field does not hold what was typed behind what it held before. */
const stands = async (
  element: GuardedAction.Field,
  text: string,
  before: string,
  guard: Typing["guard"],
  hint = ""
): Promise<void> => {
  const held = await heldBy(element)
  if (held === null || isHeld(held, `${before}${text}`) || (await isSpread(element, text))) return
  if (before !== "" && held.value !== before && held.value.includes(text.trim())) return
  const isSecret = guard !== undefined || held.type === "password"
  // A retry would append the text a second time.
  const acted = before === "" ? {} : { acted: true }
  const reason = `${otherwise(held.value, `${before}${text}`, isSecret)}${hint}`
  throw new PageFailure({ kind: "unusable", reason, ...acted })
}

/** What may help where a field takes neither a text at once nor keys that follow each other without a pause. */
const slowly = "; a field that follows each key may take it with typing_delay_ms, such as 50"

/** What a field holds instead of a text, without either where the text is secret. */
const otherwise = (held: string, text: string, isSecret: boolean): string => {
  if (held === "") return "the field is empty after the text was typed"
  if (text.startsWith(held)) return `the field has only the first ${held.length} of its ${text.length} characters`
  if (isSecret) return "the field holds something else than the text that was typed"
  return `the field holds ${quoted(held)} instead of ${quoted(text)}`
}

/** Maximum length of a value in a failure, in characters. */
const longestShown = 100

const quoted = (text: string): string => {
  const shown = text.length > longestShown ? `${text.slice(0, longestShown)}…` : text
  return isNumber(shown) ? shown : JSON.stringify(shown)
}

/**
 * Types a text key by key into the focused element. The guard is checked before each key, because the focus may move.
 */
const keyIn = async (tab: Tab, text: string, options: { delay: number }, guard: Typing["guard"]): Promise<void> => {
  const { keyboard } = tab.page
  // The second of both events does not wait for the page's answer to the first.
  if (guard === undefined && options.delay === 0 && lastKey(text) === text && text !== "") {
    await Promise.all([keyboard.down(text), keyboard.up(text)])
    return
  }
  if (guard === undefined) return keyboard.type(text, options)
  for (const character of text) {
    await GuardedAction.checkFocus(tab, guard)
    await keyboard.type(character, options)
  }
}

/** Fills a field of dates, numbers and the like with what a text means there. */
const fillAs = async (element: GuardedAction.Field, text: string, timeout: number): Promise<boolean> => {
  const value = FieldValue.forType((await element.getAttribute("type", { timeout })) ?? "", text)
  if (value !== null) await element.fill(value, { timeout })
  return value !== null
}

/** The text that was copied in a session. The clipboard of the browser is shared with other sessions, so it is left alone. */
const copied = new WeakMap<BrowserContext, string>()

/** Stores a text as the copied text of the session of a tab. */
export const keepCopied = ({ page }: Tab, text: string): void => void copied.set(page.context(), text)

/** Types into the focused element. */
export const strike = async (tab: Tab, strokes: Typing["strokes"], typing: Typing): Promise<void> => {
  const { delayMillis, guard, html = false, paste: asPaste, pauses = [] } = typing
  let at = 0
  for (const stroke of strokes) {
    if (typeof stroke !== "string") await press(tab, stroke.key, guard)
    else if (asPaste) await paste(tab, stroke, guard, html)
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
  if (key === copyKey || key === cutKey) {
    const frame = await Focus.find(tab)
    const text = frame === null ? null : await World.run(tab, frame, "copy", Focus.name).catch(() => null)
    if (text === null || text === "") return
    keepCopied(tab, text)
    if (key === cutKey) await page.keyboard.press("Delete")
  } else if (key === pasteKey) await paste(tab, copied.get(page.context()) ?? "", guard)
  else {
    if (key === "Enter") await Fills.beforeSubmit(tab)
    await page.keyboard.press(key)
  }
}

const paste = async (tab: Tab, text: string, guard: Typing["guard"], isHtml = false): Promise<void> => {
  if (text === "") return
  if (guard !== undefined) await GuardedAction.checkFocus(tab, guard, text)
  if (isHtml) return pasteHtml(tab, text)
  if (await offer(tab, text)) await tab.page.keyboard.insertText(text)
}

/** Pastes a text where the focus is, and returns whether the page leaves it to the browser. */
const offer = async (tab: Tab, text: string): Promise<boolean> => {
  const frame = await Focus.find(tab)
  return frame === null || World.run(tab, frame, "pasteInto", { name: Focus.name, text }).catch(() => true)
}

/** Pastes HTML where the focus is. What the page leaves to the browser is inserted without scripts; a field gets its text. */
const pasteHtml = async (tab: Tab, html: string): Promise<void> => {
  const frame = await Focus.find(tab)
  if (frame === null) throw new Refused("unusable", "nothing has the focus to paste into")
  const rest = await World.run(tab, frame, "pasteHtmlInto", { name: Focus.name, html })
  if (rest !== null) await tab.page.keyboard.insertText(rest)
}

/** Inserts a text where the focus is, its last key by the keyboard. */
const insert = async (tab: Tab, text: string, guard: Typing["guard"]): Promise<void> => {
  const key = lastKey(text)
  await tab.page.keyboard.insertText(text.slice(0, text.length - key.length))
  if (key === "") await notice(tab.page)
  else await keyIn(tab, key, { delay: 0 }, guard)
}
