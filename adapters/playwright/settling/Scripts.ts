/**
 * Waits for the scripts of a page before something is done to it: until they run, it does not answer, and what is typed
 * into it may be emptied by them.
 */
import { setTimeout as pause } from "node:timers/promises"
import type { Page, Request } from "playwright-core"
import * as World from "../inpage/World.ts"
import type { Tab } from "../page/Tabs.ts"
import { addressOf, frameOf, siteOf } from "./Pending.ts"
import * as Settling from "./Settling.ts"

/** How long scripts are waited for, in milliseconds. */
const longestMillis = 5_000

/** How long requests of scripts that are modules are waited for, in milliseconds: such a script may stop until their answers. */
const moduleMillis = 2_000

/** How long the end of the load and its short timers are waited for, in milliseconds. */
const loadMillis = 600

/** How long scripts in frames of other sites are waited for, in milliseconds. */
const foreignMillis = 1_000

const lookMillis = 20

/** Scripts that did not come in time, by the context of their session. They are not waited for again. */
const missing = new WeakMap<object, Set<string>>()

/** The document of a page whose scripts have run, by its number. */
const taken = new WeakMap<Page, number>()

/**
 * Waits until the scripts that are being loaded for a page have run, within `waitMillis`. Before the first act on a document,
 * its load, its short timers, and what its modules ask for are waited for as well. Takes no time where all of that is over.
 */
export const takenOver = async (tab: Tab, waitMillis: number): Promise<void> => {
  const { page, pending } = tab
  const began = performance.now()
  const isWithin = (millis: number) => performance.now() - began < Math.min(millis, waitMillis)
  const own = siteOf(page.url())
  const absent = missing.get(page.context()) ?? new Set<string>()
  missing.set(page.context(), absent)
  const only = (request: Request): boolean => {
    if (request.resourceType() !== "script" || absent.has(addressOf(request))) return false
    const frame = frameOf(request)
    return isWithin(foreignMillis) || frame === page.mainFrame() || siteOf(frame?.url() ?? "") === own
  }
  const wait = { isThere: true, only }
  const asked = () => pending.awaited({ ...wait, only: (request) => /^(xhr|fetch)$/.test(request.resourceType()) })
  let hasWaited = false
  while (isWithin(longestMillis) && !tab.isGone()) {
    if (pending.awaited(wait).length > 0) {
      hasWaited = true
      await pending.changed(50)
      continue
    }
    if (hasWaited) {
      // A script that has come is run before the next frame.
      hasWaited = false
      await Settling.drawn(tab)
      continue
    }
    if (taken.get(page) === pending.document()) return
    const since = performance.now()
    await World.run(tab, page.mainFrame(), "answers", null).catch(() => null)
    const [seen] = World.stirringSince([page.mainFrame()], since)
    if (seen === undefined) return
    const isLoading = isWithin(loadMillis) && (!seen.loaded || seen.soonTimer)
    const isAsking = seen.modules && isWithin(moduleMillis) && asked().length > 0
    if (!isLoading && !isAsking && pending.awaited(wait).length === 0) break
    await pause(lookMillis)
  }
  if (!isWithin(longestMillis)) for (const request of pending.awaited(wait)) absent.add(addressOf(request))
  taken.set(page, pending.document())
}
