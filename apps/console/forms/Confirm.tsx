/** Asks for confirmation of an act that cannot be undone. */
import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { Dialog } from "../kit/Dialog.tsx"

export const Confirm = ({
  children,
  onClose,
  onConfirm,
  title,
  word
}: {
  readonly title: string
  /** The label of the button that confirms. */
  readonly word: string
  readonly onConfirm: () => Promise<unknown>
  readonly onClose: () => void
  /** What will happen. */
  readonly children: ComponentChildren
}) => {
  const [isBusy, setBusy] = useState(false)
  const confirm = async () => {
    setBusy(true)
    await onConfirm()
    onClose()
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{children}</p>
      <div class="dialog-actions">
        <button type="button" class="danger" disabled={isBusy} onClick={() => void confirm()}>
          {word}
        </button>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </Dialog>
  )
}
