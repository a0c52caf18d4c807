/**
 * The open tabs of a session: one is the active tab, and every operation of the page acts on it.
 *
 * A tab that the page opens becomes active at once, as in a browser. When the active tab closes, for any reason,
 * its opener becomes active again or, if it is closed, the tab that was active before. Tabs are numbered from 0, in the order in
 * which they were opened; those after a closed one move up.
 */
import type { Effect } from "effect"
import type { PageFailure } from "./PageFailure.ts"

/** A dialog of a page (alert, confirm, prompt, beforeunload), and the automatic answer to it. */
export interface Dialog {
  readonly kind: "alert" | "confirm" | "prompt" | "beforeunload"
  readonly message: string
  /** The text that was entered in a prompt; `null` in the others. */
  readonly entered: string | null
}

export interface Tabs {
  /** How many tabs are open, and which one is active. */
  readonly tabs: Effect.Effect<{ readonly open: number; readonly current: number }>
  /** Opens an empty tab, which becomes active. */
  readonly openTab: Effect.Effect<void, PageFailure>
  /** Makes a tab active, waiting for one with this number to be opened. */
  readonly switchTab: (index: number, waitMillis: number) => Effect.Effect<void, PageFailure>
  /** Closes a tab, or the active one. If it was the last, an empty one is opened. */
  readonly closeTab: (index: number | null) => Effect.Effect<void, PageFailure>
  /**
   * The dialogs that pages have shown since the last call. Each was accepted at once: a prompt with its default text,
   * and `beforeunload` by leaving the page.
   */
  readonly dialogs: Effect.Effect<ReadonlyArray<Dialog>>
}
