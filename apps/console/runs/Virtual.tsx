/** A long list of rows of equal height. Only the visible ones are in the document. */
import type { ComponentChildren } from "preact"
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"
import { inSight } from "./InSight.ts"

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
  /** Called with the visible rows: the index of the first, and the index after the last. */
  readonly onSight?: (from: number, until: number) => void
  readonly onScrolled?: (isAtTop: boolean) => void
  /** The head of the list, which stays visible. */
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
