/**
 * The open windows of a session, one of which is looked at.
 */
import type { CDPSession, Page } from "playwright-core"
import { type Attempt, attempting, attemptingWithin } from "./Attempt.ts"
import { type Bounds, unbounded } from "./Bounds.ts"
import { departures } from "./Departures.ts"

/** An open window, and what is known of it. */
export interface Tab {
  readonly page: Page
  /** Whether it has crashed or was closed. */
  readonly isGone: () => boolean
  /** Whether it has asked for another document and has not arrived there yet. */
  readonly isDeparting: () => boolean
  /** A line to the browser about this window, opened once. */
  readonly devTools: () => Promise<CDPSession>
}

export interface Tabs {
  /** The window that is looked at. */
  readonly current: () => Tab
  /** Tries something in the window that is looked at, within the bounds of the session. */
  readonly attempt: Attempt
  /** Looks at the window whether or not bounds were passed: what went wrong can still be seen. */
  readonly look: Attempt
}

export const make = (first: Page, bounds: Bounds = unbounded): Tabs => {
  const tab = follow(first)
  const current = () => tab
  const isGone = () => current().isGone()
  const attempt = attemptingWithin(bounds, isGone, () => current().devTools())
  return { current, attempt, look: attempting(isGone) }
}

const follow = (page: Page): Tab => {
  let crashed = false
  let devTools: Promise<CDPSession> | undefined
  page.on("crash", () => {
    crashed = true
  })
  return {
    page,
    isGone: () => crashed || page.isClosed(),
    isDeparting: departures(page),
    devTools: () => {
      devTools ??= page.context().newCDPSession(page)
      return devTools
    }
  }
}
