/**
 * The overlays of a page: dialogs, banners, and any element that covers the target.
 */
import type { Button, Overlay } from "../../../../core/browser/element/Survey.ts"
import { nameOf } from "../dom/Names.ts"
import { squeeze } from "../dom/Text.ts"
import { contains, everything, innermostAt } from "../dom/Tree.ts"
import { isVisible } from "../dom/Visible.ts"
import { idOf } from "../find/Nodes.ts"
import { selectorOf, steps } from "../find/Selectors.ts"
import { framesAmong, type Inner } from "./Frames.ts"

export interface Point {
  readonly x: number
  readonly y: number
}

/** Something that lies over the page, with the frames in it, which have to be asked themselves. */
export type CoveringOverlay = Overlay & { readonly frames: ReadonlyArray<Inner> }

/** The overlays in the document of a frame that lies over a page. */
export const inOverlay = (): Pick<Overlay, "text"> & { readonly buttons: ReadonlyArray<Button> } => ({
  text: squeeze(document.body?.innerText ?? "").slice(0, 1_000),
  buttons: buttonsOf(document.documentElement)
})

/** The middle of an element in the window, or that of what is sought in it, if it is a frame. */
export const middleOf = (element: Element, within: Point | null): Point => {
  const { height, left, top, width } = element.getBoundingClientRect()
  if (within === null) return { x: left + width / 2, y: top + height / 2 }
  return { x: left + element.clientLeft + within.x, y: top + element.clientTop + within.y }
}

/** The overlay at a point of an element; `null` where there is none. */
export const coverOf = (element: Element, { x, y }: Point): Element | null => {
  const at = innermostAt(x, y)
  return at === null || contains(element, at) || contains(at, element) ? null : at
}

/**
 * The visible overlays of a page, without those that hold the element that is sought; with the `cover` of that,
 * of any kind. `used` are elements that the run has used.
 */
export const overlaysOf = (
  shown: ReadonlyArray<Element>,
  target: Element | null,
  cover: Element | null,
  used: ReadonlyArray<Element>
): ReadonlyArray<CoveringOverlay> => {
  const isApart = (element: Element) => target === null || !contains(element, target)
  const dialogs = shown.filter((element) => isDialog(element) && isApart(element))
  const floating = shown.filter(
    (element) =>
      floats(element) &&
      isApart(element) &&
      !dialogs.some((other) => contains(element, other) || contains(other, element))
  )
  const outer = floating.filter((element) => !floating.some((other) => other !== element && contains(other, element)))
  const all = [...dialogs, ...outer]
  const blocking = cover === null ? null : blockingOf(cover, all, dialogs)
  return [...(blocking !== null && !all.includes(blocking) ? [blocking] : []), ...all]
    .map((one) => ({ ...overlayOf(one, one === blocking), isOwn: used.some((element) => contains(one, element)) }))
    .filter(({ buttons, coversTarget, frames, isDialog: says }) =>
      [coversTarget, says, buttons.length > 0, frames.length > 0].includes(true)
    )
    .slice(0, 10)
}

/** The element to remove so that nothing covers the target: a backdrop belongs to the dialog in front of it. */
const blockingOf = (cover: Element, all: ReadonlyArray<Element>, dialogs: ReadonlyArray<Element>): Element => {
  const holder = all.find((element) => contains(element, cover)) ?? null
  const isBackdrop =
    holder === null ||
    (dialogs.length > 0 && !dialogs.includes(holder) && buttonsOf(holder).length === 0 && framesIn(holder).length === 0)
  if (isBackdrop && dialogs.length > 0) return dialogs.at(-1) ?? cover
  if (holder === null) return boxInFront(cover, all) ?? cover
  return buttonsOf(holder).length === 0 && framesIn(holder).length === 0 ? (boxInFront(holder, all) ?? holder) : holder
}

/**
 * The box in front of a backdrop that stands beside it: the last one that floats, has buttons, and is the topmost at its
 * own middle. `null` if there is none.
 */
const boxInFront = (backdrop: Element, all: ReadonlyArray<Element>): Element | null =>
  all.findLast((element) => {
    if (element === backdrop || contains(element, backdrop) || buttonsOf(element).length === 0) return false
    const { x, y } = middleOf(element, null)
    const at = innermostAt(x, y)
    return at !== null && contains(element, at)
  }) ?? null

const isDialog = (element: Element): boolean =>
  (element instanceof HTMLDialogElement && element.open) ||
  /^(dialog|alertdialog)$/.test(element.getAttribute("role") ?? "") ||
  element.getAttribute("aria-modal") === "true"

const floats = (element: Element): boolean => {
  const { position, zIndex } = getComputedStyle(element)
  return position === "fixed" || position === "sticky" || (position === "absolute" && Number(zIndex) >= 10)
}

const framesIn = (element: Element): ReadonlyArray<Inner> =>
  framesAmong([element, ...everything(element, 500)].slice(0, 500)).slice(0, 3)

const overlayOf = (element: Element, coversTarget: boolean): CoveringOverlay => {
  const { height, width } = element.getBoundingClientRect()
  const text = squeeze(element instanceof HTMLElement ? element.innerText : element.textContent)
  const words = squeeze(text + (element.shadowRoot === null ? "" : ` ${element.shadowRoot.textContent ?? ""}`))
  return {
    signature: `${steps(element).at(-1) ?? ""}#${idOf(element)}@${element.getAttribute("role") ?? ""} ${words.slice(0, 80)}`,
    text: words.slice(0, 1_000),
    isDialog: isDialog(element),
    isAlert: element.getAttribute("role") === "alertdialog",
    coversTarget,
    coversPage:
      height * width > 0.5 * innerHeight * innerWidth &&
      words.length < 3_000 &&
      element.querySelector("main,nav") === null,
    buttons: buttonsOf(element),
    frames: framesIn(element)
  }
}

const pressable = "button,[role=button],a,input[type=button],input[type=submit],[aria-label*=close i],[class*=close i]"

/** The elements in an element that can be pressed and have a name. */
const buttonsOf = (element: Element): ReadonlyArray<Button> => {
  const all = everything(element, 500).filter((element) => element.matches(pressable) && isVisible(element))
  return all
    .filter((element) => !all.some((other) => other !== element && contains(other, element)))
    .slice(0, 20)
    .map((element) => {
      const isClose = /(^|[-_\s])close/i.test(element.getAttribute("class") ?? "")
      return { label: (nameOf(element) || (isClose ? "close" : "")).slice(0, 80), selector: selectorOf(element) }
    })
    .filter(({ label }) => label !== "")
}
