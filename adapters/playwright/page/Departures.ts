/**
 * Whether a page is on its way to another document.
 */
import type { Frame, Page, Request } from "playwright-core"

/** Watches a page, and returns when it asked for another document where it has not arrived yet; `null` otherwise. */
export const departures = (page: Page): (() => number | null) => {
  let asked: { readonly request: Request; readonly at: number } | null = null
  const answered = (request: Request) => {
    if (request === asked?.request) asked = null
  }
  page.on("request", (request) => {
    if (request.isNavigationRequest() && frameOf(request) === page.mainFrame())
      asked = { request, at: performance.now() }
  })
  page.on("requestfinished", answered)
  page.on("requestfailed", answered)
  page.on("framenavigated", (frame) => {
    if (frame === page.mainFrame()) asked = null
  })
  return () => (page.isClosed() ? null : (asked?.at ?? null))
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

/** The frame that asks; `null` for one that is not there yet. */
const frameOf = (request: Request): Frame | null => {
  try {
    return request.frame()
  } catch {
    return null
  }
}
