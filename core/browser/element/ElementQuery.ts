/** The element that a verb acts on. */
import type { Effect } from "effect"
import type { ElementFacts } from "./ElementFacts.ts"

export interface Guard {
  /** Returns why an action is not allowed on a document with this address; `null` if it is allowed. */
  (address: string): string | null
  /** The same for a text to paste that the step did not supply. Absent where the text does not matter. */
  readonly pasting?: (address: string, text: string) => Effect.Effect<string | null>
  /**
   * Why the text goes into no field but one that hides what it holds, such as a password field. Absent where it may be
   * typed into any.
   */
  readonly hiddenOnly?: string
}

/** An element, and how long to wait for it, in milliseconds. */
export interface ElementQuery {
  readonly selector: string
  readonly waitMillis: number
  /** How long the caller has already waited for it, in milliseconds; a failure reports the total. */
  readonly waitedMillis?: number
  /** Gives up before the time is over, once the page loads nothing and has not changed for a second. Only `read` does. */
  readonly untilSettled?: boolean
  /** Takes the first element that matches. Without it, exactly one must match. */
  readonly first?: boolean
  /** Checks the document (or frame) that contains the element, before any action on it. */
  readonly guard?: Guard | undefined
  /**
   * Acts on the element only as long as these are its facts, and fails with `changed` otherwise. Of a click, that is decided
   * by the events of the pointer in the document itself.
   */
  readonly unchanged?: ElementFacts | undefined
}

/**
 * The action of the pointer on an element. `press` holds the left button down until a `release`, or until the page is
 * left.
 */
export type ClickKind =
  | "click"
  | "double_click"
  | "triple_click"
  | "right_click"
  | "middle_click"
  | "hover"
  | "press"
  | "release"
