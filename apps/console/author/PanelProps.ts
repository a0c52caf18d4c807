/** What the panel of a step, and the parts of it, are given. */
import type * as Column from "./Column.ts"
import type { Draft, PageTarget, Pointed } from "./Conversation.ts"

export interface PanelProps {
  readonly draft: Draft
  readonly column: Column.Block
  readonly lines: ReadonlyArray<Column.Line>
  readonly node: Column.Node
  readonly isBusy: boolean
  readonly isReadOnly: boolean
  /** `null` while no page is open. */
  readonly page: Pointed | null
  /** Why it failed; `null` where it did not. */
  readonly problem: string | null
  /** Whether a click on the page chooses another element for it. */
  readonly isPointing: boolean
  /** The element that was chosen for it. */
  readonly pointed: PageTarget | null
  readonly onPointing: (isPointing: boolean) => void
  readonly onChange: (column: Column.Block | null) => void
  readonly onSay: (...texts: ReadonlyArray<string>) => void
  readonly onSelect: (id: string | null) => void
}
