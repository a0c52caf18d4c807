/** The parts that every view is made of. */
import type { ComponentChildren } from "preact"
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"
import { plain } from "../data/PlainText.ts"

/** A view with its title. The title takes the focus when the view is opened, so that a screen reader reads it. */
export const Page = ({
  actions,
  children,
  note,
  title,
  wide = false
}: {
  readonly title: string
  readonly note?: ComponentChildren
  readonly actions?: ComponentChildren
  readonly wide?: boolean
  readonly children: ComponentChildren
}) => {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = plain(`${title} · Sluice`)
  }, [title])
  // Before the next frame: by then the user may have pressed a key on another element.
  useLayoutEffect(() => heading.current?.focus({ preventScroll: true }), [])
  return (
    <div class={wide ? "page wide" : "page"}>
      <header class="page-head">
        <div>
          <h1 ref={heading} tabIndex={-1}>
            {plain(title)}
          </h1>
          {note !== undefined && <p class="note">{note}</p>}
        </div>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </header>
      {children}
    </div>
  )
}

export const Section = ({
  actions,
  children,
  note,
  title
}: {
  readonly title: string
  readonly note?: ComponentChildren
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}) => (
  <section class="section" aria-label={title}>
    <header>
      <h2>{title}</h2>
      {note !== undefined && <span class="note">{note}</span>}
      {actions !== undefined && <div class="actions">{actions}</div>}
    </header>
    {children}
  </section>
)

/** The message of an empty list: what would be here, and how to get it. */
export const Empty = ({ children, title }: { readonly title: string; readonly children?: ComponentChildren }) => (
  <div class="empty">
    <p class="empty-title">{title}</p>
    {children !== undefined && <div>{children}</div>}
  </div>
)

export const Chip = ({
  children,
  label,
  onClick,
  pressed,
  title
}: {
  readonly children: ComponentChildren
  readonly label?: string
  readonly title?: string
  readonly pressed: boolean
  readonly onClick: (event: MouseEvent) => void
}) => (
  <button type="button" class="chip" aria-pressed={pressed} aria-label={label} title={title} onClick={onClick}>
    {children}
  </button>
)

/** A section that draws its content when it is open. */
export const Folded = ({ children, title }: { readonly title: string; readonly children: () => ComponentChildren }) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <details class="section folded" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <h2>{title}</h2>
      </summary>
      {isOpen && children()}
    </details>
  )
}
