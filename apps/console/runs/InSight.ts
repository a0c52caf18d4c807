/** Which rows of a long list are visible. */

const beyond = 8

/** The tallest element that browsers lay out exactly, in pixels, with a margin. */
const mostPixels = 15_000_000

export interface Shown {
  readonly from: number
  readonly until: number
  /** The height of the scrolled element. */
  readonly pixels: number
  /** The offset of each row below its own place. It is not 0 when the list is taller than an element can be. */
  readonly shift: number
}

/** The visible rows, with some beyond, at a scroll position. */
export const inSight = (scrolled: number, height: number, rowHeight: number, count: number): Shown => {
  const tall = count * rowHeight
  const pixels = Math.min(tall, mostPixels)
  const way = pixels - height
  // In a list that is too tall, a pixel of scrolling passes more than one pixel of the list.
  const top = pixels === tall || way <= 0 ? scrolled : (Math.min(scrolled, way) / way) * (tall - height)
  return {
    from: Math.max(0, Math.floor(top / rowHeight) - beyond),
    until: Math.min(count, Math.ceil((top + height) / rowHeight) + beyond),
    pixels,
    shift: scrolled - top
  }
}
