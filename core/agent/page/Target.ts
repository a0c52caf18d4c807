/** Which element a verb is about. */

/** An element, and how long to wait for it, in milliseconds. */
export interface Target {
  readonly selector: string
  readonly waitMillis: number
  /** Takes the first element that matches. Without it, exactly one must match. */
  readonly first?: boolean
}

/** What is done to it with the pointer. */
export type ClickKind = "click" | "double_click" | "right_click" | "hover"
