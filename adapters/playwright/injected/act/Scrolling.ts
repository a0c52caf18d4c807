/**
 * Scrolling, and scroll positions.
 */
import { keep, keptBefore } from "../find/Kept.ts"

export type Axis = "x" | "y"

/** Whether an element has more than it shows, and its `overflow` is one of these. */
const scrolls = (element: Element, axis: Axis, overflow: RegExp): boolean => {
  const { overflowX, overflowY } = getComputedStyle(element)
  const room = axis === "y" ? element.scrollHeight - element.clientHeight : element.scrollWidth - element.clientWidth
  return room > 1 && overflow.test(axis === "y" ? overflowY : overflowX)
}

const rootScroller = (): Element => document.scrollingElement ?? document.documentElement

/** Keeps the scrollable element around the middle of the viewport as `scroller`. */
export const keepScrollerInMiddle = (axis: Axis): void => {
  const root = rootScroller()
  const { clientHeight, clientWidth } = document.documentElement
  let one = document.elementFromPoint(clientWidth / 2, clientHeight / 2)
  const isPage = (element: Element) =>
    element === root || element === document.body || element === document.documentElement
  while (one !== null && (isPage(one) || !scrolls(one, axis, /auto|scroll|overlay/))) one = one.parentElement
  keep("scroller", one ?? root)
}

/** Keeps the element itself, the largest in it, or the next one around it that scrolls, as `scroller`. */
export const keepScrollerOf = (axis: Axis, own: Element): void => {
  const isScroller = (element: Element) => scrolls(element, axis, /auto|scroll|overlay|hidden/)
  const size = (element: Element) => element.clientWidth * element.clientHeight
  const within = () => [...own.querySelectorAll("*")].filter(isScroller).sort((a, b) => size(b) - size(a))[0]
  let around = own.parentElement
  while (around !== null && !isScroller(around)) around = around.parentElement
  keep("scroller", isScroller(own) ? own : (within() ?? around ?? rootScroller()))
}

/** The element around another one, across the edge of a shadow tree. */
const holderOf = (element: Element): Element | null => {
  const root = element.getRootNode()
  return element.parentElement ?? (root instanceof ShadowRoot ? root.host : null)
}

/** The scroll position of the element that is kept as `scroller`, and where the wheel is turned to move it. */
export const measure = (axis: Axis) => {
  const element = keptBefore("scroller")
  const isRoot = element === document.scrollingElement || element === document.documentElement
  const { clientHeight, clientWidth } = document.documentElement
  const box = isRoot ? { left: 0, top: 0, right: clientWidth, bottom: clientHeight } : element.getBoundingClientRect()
  const [left, right] = [Math.max(box.left, 0), Math.min(box.right, clientWidth)]
  const [top, bottom] = [Math.max(box.top, 0), Math.min(box.bottom, clientHeight)]
  let around = 0
  for (let one = holderOf(element); one !== null; one = holderOf(one)) around += one.scrollTop + one.scrollLeft
  return {
    at: Math.round(Math.abs(axis === "y" ? element.scrollTop : element.scrollLeft)),
    extent: axis === "y" ? element.scrollHeight : element.scrollWidth,
    view: axis === "y" ? (isRoot ? clientHeight : element.clientHeight) : isRoot ? clientWidth : element.clientWidth,
    elements: element.getElementsByTagName("*").length,
    around: Math.round(around),
    x: (left + right) / 2,
    y: (top + bottom) / 2
  }
}

/** Scrolls what is kept as `scroller`. */
export const moveBy = ([axis, distance]: readonly [Axis, number]): void =>
  keptBefore("scroller").scrollBy({ [axis === "y" ? "top" : "left"]: distance, behavior: "instant" })

/** Scrolls the scrollable element in the middle of the viewport, or the page, and returns whether it moved. */
export const turn = (direction: "down" | "up"): boolean => {
  const sense = direction === "down" ? 1 : -1
  const ends = (element: Element) =>
    sense > 0 ? element.scrollTop + element.clientHeight < element.scrollHeight - 1 : element.scrollTop > 0
  const root = document.scrollingElement
  let target = document.elementFromPoint(innerWidth / 2, innerHeight / 2)
  while (target !== null && target !== root) {
    if (/auto|scroll/.test(getComputedStyle(target).overflowY) && target.clientHeight > 100 && ends(target)) break
    target = target.parentElement
  }
  target ??= root
  return target !== null && ends(target) && hasMoved(target, sense)
}

/** Scrolls the element kept as `scroller` by most of its visible size, and returns whether it moved. */
export const turnIn = (direction: "down" | "up"): boolean =>
  hasMoved(keptBefore("scroller"), direction === "down" ? 1 : -1)

const hasMoved = (element: Element, sense: 1 | -1): boolean => {
  const before = element.scrollTop
  const height = element === document.scrollingElement ? innerHeight : element.clientHeight
  element.scrollBy({ top: sense * height * 0.8, behavior: "instant" })
  return element.scrollTop !== before
}

/** Scrolls an element to a place in the window. */
export const intoView = (block: "start" | "center" | "end", element: Element): void =>
  element.scrollIntoView({ block, inline: "nearest", behavior: "instant" })

/** Scrolls an element into the window, and the frame that it is in, unless it is there. */
export const intoSight = (_arg: null, element: Element): void => {
  const own: Element & { readonly scrollIntoViewIfNeeded?: (center: boolean) => void } = element
  own.scrollIntoViewIfNeeded?.(true)
}

/** The position of the viewport in its document, and the size of both. */
export const placeOfWindow = () => {
  // A document that has just started to load has no root element.
  const { scrollHeight, scrollWidth } = document.documentElement ?? { scrollHeight: 0, scrollWidth: innerWidth }
  return {
    x: scrollX,
    y: scrollY,
    inWidth: innerWidth,
    inHeight: innerHeight,
    width: scrollWidth,
    height: Math.max(scrollHeight, document.body?.scrollHeight ?? 0)
  }
}

export const scrollWindowTo = ({ x, y }: { readonly x: number; readonly y: number }): void =>
  scrollTo({ left: x, top: y, behavior: "instant" })
