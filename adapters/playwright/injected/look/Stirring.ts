/**
 * What is still going on in a document, as far as it shows there. The watcher of the page's own world knows the timers.
 */
import type { Stirring } from "../../../../core/browser/element/Rest.ts"
import { hasShadow } from "../find/Nodes.ts"

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

/** The rows of the one list that says how many it has, without those of its headings. */
const declaredRows = (): number | null => {
  const [grid, ...others] = document.querySelectorAll("[aria-rowcount]")
  if (others.length > 0) return null
  if (grid !== undefined) {
    const headings = [...grid.querySelectorAll("tr, [role=row]")].filter(
      (row) => row.closest("thead") !== null || row.querySelector("[role=columnheader]") !== null
    )
    const count = Number(grid.getAttribute("aria-rowcount")) - headings.length
    return count > 0 ? count : null
  }
  const sizes = new Set(
    [...document.querySelectorAll("[aria-setsize]")].map((element) => element.getAttribute("aria-setsize"))
  )
  const size = sizes.size === 1 ? Number([...sizes][0]) : 0
  return size > 0 ? size : null
}

/** Whether a document can change without that being seen in it. */
const hidesEffects = (): boolean =>
  document.querySelector("canvas, iframe, frame, object, embed, video, audio") !== null || hasShadow()

/** Maximum number of timers that an answer names. */
const mostTimers = 50

/** `looks` for marks and modules, which takes a moment in a large document. */
export const stirring = (looks: boolean): Stirring => {
  const answer = document.createElement("data")
  window.dispatchEvent(new MouseEvent(watcher, { relatedTarget: answer }))
  const [act, load, soon, changed, quiet, ...begun] = (answer.getAttribute("value") ?? "").split(",")
  const changedMillis = changed === undefined ? Number.MAX_SAFE_INTEGER : Number(changed)
  return {
    actTimer: act === "1",
    loadTimer: load === "1",
    soonTimer: soon === "1",
    otherTimers: begun.slice(-mostTimers).map((instant) => performance.timeOrigin + Number(instant)),
    modules: looks && document.querySelector("script[type=module]") !== null,
    loaded: document.readyState === "complete",
    changedMillis,
    changedAt: performance.timeOrigin + performance.now() - changedMillis,
    busy:
      looks &&
      [...document.querySelectorAll(busyMarks)].some((element) =>
        element.checkVisibility({ visibilityProperty: true })
      ),
    quiet: quiet === "1" && !hidesEffects(),
    declared: looks ? declaredRows() : null,
    drawn
  }
}
