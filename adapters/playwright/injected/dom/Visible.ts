/**
 * Whether an element is visible to a person, and whether it is usable. This is the only definition of both in pages.
 *
 * An element is visible where Playwright takes it to be visible: it is laid out with a box and not
 * `visibility: hidden`, and where a person sees it besides: it is not transparent, not clipped away, and in the
 * viewport or within reach of scrolling. The decision on code beside pages says why.
 */

import { childrenOf } from "../find/Nodes.ts"
import { drawnIn } from "./Tree.ts"
import { remembered } from "./Visit.ts"

/** Whether a person sees an element, or would once it is scrolled to. */
export const isVisible = (element: Element): boolean => isShown(element, true)

/**
 * Whether an element accepts clicks and keys: a visible one that is not inert, or a transparent control, which pages
 * place over their own drawing of it.
 */
export const isUsable = (element: Element): boolean => {
  if (isInert(element)) return false
  return isVisible(element) || (takesClicksUnseen(element) && isShown(element, false))
}

/**
 * The element that a person clicks for a control: the control where it is usable, or else the first visible label of a
 * box that can be checked; `null` where there is neither.
 */
export const clickedFor = (element: Element): Element | null => {
  if (isUsable(element)) return element
  if (!(element instanceof HTMLInputElement) || !/^(checkbox|radio)$/.test(element.type)) return null
  return isInert(element) || element.disabled ? null : ([...(element.labels ?? [])].find(isVisible) ?? null)
}

/** Whether an element, or what is in an element that has no box itself, is laid out. Options are, in a list that is. */
export const isRendered = (element: Element): boolean =>
  getComputedStyle(element).display !== "none" || element instanceof HTMLOptionElement

const isShown = (element: Element, opaque: boolean): boolean => {
  const { display, visibility } = getComputedStyle(element)
  // It has no box: what is in it has.
  if (display === "contents") return [...childrenOf(element)].some((node) => isShownWithin(node, opaque))
  if (visibility !== "visible" || !element.checkVisibility()) return false
  if (opaque && isTransparent(element)) return false
  const box = element.getBoundingClientRect()
  return box.width > 1 && box.height > 1 && !isClippedAway(element) && isInReach(element, box)
}

const isShownWithin = (node: Node, opaque: boolean): boolean => {
  if (node instanceof Element) return isShown(node, opaque)
  if (node.nodeType !== Node.TEXT_NODE) return false
  const range = document.createRange()
  range.selectNode(node)
  const { height, width } = range.getBoundingClientRect()
  return height > 0 && width > 0
}

const isTransparent: (element: Element) => boolean = remembered((element) => {
  if (getComputedStyle(element).opacity === "0") return true
  const outer = drawnIn(element)
  return outer !== null && isTransparent(outer)
})

const takesClicksUnseen = (element: Element): boolean => {
  const outer = drawnIn(element)
  return getComputedStyle(element).pointerEvents !== "none" && (outer === null || !isTransparent(outer))
}

const isInert: (element: Element) => boolean = remembered((element) => {
  if (element.hasAttribute("inert")) return true
  const outer = drawnIn(element)
  return outer !== null && isInert(outer)
})

// --- clipping

/** Whether nothing of an element is drawn because it, or what it is in, clips everything. */
const isClippedAway = (element: Element): boolean => {
  if (clipsItself(getComputedStyle(element))) return true
  const outer = clippedBy(element)
  return outer !== null && isFolded(outer)
}

/** Whether an element shows nothing of what is in it. */
const isFolded: (element: Element) => boolean = remembered((element) => clipsAll(element) || isClippedAway(element))

/** Clips an element and its content completely, as for content for screen readers only. */
const clipsItself = ({ clip, clipPath, position }: CSSStyleDeclaration): boolean =>
  /^inset\((50|100)%\)$/.test(clipPath) ||
  (/^rect\((0px|1px)(,? \1){3}\)$/.test(clip) && /^(absolute|fixed)$/.test(position))

/** Clips what is in an element, and has no room for it, as a folded section. */
const clipsAll = (element: Element): boolean => {
  if (!(element instanceof HTMLElement) || element === document.body || element === document.documentElement)
    return false
  const { display, overflowX, overflowY } = getComputedStyle(element)
  if (display === "inline" || display === "contents") return false
  return (overflowX !== "visible" && element.clientWidth <= 1) || (overflowY !== "visible" && element.clientHeight <= 1)
}

/** The next element around that may clip this one: one that is placed freely leaves those that it is not placed by. */
const clippedBy = (element: Element): Element | null => {
  const { position } = getComputedStyle(element)
  if (position === "fixed") return null
  let outer = drawnIn(element)
  if (position === "absolute") while (outer !== null && !places(outer)) outer = drawnIn(outer)
  return outer
}

/** Whether what is in an element is placed by it. */
const places = (element: Element): boolean => {
  const { contain, filter, position, transform } = getComputedStyle(element)
  return (
    position !== "static" || transform !== "none" || filter !== "none" || /paint|layout|strict|content/.test(contain)
  )
}

// --- scrolling

/** How far scrolling can move something in each direction, in pixels; and whether it is fixed in the viewport. */
interface Reach {
  readonly left: number
  readonly right: number
  readonly up: number
  readonly down: number
  readonly fixed: boolean
}

const isInReach = (element: Element, { bottom, left, right, top }: DOMRect): boolean => {
  if (right > 0 && bottom > 0 && left < innerWidth && top < innerHeight) return true
  const reach = reachOf(element)
  if (right + reach.right <= 0 || bottom + reach.down <= 0) return false
  // A document grows to the right and down with what is in it, except with what is fixed.
  return !reach.fixed || (left - reach.left < innerWidth && top - reach.up < innerHeight)
}

const reachOf: (element: Element) => Reach = remembered((element) => {
  const outer = drawnIn(element)
  const isFixed = getComputedStyle(element).position === "fixed"
  if (isFixed || outer === null) return { left: 0, right: 0, up: 0, down: 0, fixed: isFixed }
  const reach = reachOf(outer)
  const { clientHeight, clientWidth, scrollHeight, scrollLeft, scrollTop, scrollWidth } = outer
  const wide = Math.max(scrollWidth - clientWidth, 0)
  const isLeftwards = wide > 0 && getComputedStyle(outer).direction === "rtl"
  return {
    left: reach.left + (isLeftwards ? -scrollLeft : wide - scrollLeft),
    right: reach.right + (isLeftwards ? wide + scrollLeft : scrollLeft),
    up: reach.up + Math.max(scrollHeight - clientHeight - scrollTop, 0),
    down: reach.down + scrollTop,
    fixed: reach.fixed
  }
})
