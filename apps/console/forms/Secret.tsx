/** A secret that the service shows once, in the dialog that asked for it. */
import type { ComponentChildren } from "preact"
import { copy } from "./JsonText.tsx"

export const Secret = ({
  children,
  onClose,
  value,
  what
}: {
  readonly what: string
  readonly value: string
  readonly onClose: () => void
  readonly children?: ComponentChildren
}) => (
  <>
    <p>{children} Copy it now: it is shown this once.</p>
    <p class="mono secret">{value}</p>
    <div class="dialog-actions">
      <button type="button" class="primary" onClick={() => void copy(value, what)}>
        Copy
      </button>
      <button type="button" onClick={onClose}>
        Done
      </button>
    </div>
  </>
)
