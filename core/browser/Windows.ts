/**
 * The open windows of a session, as a person has them: one is looked at, and every verb of the page is about that one.
 *
 * A window that the page opens is looked at as soon as it is there, as browsers show it. When the one that is looked at
 * closes, whoever closed it, the one that it was opened from is looked at again, or else the one looked at before. They are
 * counted from 0, in the order in which they were opened; those after one that closes move up.
 */
import type { Effect } from "effect"
import type { PageFailure } from "./PageFailure.ts"

/** A question or a message that a page showed in a box of the browser, and what was answered for the person. */
export interface Dialog {
  readonly kind: "alert" | "confirm" | "prompt" | "beforeunload"
  readonly message: string
  /** What was entered in a prompt; `null` in the others. */
  readonly entered: string | null
}

export interface Windows {
  /** How many are open, and which is looked at. */
  readonly windows: Effect.Effect<{ readonly open: number; readonly current: number }>
  /** Opens an empty window, and looks at it. */
  readonly openWindow: Effect.Effect<void, PageFailure>
  /** Looks at a window, waiting for one with this number to be opened. */
  readonly switchWindow: (index: number, waitMillis: number) => Effect.Effect<void, PageFailure>
  /** Closes a window, or the one that is looked at. In the place of the last one an empty one is opened. */
  readonly closeWindow: (index: number | null) => Effect.Effect<void, PageFailure>
  /**
   * The dialogs that pages have shown since this was last asked. Each was accepted at once, as a person would to go on: a
   * prompt with what it proposes, and leaving a page that asks to stay.
   */
  readonly dialogs: Effect.Effect<ReadonlyArray<Dialog>>
}
