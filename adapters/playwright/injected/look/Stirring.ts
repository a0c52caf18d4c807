/**
 * What is still going on in a document, as far as it shows there. The watcher of the page's own world knows the timers.
 */
import type { Stirring } from "../../../../core/browser/element/Rest.ts"

let watcher = ""

/** Names the event that the watcher answers. */
export const hear = (name: string): void => {
  watcher = name
}

let drawn = true

/** Notes when the next frame is drawn. */
export const frame = (): void => {
  drawn = false
  requestAnimationFrame(() => setTimeout(() => (drawn = true)))
}

const busyMarks = '[aria-busy="true"], [role="progressbar"]:not([aria-valuenow]), progress:not([value])'

/** `looks` for marks and modules, which takes a moment in a large document. */
export const stirring = (looks: boolean): Stirring => {
  const answer = document.createElement("data")
  window.dispatchEvent(new MouseEvent(watcher, { relatedTarget: answer }))
  const [act, load, soon, changed] = (answer.getAttribute("value") ?? "").split(",")
  const changedMillis = changed === undefined ? Number.MAX_SAFE_INTEGER : Number(changed)
  return {
    actTimer: act === "1",
    loadTimer: load === "1",
    soonTimer: soon === "1",
    modules: looks && document.querySelector("script[type=module]") !== null,
    loaded: document.readyState === "complete",
    changedMillis,
    changedAt: performance.timeOrigin + performance.now() - changedMillis,
    busy:
      looks &&
      [...document.querySelectorAll(busyMarks)].some((one) => one.checkVisibility({ visibilityProperty: true })),
    drawn
  }
}
