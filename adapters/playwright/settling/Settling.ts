/**
 * Waits until what the last act began is over.
 */
import { isDeepStrictEqual } from "node:util"
import { Effect } from "effect"
import type { Frame } from "playwright-core"
import { type Facts, isUnsure, verdictOf } from "../../../core/browser/element/Rest.ts"
import type { Settled, Settles, Settling } from "../../../core/browser/element/Settling.ts"
import type { PageFailure } from "../../../core/browser/PageFailure.ts"
import * as World from "../inpage/World.ts"
import type { Tab, Tabs } from "../page/Tabs.ts"
import { within } from "../TimeLimit.ts"
import type { Wait } from "./Pending.ts"

/** The pause between two looks at a page, in milliseconds. */
const lookMillis = 50

/** How long a page may take to draw a frame: one that is not seen draws none, in milliseconds. */
const frameMillis = 500

/** How long marks that say that the page is busy are believed, once what is wanted is there, in milliseconds. */
const marksMillis = 3_000

const pause = Effect.sleep(lookMillis)

/** The documents whose marks stay, as far as it is known, each for the address at which that was seen. */
const staying = new WeakMap<Frame, string>()

const declaredBy = ({ documents }: Facts): number | null => {
  const [only = null, ...others] = documents.flatMap(({ declared }) => declared ?? [])
  return others.length > 0 ? null : only
}

/** Executed once a frame was drawn. */
export const drawn = async (tab: Tab): Promise<void> => {
  const main = tab.page.mainFrame()
  const until = performance.now() + frameMillis
  const look = async (act: "frame" | "answers") => {
    const since = performance.now()
    await World.run(tab, main, act, null).catch(() => null)
    return World.stirringSince([main], since)[0]
  }
  for (
    let seen = await look("frame");
    seen?.drawn !== true && performance.now() < until;
    seen = await look("answers")
  ) {
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** Waits for the timers that the last act set in a tab, and for the requests since then; with `only`, for those alone. */
export const finished = async (tab: Tab, waitMillis: number, only?: Wait["only"]): Promise<void> => {
  const { page, pending } = tab
  const until = performance.now() + waitMillis
  const wait = { isThere: true, ...(only === undefined ? {} : { only }) }
  const isRequesting = () => pending.awaited(wait).length > 0 || (only === undefined && tab.isDeparting())
  // The documents that functions were run in: those that were acted on are among them.
  const documents = () =>
    page.frames().filter((frame) => frame === page.mainFrame() || World.stirringSince([frame], 0).length > 0)
  while (performance.now() < until && pending.isStirred() && !tab.isGone()) {
    if (isRequesting()) {
      await pending.changed(Math.min(250, Math.max(until - performance.now(), 1)))
      continue
    }
    const since = performance.now()
    const version = pending.version()
    await Promise.all(
      documents().map((frame) => within(frameMillis, World.run(tab, frame, "answers", null)).catch(() => null))
    )
    if (World.stirringSince(page.frames(), since).some(({ actTimer }) => actTimer)) {
      await new Promise((resolve) => setTimeout(resolve, lookMillis))
    } else if (version === pending.version() && !isRequesting()) return pending.rest()
  }
  pending.giveUp()
}

export const make = (tabs: Tabs, failing: (tab: Tab) => Effect.Effect<void, PageFailure>): Settles => {
  const { current } = tabs

  /** What is known of the page after a read that began at an instant of the process. */
  const factsAfter = (tab: Tab, since: number, found: Facts["found"], before: Facts["before"]) =>
    Effect.promise(async (): Promise<Facts> => {
      const main = tab.page.mainFrame()
      const frames = tab.page.frames()
      let documents = World.stirringSince(frames, since)
      if (documents.length === 0 && !tab.isGone()) {
        await World.run(tab, main, "answers", null).catch(() => null)
        documents = World.stirringSince(frames, since)
      }
      const now = Date.now()
      const began = now - (performance.now() - since)
      const { pending } = tab
      // What ended while the page was read may have effects that were not read.
      const ago = (instant: number) => (instant === 0 ? null : began - instant)
      return {
        found,
        requests: pending.awaited({ isThere: found === "all" }).length,
        departing: tab.isDeparting(),
        // The origin of time of a document drifts from the clock that answers are timed by.
        documents: documents.map((document) => ({ ...document, changedAt: now - document.changedMillis })),
        endedMillis: ago(pending.lastEnd()),
        answeredAt: pending.lastAnswer(),
        answers: pending.answers(),
        streamMillis: ago(pending.lastStream()),
        before,
        marksStay: staying.get(main) === tab.page.url()
      }
    })

  const settled = Effect.fnUntraced(function* <A>(read: Effect.Effect<A, PageFailure>, how: Settling<A>) {
    const began = performance.now()
    const until = began + how.waitMillis
    let before: { readonly found: A; readonly version: number } | null = null
    const agreement = (found: A, version: number): Facts["before"] => {
      if (before === null || before.version !== version) return null
      return isDeepStrictEqual(before.found, found) ? "same" : "other"
    }
    let busySince = Number.POSITIVE_INFINITY
    while (true) {
      const tab = current()
      yield* failing(tab)
      const since = performance.now()
      const version = tab.pending.version()
      const found: A = yield* read
      const facts: Facts = yield* factsAfter(tab, since, how.isThere(found), agreement(found, version))
      const verdict = verdictOf(facts)
      const now = performance.now()
      if (verdict === "rest") {
        yield* failing(tab)
        tab.pending.rest()
        return { found, unsure: before !== null && isUnsure(facts), declared: declaredBy(facts) } satisfies Settled<A>
      }
      if (now >= until) {
        tab.pending.giveUp()
        return { found, unsure: facts.found !== "all", declared: declaredBy(facts) } satisfies Settled<A>
      }
      before = { found, version: tab.pending.version() }
      // Marks of some pages never go.
      if (facts.documents.some(({ busy }) => busy)) {
        busySince = Math.min(busySince, now)
        if (facts.found === "all" && now - busySince >= marksMillis) staying.set(tab.page.mainFrame(), tab.page.url())
      } else busySince = Number.POSITIVE_INFINITY
      if (verdict === "requests") {
        const wait = { isThere: facts.found === "all" }
        while (performance.now() < until && (tab.isDeparting() || tab.pending.awaited(wait).length > 0)) {
          yield* Effect.promise(() => tab.pending.changed(Math.min(250, Math.max(until - performance.now(), 1))))
          if (tab !== current() || tab.isGone()) break
        }
        yield* Effect.promise(() => drawn(tab))
      } else yield* verdict === "frame" ? Effect.promise(() => drawn(tab)) : pause
    }
  })

  const over = (waitMillis: number) =>
    Effect.forEach(
      tabs.all().filter(({ pending }) => pending.isStirred()),
      (tab) =>
        Effect.andThen(
          Effect.promise(() => finished(tab, waitMillis)),
          failing(tab)
        ),
      { discard: true }
    )

  return { settled, over: (waitMillis) => Effect.suspend(() => over(waitMillis)) }
}
