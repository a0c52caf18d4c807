/**
 * The verbs of recoveries, done by Playwright.
 */
import { Effect } from "effect"
import type { Frame } from "playwright-core"
import type { Inspection } from "../../core/agent/Inspection.ts"
import { PageFailure } from "../../core/agent/PageFailure.ts"
import { every, onOne } from "./Finder.ts"
import { inspect, seen, type Task } from "./Inspecting.ts"
import { selectorOf } from "./Outline.ts"
import type { Tabs } from "./Tabs.ts"
import type { Traffic } from "./Traffic.ts"

/** How long a page may take to tell of itself, in milliseconds. */
const inspectionMillis = 5_000

/** So many elements of a page are looked at. */
const mostCandidates = 1_500

/** So many frames of a page are looked into, each for so many milliseconds. */
const mostFrames = 20
const frameMillis = 2_000

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
          const answer = await page.evaluate(seen, selectors)
          // What is not in the document may be in a frame or a shadow root.
          const others = await Promise.all(
            selectors.map(async (selector, index) => {
              if (answer.seen.includes(index)) return []
              const visible = await every(current(), selector).then(
                (all) => all.first().isVisible(),
                () => false
              )
              return visible ? [index] : []
            })
          )
          return [...answer.seen, ...others.flat()].sort((a, b) => a - b)
        })
      ),
    survey: ({ fields, target }) =>
      bounded(
        attempt(null, async () => {
          const { page } = current()
          const all = target === null ? null : await every(current(), target).catch(() => null)
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
        }).pipe(Effect.flatMap(() => (appearance === null ? Effect.fail(noAnswer) : Effect.succeed(appearance))))
      }),
    candidates: ({ tag }) =>
      bounded(
        attempt(null, async () => {
          const { page } = current()
          const task = { kind: "candidates", tag, most: mostCandidates } as Task
          const inFrames = page
            .frames()
            .filter((frame) => frame !== page.mainFrame())
            .slice(0, mostFrames)
            .map(async (frame) => {
              const way = await wayTo(frame)
              if (way === null) return []
              const { candidates } = await frame.locator("xpath=/*").evaluate(inspect, task, { timeout: frameMillis })
              return candidates.flatMap((one) =>
                one.selector.startsWith("/") ? [{ ...one, selector: `${way}${one.selector}` }] : []
              )
            })
          const own = await page.locator("xpath=/*").evaluate(inspect, task)
          // A frame that goes away or does not answer has none.
          const others = await Promise.all(inFrames.map((some) => some.catch(() => [])))
          return [...own.candidates, ...others.flat()].slice(0, mostCandidates)
        })
      )
  }
}

/** The path that leads into a frame from the page; `null` where none does. */
const wayTo = async (frame: Frame): Promise<string | null> => {
  const parent = frame.parentFrame()
  if (parent === null) return ""
  const owner = await frame.frameElement()
  const [around, own] = [await wayTo(parent), await owner.evaluate(selectorOf as (one: Node) => string | null)]
  await owner.dispose()
  return around === null || own === null ? null : `${around}${own}`
}
