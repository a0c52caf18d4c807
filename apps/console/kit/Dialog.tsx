/**
 * A dialog above the page. It keeps the focus, and returns it when it closes. Escape closes it, unless `onClose` is `null`:
 * then it stays until its owner removes it.
 */
import type { ComponentChildren } from "preact"
import { useId, useLayoutEffect, useRef } from "preact/hooks"
import { plain } from "../data/PlainText.ts"

export const Dialog = ({
  children,
  onClose,
  title,
  wide = false
}: {
  readonly title: string
  readonly wide?: boolean
  readonly onClose: (() => void) | null
  readonly children: ComponentChildren
}) => {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  const isOpen = useRef(false)
  // Before the next frame: by then the user may have pressed a key and moved the focus.
  useLayoutEffect(() => {
    const shown = dialog.current
    shown?.showModal()
    isOpen.current = true
    return () => {
      isOpen.current = false
      // Closing gives the focus back to what had it.
      shown?.close()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      class={wide ? "dialog wide" : "dialog"}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose?.()
      }}
      // A browser may close the dialog at Escape without asking first. The event after its removal comes late and is
      // ignored.
      onClose={() => {
        if (!isOpen.current) return
        if (onClose === null) dialog.current?.showModal()
        else onClose()
      }}
      onClick={(event) => event.target === dialog.current && onClose?.()}
    >
      <div class="dialog-body">
        <header>
          <h2 id={id}>{plain(title)}</h2>
          {onClose !== null && (
            <button type="button" class="plain" aria-label="Close" onClick={onClose}>
              ✕
            </button>
          )}
        </header>
        {children}
      </div>
    </dialog>
  )
}
