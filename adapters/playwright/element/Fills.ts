/**
 * What was typed into the fields and editors of a tab and chosen from its lists, which is read once more before an act that
 * may send it: a page may have put an old value back meanwhile.
 */
import type { Frame, Locator, Page } from "playwright-core"
import type { Guard } from "../../../core/browser/element/ElementQuery.ts"
import { fate, type Held } from "../../../core/browser/element/ReadBack.ts"
import { PageFailure } from "../../../core/browser/PageFailure.ts"
import type { Remark } from "../../../core/browser/Remark.ts"
import type { Typing } from "../../../core/browser/vision/Typing.ts"
import type { Filled, FillKind } from "../injected/act/Fills.ts"
import * as World from "../inpage/World.ts"
import type { Tab } from "../page/Tabs.ts"
import * as Editing from "./Editing.ts"
import * as Focus from "./Focus.ts"

/** A text in a field or an editor, or what was chosen from a list. */
export interface Fill {
  readonly kind: FillKind
  readonly frame: Frame
  /** Where an editor shows it: its document may be in a frame of its own. */
  readonly editor: Editing.Editor | null
  readonly existing: Typing["existing"]
  /** The address of its document when it was typed. */
  readonly address: string
  /** The name under which the field is kept in the world of the frame. */
  readonly name: string
  readonly selector: string
  readonly field: Locator
  readonly text: string
  readonly guard: Guard | undefined
  /** Types it again, in place of what the field holds. A choice is not made again: it may be what a menu has done already. */
  readonly again: (timeout: number) => Promise<void>
}

interface State {
  fills: Array<Fill>
  /** The fills since which the workflow has acted on the page otherwise: that may have changed them for good. */
  readonly older: Set<Fill>
  readonly remarks: Array<Remark>
}

const states = new WeakMap<Page, State>()

const stateOf = ({ page }: Pick<Tab, "page">): State => {
  const state = states.get(page) ?? { fills: [], older: new Set(), remarks: [] }
  states.set(page, state)
  return state
}

/** Maximum number of fills that are read again. */
const mostFills = 200

/** Notes a text that a field holds now. */
export const note = (tab: Tab, fill: Fill): void => {
  const state = stateOf(tab)
  const others = state.fills.filter(({ frame, selector }) => frame !== fill.frame || selector !== fill.selector)
  state.fills = [...others, fill].slice(-mostFills)
}

/** The workflow acts on the page otherwise than by typing, as when it chooses from a list. */
export const outdate = (tab: Tab): void => {
  const { fills, older } = stateOf(tab)
  for (const fill of fills) older.add(fill)
}

/** What was done about fills, and what clicks did not do, since this was last asked. */
export const remarks = (tab: Tab): ReadonlyArray<Remark> => stateOf(tab).remarks.splice(0)

/** Notes that nothing was seen to change by a click. */
export const noteEffectless = (tab: Tab, selector: string): void =>
  void stateOf(tab).remarks.push({ kind: "effectless", selector, reason: "nothing on the page has changed by it" })

/** How long a field may take to answer, in milliseconds. */
const readMillis = 1_000

/**
 * Reads the fills of a frame again before an element there is clicked, or a key sends its form. What the page took back is
 * typed again; fails where the page does not keep it. Nothing is read for an element that only changes the form.
 */
export const before = async (
  tab: Tab,
  frame: Frame,
  element: Locator,
  { submits = false, timeout }: { readonly submits?: boolean; readonly timeout: number }
): Promise<void> => {
  const state = stateOf(tab)
  const isThere = (fill: Fill) => (fill.editor?.frame ?? fill.frame).url() === fill.address
  const own = state.fills.filter((fill) => fill.frame === frame && isThere(fill))
  state.fills = state.fills.filter((fill) => fill.frame !== frame || isThere(fill))
  if (own.length === 0) return
  const fills = own.map(({ kind, name }) => ({ kind, name }))
  const root = { root: element, waitMillis: timeout }
  const { fields, use } = await World.run(tab, frame, "beforeUse", { fills, submits }, root)
  if (use === "focus") return
  if (use === "field") return outdate(tab)
  if (use === "option") {
    // It takes the place of what was typed to find it.
    state.fills = state.fills.filter((fill) => fill !== own.at(-1))
    return outdate(tab)
  }
  const sent = own.filter((_, index) => fields[index] !== "elsewhere")
  if (use === "act") {
    for (const fill of sent)
      await restore(tab, state, fill, await inside(tab, fill, fields[own.indexOf(fill)] ?? "gone"))
  }
  state.fills = state.fills.filter((fill) => !sent.includes(fill))
}

/** What is kept of a fill, also in the frame of an editor. */
const inside = async (tab: Tab, { editor, frame, name }: Fill, found: Filled): Promise<Filled> =>
  editor === null || editor.frame === frame
    ? found
    : World.run(tab, editor.frame, "editorNow", name).catch(() => "gone" as const)

/** The same before a key that sends the form of the field that has the focus. */
export const beforeSubmit = async (tab: Tab): Promise<void> => {
  if (stateOf(tab).fills.length === 0) return
  const frame = await Focus.find(tab)
  if (frame === null) return
  await World.run(tab, frame, "keepFocus", submitting)
  const field = World.kept(frame, submitting)
  const { remarks } = stateOf(tab)
  const known = remarks.length
  await before(tab, frame, field, { submits: true, timeout: readMillis })
  // The key goes where the focus was.
  if (remarks.length > known) await field.focus({ timeout: readMillis })
}

/** The name under which the field is kept that takes the key. */
const submitting = "submitting"

/** What a field holds that is looked for again; `null` where there is none, or no one. */
const lookAgain = async (tab: Tab, fill: Fill): Promise<Held | null> => {
  const { field, frame, kind, name } = fill
  if ((await field.count()) !== 1) return null
  const root = { root: field, waitMillis: readMillis }
  if (kind === "list") return World.run(tab, frame, "chosenAt", null, root)
  if (kind !== "editor") return World.run(tab, frame, "heldBy", name, root)
  const { editor } = await World.run(tab, frame, "typed", null, root)
  if (editor === null) return null
  const inner = await Editing.enter(tab, frame, editor, undefined)
  return { value: await World.run(tab, inner.frame, "editorText", name), type: "editor" }
}

/** What became of a fill: see `ReadBack.fate`. */
const fateOf = (fill: Fill, now: Held, before: string | null, isOlder: boolean): ReturnType<typeof fate> => {
  const { editor, existing, kind, text } = fill
  if (kind === "text") return fate(now, text, before, isOlder)
  const isChanged = now.value.trim() !== "" && now.value !== before
  const stands =
    kind === "editor"
      ? Editing.stillShows(editor?.kind ?? "rich", now.value, text, existing)
      : kind === "list"
        ? now.value.toLowerCase().includes(text.toLowerCase())
        : now.value === text
  if (stands) return "stands"
  return isOlder && (kind !== "editor" || isChanged) ? "replaced" : "lost"
}

/** What is held instead of what was filled, unless that is secret. */
const instead = ({ guard, kind, text }: Fill, now: Held): string => {
  if (guard !== undefined || now.type === "password") return ""
  const [held, wanted] = [now.value.trim(), text].map((one) =>
    JSON.stringify(one.length > 100 ? `${one.slice(0, 100)}…` : one)
  )
  return kind === "text" || kind === "editor"
    ? `: it holds ${held} instead of ${wanted}`
    : `: it has ${held} instead of ${wanted}`
}

const restore = async (tab: Tab, state: State, fill: Fill, found: Filled): Promise<void> => {
  const { existing, kind, selector } = fill
  const read = () => lookAgain(tab, fill).catch(() => null)
  if (found === "elsewhere") return
  const now = found === "gone" ? await read() : found
  // The page has no such field any more, or it holds what it should.
  if (now === null) return
  const { before, unsure = false } = found === "gone" ? { before: null } : found
  if (fateOf(fill, now, before, state.older.has(fill)) !== "lost") return
  if (kind === "choice" || kind === "list") {
    const reason = `the page took back what was chosen there${instead(fill, now)}`
    if (!unsure) throw new PageFailure({ kind: "unusable", reason, selector })
    state.remarks.push({ kind: "unchosen", selector, reason })
    return
  }
  // What was added to the text of an editor would be all that it has then.
  const isAgain = kind === "text" || existing !== "keep"
  if (isAgain) {
    await fill.again(readMillis)
    await fill.field.blur({ timeout: readMillis }).catch(() => undefined)
  }
  const then = isAgain ? await read() : now
  if (then !== null && fateOf(fill, then, null, false) === "lost") {
    const taken = `the page took back the text that was typed there${isAgain ? ", and did so again" : ""}`
    throw new PageFailure({ kind: "unusable", reason: `${taken}${instead(fill, then)}`, selector })
  }
  state.remarks.push({ kind: "refilled", selector, reason: "the page had taken the text back before it was sent" })
}
