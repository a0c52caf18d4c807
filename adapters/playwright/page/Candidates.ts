/**
 * The verbs of recoveries, done by Playwright.
 */
import { Effect } from "effect"
import type { Inspection } from "../../../core/agent/page/Inspection.ts"
import { PageFailure } from "../../../core/agent/page/PageFailure.ts"
import { type Found, inspect, seen, type Task } from "../inpage/Inspecting.ts"
import * as World from "../inpage/World.ts"
import { locate, onOne } from "./Finder.ts"
import type { Tabs } from "./Tabs.ts"
import type { Traffic } from "./Traffic.ts"

/** How long a page may take to tell of itself, in milliseconds. */
const inspectionMillis = 5_000

/** So many elements of a page are looked at. */
const mostCandidates = 1_500

const noAnswer = new PageFailure({ kind: "unusable", reason: `it did not answer within ${inspectionMillis} ms` })

export const make = (tabs: Tabs, { underWay }: Traffic): Inspection => {
  const { attempt, current } = tabs
  const bounded = <A>(effect: Effect.Effect<A, PageFailure>): Effect.Effect<A, PageFailure> =>
    Effect.timeoutOrElse(effect, { duration: inspectionMillis, orElse: () => Effect.fail(noAnswer) })

  return {
    seen: (selectors) =>
      bounded(
        attempt(null, async () => {
          const { page } = current()
          const answer = await World.run(current(), page.mainFrame(), seen, selectors)
          const others = await Promise.all(
            answer.unknown.map(async (index) => {
              const first = locate(page, selectors[index] ?? "").first()
              return (await first.isVisible().catch(() => false)) ? [index] : []
            })
          )
          return [...answer.seen, ...others.flat()].sort((a, b) => a - b)
        })
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
          const task = { kind: "survey", isTarget: isHere, fields } as Task
          const on = isHere && all !== null ? { root: all, waitMillis: inspectionMillis } : undefined
          const { survey } = await World.run(current(), page.mainFrame(), inspect, task, on)
          if (survey === null) throw new Error("the page was not surveyed")
          return { ...survey, address: page.url(), matched, requests: underWay(page) }
        })
      ),
    describe: (target) =>
      Effect.suspend(() => {
        let appearance: Found["appearance"] = null
        return onOne(tabs, target, async (element, timeout, frame) => {
          const on = { root: element, waitMillis: timeout }
          appearance = (await World.run(current(), frame, inspect, { kind: "describe" } as Task, on)).appearance
        }).pipe(Effect.flatMap(() => (appearance === null ? Effect.fail(noAnswer) : Effect.succeed(appearance))))
      }),
    candidates: ({ tag }) =>
      bounded(
        attempt(null, async () => {
          const task = { kind: "candidates", tag, most: mostCandidates } as Task
          const found = await World.run(current(), current().page.mainFrame(), inspect, task)
          return found.candidates
        })
      )
  }
}
