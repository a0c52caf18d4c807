/** A long list of rows of one height, of which only those in sight are in the document. */
import type { ComponentChildren } from "preact"
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"

const beyond = 8

/** The tallest element that browsers lay out exactly, in pixels, with a margin. */
const mostPixels = 15_000_000

export interface Shown {
  readonly from: number
  readonly until: number
  /** How tall the element is that is scrolled over. */
  readonly pixels: number
  /** How far below its own place each row is drawn. Not 0 where the list is taller than an element can be. */
  readonly shift: number
}

/** The rows in sight, with some beyond, by how far a list is scrolled. */
export const inSight = (scrolled: number, height: number, rowHeight: number, count: number): Shown => {
  const tall = count * rowHeight
  const pixels = Math.min(tall, mostPixels)
  const way = pixels - height
  // Over a list that is too tall, each pixel of scrolling passes more than one pixel of it.
  const top = pixels === tall || way <= 0 ? scrolled : (Math.min(scrolled, way) / way) * (tall - height)
  return {
    from: Math.max(0, Math.floor(top / rowHeight) - beyond),
    until: Math.min(count, Math.ceil((top + height) / rowHeight) + beyond),
    pixels,
    shift: scrolled - top
  }
}

export const Virtual = ({
  children,
  count,
  label,
  onScrolled,
  onSight,
  row,
  rowHeight
}: {
  readonly label: string
  readonly count: number
  readonly rowHeight: number
  readonly row: (index: number) => ComponentChildren
  /** Called with the rows that have come in sight: from the first one up to the one behind the last. */
  readonly onSight?: (from: number, until: number) => void
  readonly onScrolled?: (isAtTop: boolean) => void
  /** The head of the list, which stays in sight. */
  readonly children?: ComponentChildren
}) => {
  const region = useRef<HTMLDivElement>(null)
  const [sight, setSight] = useState({ scrolled: 0, height: 800 })
  const { from, pixels, shift, until } = inSight(sight.scrolled, sight.height, rowHeight, count)

  useLayoutEffect(() => {
    const element = region.current
    if (element === null) return
    const look = () => setSight({ scrolled: element.scrollTop, height: element.clientHeight })
    const observer = new ResizeObserver(look)
    observer.observe(element)
    look()
    return () => observer.disconnect()
  }, [])

  useEffect(() => {
    if (count > 0) onSight?.(from, until)
  }, [from, until, count])

  const scrolled = () => {
    const element = region.current
    if (element === null) return
    setSight({ scrolled: element.scrollTop, height: element.clientHeight })
    onScrolled?.(element.scrollTop < rowHeight / 2)
  }

  /** Arrow keys move between the rows; the list follows the focus. */
  const moved = (event: KeyboardEvent) => {
    const step =
      event.key === "ArrowDown" || event.key === "j" ? 1 : event.key === "ArrowUp" || event.key === "k" ? -1 : 0
    const target = event.target as HTMLElement
    if (
      step === 0 ||
      target.tagName === "SELECT" ||
      (target.tagName === "INPUT" && target.getAttribute("type") !== "checkbox")
    )
      return
    const at = target.closest("[data-row]")
    if (!(at instanceof HTMLElement)) return
    const next = region.current?.querySelector(`[data-row="${Number(at.dataset.row) + step}"] a`)
    if (!(next instanceof HTMLElement)) return
    event.preventDefault()
    next.focus()
  }

  return (
    <div
      class="list"
      role="table"
      aria-label={label}
      aria-rowcount={count + 1}
      ref={region}
      onScroll={scrolled}
      onKeyDown={moved}
    >
      {children}
      <div role="rowgroup" class="list-rows" style={{ height: `${pixels}px` }}>
        {Array.from({ length: Math.max(0, until - from) }, (_, offset) => from + offset).map((index) => (
          <div
            key={index}
            role="row"
            aria-rowindex={index + 2}
            data-row={index}
            class="list-row"
            style={{ transform: `translateY(${index * rowHeight + shift}px)`, height: `${rowHeight}px` }}
          >
            {row(index)}
          </div>
        ))}
      </div>
    </div>
  )
}
