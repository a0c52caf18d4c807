/**
 * Finds the elements that selectors mean, and acts on the one that is meant.
 */
import { Clock, Effect } from "effect"
import type { Locator, Page } from "playwright-core"
import { PageFailure } from "../../core/agent/PageFailure.ts"
import type { Target } from "../../core/agent/Target.ts"
import type { Tabs } from "./Tabs.ts"

/** How often a selector that matches several elements is looked at again, in milliseconds. */
const lookAgainMillis = 100

/** A selector in Playwright's words: those without a prefix are XPath. */
export const locate = (page: Page, selector: string): Locator =>
  page.locator(/^(css|role|text|xpath)=/.test(selector) ? selector : `xpath=${selector}`)

/**
 * Acts on the one element that matches. While several do, as on a page that is still being built, it waits for the
 * others to go; how many matched in the end is counted only when it fails.
 */
export const onOne = (
  { attempt, current }: Tabs,
  target: Target,
  act: (element: Locator, timeout: number) => Promise<unknown>
) =>
  Effect.gen(function* () {
    const began = yield* Clock.currentTimeMillis
    const all = locate(current().page, target.selector)
    const element = target.first === true ? all.first() : all
    while (true) {
      const left = Math.max(began + target.waitMillis - (yield* Clock.currentTimeMillis), 1)
      const done = yield* Effect.result(attempt(target.selector, () => act(element, left)))
      if (done._tag === "Success") return
      if (done.failure.kind !== "mismatch") return yield* done.failure
      if ((yield* Clock.currentTimeMillis) - began + lookAgainMillis > target.waitMillis) {
        // Counting also tells a selector that cannot be read from one that matches nothing.
        return yield* mismatch(target, yield* attempt(target.selector, () => element.count()))
      }
      yield* Effect.sleep(lookAgainMillis)
    }
  })

const mismatch = (target: Target, matched: number): PageFailure =>
  new PageFailure({
    kind: matched === 1 ? "unusable" : "mismatch",
    reason:
      matched === 1
        ? `the element did not become visible, enabled and still within ${target.waitMillis} ms`
        : `${matched} elements match after ${target.waitMillis} ms, expected exactly 1`,
    selector: target.selector,
    matched
  })
