/**
 * Acts on an element only while it is what it was when the act was approved.
 */

import { Effect } from "effect"
import type { Frame, Locator } from "playwright-core"
import type { ElementFacts, LocatedFacts } from "../../../core/browser/element/ElementFacts.ts"
import type { ElementQuery } from "../../../core/browser/element/ElementQuery.ts"
import { PageFailure } from "../../../core/browser/PageFailure.ts"
import * as World from "../inpage/World.ts"
import { Refused } from "../page/Attempt.ts"
import type { Tab, Tabs } from "../page/Tabs.ts"
import * as Finder from "./Finder.ts"
import { boxOf, bringIntoSight } from "./Visible.ts"

/** How long the document may take to tell whether it took an act, in milliseconds. A page that was left tells nothing. */
const answerMillis = 2_000

/** Fails with `changed` unless these are the facts of an element, if any are given. */
export const check = async (
  tab: Tab,
  frame: Frame,
  element: Locator,
  facts: ElementFacts | undefined,
  timeout: number
): Promise<void> => {
  if (facts === undefined) return
  const change = await World.run(tab, frame, "changed", facts, { root: element, waitMillis: timeout })
  if (change !== null) throw new Refused("changed", `${change} has changed`)
}

/** Clicks an element, each event of which the document lets through only while these are its facts, if any are given. */
export const during = async <A>(
  tab: Tab,
  frame: Frame,
  element: Locator,
  facts: ElementFacts | undefined,
  timeout: number,
  click: () => Promise<A>
): Promise<A> => {
  if (facts === undefined) return click()
  const before = await World.run(tab, frame, "bind", facts, { root: element, waitMillis: timeout })
  if (before !== null) throw new Refused("changed", `${before} has changed`)
  const ended = () => Finder.within(answerMillis, World.run(tab, frame, "unbind", null)).catch(() => null)
  const done = await click().then(
    (value) => ({ value }),
    (error: unknown) => ({ error })
  )
  const kept = await ended()
  if (kept?.hasBegun === true) {
    throw new PageFailure({ kind: "changed", reason: `${kept.change} has changed while it was clicked`, acted: true })
  }
  if (kept !== null) throw new Refused("changed", `${kept.change} has changed`)
  if ("error" in done) throw done.error
  return done.value
}

/** The facts of the one element that matches, and its place in the viewport. */
export const factsOf = (tabs: Tabs, target: ElementQuery) =>
  Effect.gen(function* () {
    let located: LocatedFacts | null = null
    yield* Finder.onOne(tabs, target, async (element, timeout, frame) => {
      const tab = tabs.current()
      await bringIntoSight(tab, frame, element, timeout)
      const facts = await World.run(tab, frame, "facts", null, { root: element, waitMillis: timeout })
      const box = await boxOf(tab, frame, element, timeout)
      const size = await World.run(tab, tab.page.mainFrame(), "windowSize", null)
      located = { facts, box: box === null ? null : partOf(box, size) }
    })
    return located as LocatedFacts | null
  })

const partOf = (
  { height, width, x, y }: NonNullable<LocatedFacts["box"]>,
  size: { readonly width: number; readonly height: number }
) => ({ x: x / size.width, y: y / size.height, width: width / size.width, height: height / size.height })
