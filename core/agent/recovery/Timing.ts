/** When a page was still busy at a failed step: waits until it has settled, and repeats the step once. */
import { Clock, Effect } from "effect"
import type { BrowserSession } from "../../browser/Browser.ts"
import { inTheWay, isUnsettled } from "../../browser/element/Survey.ts"
import type { Node } from "../../workflow/language/graph/Graph.ts"
import { defaultWaitMillis } from "../../workflow/language/parameters/Fields.ts"
import type { Offer } from "../../workflow/patch/Patch.ts"
import { isAboutElement, type RecoveryStrategy } from "./RecoveryStrategy.ts"

/** How long a page may take to settle, in milliseconds. */
const longestMillis = 20_000

const lookEveryMillis = 250

/** A page has settled when it was seen to be at rest so often in a row. */
const restsInARow = 2

/** Waits until a page has settled or exactly one element matches. Answers how long that took, in milliseconds. */
export const settling = Effect.fnUntraced(function* (page: BrowserSession, target: string | null) {
  const began = yield* Clock.currentTimeMillis
  let rests = 0
  while (rests < restsInARow && (yield* Clock.currentTimeMillis) - began < longestMillis) {
    yield* Effect.sleep(lookEveryMillis)
    const seen = yield* Effect.result(page.elements.survey({ target, fields: [] }))
    // A page that is navigating away cannot be examined.
    if (seen._tag === "Failure" || isUnsettled(seen.success)) rests = 0
    else if (seen.success.matched === 1) break
    else rests++
  }
  return (yield* Clock.currentTimeMillis) - began
})

export const timing: RecoveryStrategy = Effect.fnUntraced(function* (
  { failure, node, page, survey, tried },
  { settings }
) {
  if (!settings.timing || tried > 0 || !isAboutElement(failure)) return null
  // An element that could not be used in time may be usable by now.
  const isFree = survey.matched === 1 && inTheWay(survey) === null
  if (!isUnsettled(survey) && !isFree) return null
  const waited = yield* settling(page, failure.selector ?? null)
  const offer = longerWait(node, waited)
  return {
    _tag: "Again",
    remedy: `Waited ${waited / 1_000} s for the page to settle`,
    ...(offer === null ? {} : { offer })
  }
})

const longestWait = 600_000

const longerWait = (node: Node, waited: number): Offer | null => {
  const { parameters } = node
  if (!("wait_time" in parameters) && !("selector" in parameters)) return null
  const before = "wait_time" in parameters ? (parameters.wait_time ?? null) : null
  const seconds = Math.ceil(((before ?? defaultWaitMillis) + 2 * waited) / 1_000)
  const after = Math.min(seconds * 1_000, longestWait)
  if (after <= (before ?? defaultWaitMillis)) return null
  const reason = `The page was still busy when the element was looked for; it settled ${waited / 1_000} s later`
  return { kind: "wait_time", nodeId: node.id, nodeName: node.name, parameter: "wait_time", before, after, reason }
}
