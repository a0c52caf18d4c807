/**
 * The verbs of recoveries, done by Playwright.
 */
import { Effect } from "effect"
import type { Inspection } from "../../../core/agent/page/Inspection.ts"
import { PageFailure } from "../../../core/agent/page/PageFailure.ts"
import { inspect, seen, type Task } from "../inpage/Inspecting.ts"
import { locate, onOne } from "./Finder.ts"
import type { Tabs } from "./Tabs.ts"
import type { Traffic } from "./Traffic.ts"

/** How long a page may take to tell which of a few elements can be seen, which it is asked before each step, in milliseconds. */
const glanceMillis = 5_000

/** So many elements of a page are looked at. */
const mostCandidates = 1_500

const noAnswer = (millis: number) =>
  new PageFailure({ kind: "unusable", reason: `it did not answer within ${millis} ms` })

/** A page that is looked at more closely has `lookMillis` to tell of itself. */
export const make = (tabs: Tabs, { underWay }: Traffic, lookMillis: number): Inspection => {
  const { attempt, current } = tabs
  const bounded = <A>(effect: Effect.Effect<A, PageFailure>, millis = lookMillis): Effect.Effect<A, PageFailure> =>
    Effect.timeoutOrElse(effect, { duration: millis, orElse: () => Effect.fail(noAnswer(millis)) })

  return {
    seen: (selectors) =>
      bounded(
        attempt(null, async () => {
          const { page } = current()
          const answer = await page.evaluate(seen, selectors)
          const others = await Promise.all(
            answer.unknown.map(async (index) => {
              const first = locate(page, selectors[index] ?? "").first()
              return (await first.isVisible().catch(() => false)) ? [index] : []
            })
          )
          return [...answer.seen, ...others.flat()].sort((a, b) => a - b)
        }),
        glanceMillis
      ),
    survey: ({ fields, target }) =>
      bounded(
        attempt(null, async () => {
          const { page } = current()
          const all = target === null ? null : locate(page, target)
          const matched = all === null ? 0 : await all.count().catch(() => 0)
          // What stands in a frame is of another world than what surveys the page.
          const element = matched === 1 ? await all?.elementHandle({ timeout: 1_000 }).catch(() => null) : null
          const isHere = element != null && (await element.ownerFrame().catch(() => null)) === page.mainFrame()
          const root = page.locator("xpath=/*")
          const { survey } =
            isHere && element != null
              ? await element.evaluate(inspect, { kind: "survey", isTarget: true, fields } as Task)
              : await root.evaluate(inspect, { kind: "survey", isTarget: false, fields } as Task)
          if (survey === null) throw new Error("the page was not surveyed")
          return { ...survey, address: page.url(), matched, requests: underWay(page) }
        })
      ),
    describe: (target) =>
      Effect.suspend(() => {
        let appearance: ReturnType<typeof inspect>["appearance"] = null
        return onOne(tabs, target, async (element, timeout) => {
          appearance = (await element.evaluate(inspect, { kind: "describe" } as Task, { timeout })).appearance
        }).pipe(
          Effect.flatMap(() =>
            appearance === null ? Effect.fail(noAnswer(target.waitMillis)) : Effect.succeed(appearance)
          )
        )
      }),
    candidates: ({ tag }) =>
      bounded(
        attempt(null, async () => {
          const root = current().page.locator("xpath=/*")
          const found = await root.evaluate(inspect, { kind: "candidates", tag, most: mostCandidates } as Task)
          return found.candidates
        })
      )
  }
}
