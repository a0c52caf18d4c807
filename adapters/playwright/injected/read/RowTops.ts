/**
 * Where the rows of a list are in the container that scrolls them.
 */

import { keep, kept, keptBefore, keptElement } from "../find/Kept.ts"
import { hasShadow } from "../find/Nodes.ts"
import { items, type Path } from "./Extract.ts"

/** The distance of each row from the beginning of what is kept as `scroller`, in pixels. */
export const rowTops = (path: Path): ReadonlyArray<number> => {
  const own = items(path, document, false, false)
  const rows = own.length === 0 && hasShadow() ? items(path, document, true, false) : own
  const scroller = keptBefore("scroller")
  const isRoot = scroller === document.scrollingElement || scroller === document.documentElement
  const start =
    scroller.scrollTop - (isRoot ? scroller.scrollTop : 0) - (isRoot ? -scrollY : scroller.getBoundingClientRect().top)
  return rows.map((row) => (row instanceof Element ? Math.round(row.getBoundingClientRect().top + start) : Number.NaN))
}

/** Keeps what is kept as `scroller` also for reads that come later. */
export const keepScrolled = (): void => keep("scrolled", kept("scroller"))

/** Scrolls what was kept for later reads to its start, and keeps it as `scroller`. `false` where it is there no longer. */
export const scrollBackToStart = (): boolean => {
  const scroller = keptElement("scrolled")
  if (scroller === null) return false
  keep("scroller", scroller)
  scroller.scrollTo({ top: 0, behavior: "instant" })
  return true
}
