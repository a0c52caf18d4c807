/**
 * Whether a page is on its way to another document, and what waits until it has arrived there.
 */
import { setTimeout as pause } from "node:timers/promises"
import type { CDPSession, Frame, Page, Request } from "playwright-core"
import { PageFailure } from "../../../core/browser/PageFailure.ts"
import { within } from "../TimeLimit.ts"
import { hasActed, hasBegun, isTimeout } from "./Attempt.ts"

/** A tab that may be on its way. */
export interface Arriving {
  readonly page: Page
  /** Whether it has asked for another document and has not arrived there yet. */
  readonly isDeparting: () => boolean
  /** How long a document may take to load, in milliseconds. */
  readonly navigationMillis: number
  /** The CDP session of this tab, opened once. */
  readonly devTools: () => Promise<CDPSession>
}

/** How often it is checked whether a tab has arrived, in milliseconds. */
const stepMillis = 50

/** How long it may take to end the load of a document, in milliseconds. */
const stopMillis = 1_000

/** Watches a page, and returns whether it has asked for another document and has not arrived there yet. */
export const departures = (page: Page): (() => boolean) => {
  let asked: Request | null = null
  const answered = (request: Request) => {
    if (request === asked) asked = null
  }
  page.on("request", (request) => {
    if (request.isNavigationRequest() && frameOf(request) === page.mainFrame()) asked = request
  })
  page.on("requestfinished", answered)
  page.on("requestfailed", answered)
  page.on("framenavigated", (frame) => {
    if (frame === page.mainFrame()) asked = null
  })
  return () => asked !== null && !page.isClosed()
}

/** Watches until `stop` is called for the page that Chromium shows in place of one that could not be loaded. */
export const errorPage = (page: Page): { readonly shown: Promise<void>; readonly stop: () => void } => {
  let see: (frame: Frame) => void = () => undefined
  const shown = new Promise<void>((resolve) => {
    see = (frame) => {
      if (frame === page.mainFrame() && frame.url().startsWith("chrome-error:")) resolve()
    }
  })
  page.on("framenavigated", see)
  return { shown, stop: () => void page.off("framenavigated", see) }
}

/** Waits until a tab has arrived at the document that it asked for. `false` if that takes longer. */
export const arrival = async (tab: Arriving, millis: number): Promise<boolean> => {
  const until = performance.now() + millis
  // Events that the browser sent before its answer have been received then: a form that was sent a moment ago, for one.
  await within(millis, tab.page.context().cookies("http://localhost"))
  while (tab.isDeparting()) {
    if (performance.now() > until) return false
    await pause(stepMillis)
  }
  return true
}

/**
 * Does something with the pointer, and waits for where it leads.
 *
 * Playwright counts the load of the document that a click opens, and the time that the page takes for its handlers, into
 * the time for the element. Here both have the time of a navigation: what the page has received is done. Only a press
 * whose button may still be `held` is not.
 */
export const arriving = async (tab: Arriving, held: boolean, act: Promise<void>): Promise<void> => {
  try {
    await act
  } catch (error) {
    const log = isTimeout(error) ? error.message : ""
    if (!(held ? hasActed(log) : hasBegun(log))) throw error
    const until = performance.now() + tab.navigationMillis
    // A busy page answers once its handlers are done.
    const answer = tab.devTools().then((line) => line.send("Runtime.evaluate", { expression: "0" }))
    await within(tab.navigationMillis, answer)
    if (await arrival(tab, Math.max(until - performance.now(), 1))) return
    await stop(tab)
    const reason = `the page that it opens did not load within ${tab.navigationMillis} ms`
    throw new PageFailure({ kind: "unusable", reason, acted: true })
  }
}

/** Ends the load of a document that takes too long: until then the browser answers nothing about the page before it. */
export const stop = async (tab: Arriving): Promise<void> => {
  const ended = tab.devTools().then((line) => line.send("Page.stopLoading"))
  await within(stopMillis, ended)
}

/** The frame that asks; `null` for one that is not there yet. */
const frameOf = (request: Request): Frame | null => {
  try {
    return request.frame()
  } catch {
    return null
  }
}
