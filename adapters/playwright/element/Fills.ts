/**
 * The texts that were typed into the fields of a tab, which are read once more before an act that may send them: a page may
 * have put an old value back meanwhile.
 */
import type { Frame, Locator, Page } from "playwright-core"
import type { Guard } from "../../../core/browser/element/ElementQuery.ts"
import { fate, type Held } from "../../../core/browser/element/ReadBack.ts"
import { PageFailure } from "../../../core/browser/PageFailure.ts"
import type { Remark } from "../../../core/browser/Remark.ts"
import * as World from "../inpage/World.ts"
import type { Tab } from "../page/Tabs.ts"
import * as Focus from "./Focus.ts"

/** A text in a field, or the value of a list. */
export interface Fill {
  readonly kind: "text" | "choice"
  readonly frame: Frame
  /** The address of the frame when it was typed. */
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
  const isSame = (one: Fill) => one.frame === fill.frame && one.selector === fill.selector
  state.fills = [...state.fills.filter((one) => !isSame(one)), fill].slice(-mostFills)
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
  const own = state.fills.filter((fill) => fill.frame === frame && fill.address === frame.url())
  state.fills = state.fills.filter((fill) => fill.frame !== frame || fill.address === frame.url())
  if (own.length === 0) return
  const names = own.map(({ name }) => name)
  const root = { root: element, waitMillis: timeout }
  const { fields, use } = await World.run(tab, frame, "beforeUse", { names, submits }, root)
  if (use === "focus") return
  if (use === "field") return outdate(tab)
  if (use === "option") {
    // It takes the place of what was typed to find it.
    state.fills = state.fills.filter((fill) => fill !== own.at(-1))
    return outdate(tab)
  }
  const sent = own.filter((_, index) => fields[index] !== "elsewhere")
  if (use === "act") {
    for (const fill of sent) await restore(tab, state, fill, fields[own.indexOf(fill)] ?? "gone")
  }
  state.fills = state.fills.filter((fill) => !sent.includes(fill))
}

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

/** A field, with what it held before it was typed into. */
type Found = Held & { readonly before: string | null }

const restore = async (tab: Tab, state: State, fill: Fill, found: Found | "gone" | "elsewhere"): Promise<void> => {
  const { frame, guard, selector, text } = fill
  const read = async (): Promise<Found | null> => {
    const held = await World.run(tab, frame, "heldBy", fill.name, { root: fill.field, waitMillis: readMillis }).catch(
      () => null
    )
    return held === null ? null : { ...held, before: null }
  }
  if (found === "elsewhere") return
  const now = found === "gone" ? ((await fill.field.count()) === 1 ? await read() : null) : found
  if (fill.kind === "choice") {
    if (now === null || now.value === text || state.older.has(fill)) return
    const values = guard === undefined ? `: it has ${JSON.stringify(now.value)} instead of ${JSON.stringify(text)}` : ""
    throw new PageFailure({ kind: "unusable", reason: `the page took back what was chosen there${values}`, selector })
  }
  // The page has no such field any more.
  if (now === null || fate(now, text, now.before, state.older.has(fill)) !== "lost") return
  await fill.again(readMillis)
  await fill.field.blur({ timeout: readMillis }).catch(() => undefined)
  const then = await read()
  if (then !== null && fate(then, text, null, false) === "lost") {
    const isSecret = guard !== undefined || then.type === "password"
    const values = isSecret ? "" : `: it holds ${JSON.stringify(then.value)} instead of ${JSON.stringify(text)}`
    const reason = `the page took back the text that was typed there, and did so again${values}`
    throw new PageFailure({ kind: "unusable", reason, selector })
  }
  state.remarks.push({ kind: "refilled", selector, reason: "the page had taken the text back before it was sent" })
}
