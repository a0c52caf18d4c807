/** Typing into rich editors: their content is replaced by keys, and verified by the displayed text. */
import type { Frame } from "playwright-core"
import type { Typing } from "../../../core/browser/vision/Typing.ts"
import type { EditorKind } from "../injected/act/Editors.ts"
import * as World from "../inpage/World.ts"
import { Refused } from "../page/Attempt.ts"
import * as GuardedAction from "../page/GuardedAction.ts"
import type { Tab } from "../page/Tabs.ts"
import * as Focus from "./Focus.ts"

/** Maximum time for an editor to show a text, in milliseconds. */
const shownMillis = 3_000

const stepMillis = 25

export interface Editor {
  readonly kind: EditorKind
  readonly frame: Frame
}

/** The editor whose parts are kept in a frame, or the document in its frame. */
export const enter = async (tab: Tab, frame: Frame, kind: EditorKind, guard: Typing["guard"]): Promise<Editor> => {
  if (kind !== "frame") return { kind, frame }
  const inner = await Focus.frameIn(frame, "editor")
  if (inner === null) throw new Refused("unusable", "the frame has no document to type into")
  if (guard !== undefined) await GuardedAction.check(tab, inner, guard)
  if (!(await World.run(tab, inner, "keepBody", null))) {
    throw new Refused("unusable", "the document in this frame is not editable: give the selector of a field in it")
  }
  return { kind: "document", frame: inner }
}

/** Focuses an editor, and deletes its content or moves to its end. */
export const begin = async (
  { page }: Tab,
  { frame }: Editor,
  existing: Typing["existing"],
  timeout: number
): Promise<void> => {
  await World.kept(frame, "input").focus({ timeout })
  if (existing === "keep") return page.keyboard.press("ControlOrMeta+End")
  await page.keyboard.press("ControlOrMeta+a")
  await page.keyboard.press("Delete")
}

/**
 * Waits until an editor shows a text: alone if the content was replaced, otherwise together with the kept content.
 * Returns the failure if it does not show it in time. The editor is kept under a name where one is given.
 */
export const shows = async (
  tab: Tab,
  { frame, kind }: Editor,
  text: string,
  existing: Typing["existing"],
  name: string | null = null
): Promise<Refused | null> => {
  const wanted = plain(text)
  const holds = (shown: string): boolean =>
    existing === "keep" ? shown.includes(wanted) || (kind === "code" && wanted.endsWith(shown)) : shown === wanted
  const until = performance.now() + shownMillis
  let shown = ""
  while (true) {
    const now = await World.run(tab, frame, "editorText", name).catch(() => null)
    // The editor disappeared with its page, so the page has accepted the text.
    if (now === null) return null
    shown = plain(now)
    if (holds(shown)) return null
    if (kind === "code" && existing !== "keep" && shown !== "" && wanted.endsWith(shown)) break
    if (performance.now() > until) return missing(shown.length, wanted.length)
    await new Promise((resolve) => setTimeout(resolve, stepMillis))
  }
  // Only the last lines are rendered, so check that nothing precedes the first line of the text.
  await tab.page.keyboard.press("ControlOrMeta+Home")
  while (true) {
    shown = plain((await World.run(tab, frame, "editorText", null).catch(() => null)) ?? "")
    if (shown !== "" && wanted.startsWith(shown)) break
    if (performance.now() > until) return missing(shown.length, wanted.length)
    await new Promise((resolve) => setTimeout(resolve, stepMillis))
  }
  await tab.page.keyboard.press("ControlOrMeta+End")
  return null
}

/** Whether an editor that has shown a text still does, as far as it can be seen: code editors may show some lines only. */
export const stillShows = (kind: EditorKind, shown: string, text: string, existing: Typing["existing"]): boolean => {
  const [now, wanted] = [plain(shown), plain(text)]
  if (kind === "code") return now === "" ? wanted === "" : wanted.includes(now) || now.includes(wanted)
  return existing === "keep" ? now.includes(wanted) : now === wanted
}

const missing = (shown: number, wanted: number): Refused =>
  new Refused(
    "unusable",
    `the editor does not show the text that was typed: it shows ${shown} characters that differ from the ${wanted} of the text, white space left out`
  )

/** A text without white space and what editors use for it: they indent and break lines themselves. */
const plain = (text: string): string => text.normalize("NFC").replace(/[\s\u00ad\u200b-\u200d\u2060\ufeff\u00b7]/g, "")
