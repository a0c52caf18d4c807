/**
 * What every act on a page has in common, whatever it does.
 */
import { setTimeout as pause } from "node:timers/promises"
import { Effect } from "effect"
import { isErrorStatus, ofStatus, PageFailure } from "../../../core/browser/PageFailure.ts"
import { defaultWaitMillis } from "../../../core/workflow/language/parameters/Fields.ts"
import { arrival } from "../page/Arrival.ts"
import type { Tab, Tabs } from "../page/Tabs.ts"
import type { Traffic } from "../page/Traffic.ts"
import { isWrite } from "../page/Writes.ts"
import { takenOver } from "./Scripts.ts"
import * as Settling from "./Settling.ts"

/** How long a document that is left has for what it still has to send, in milliseconds. */
const leavingMillis = 5_000

/** How long an answered document may take to be shown, in milliseconds. One that is saved as a file never is. */
const shownMillis = 500

const lookMillis = 10

export interface Acts {
  /** Notes that an act begins. */
  readonly begin: () => void
  /** Does something to the page. Fails as `goto` does where it leads to a page with an error status. */
  readonly act: <A>(doing: Effect.Effect<A, PageFailure>, how?: ActOptions) => Effect.Effect<A, PageFailure>
  /** Waits for what the last act has a tab send, before its document is left. */
  readonly leaving: (tab: Tab) => Effect.Effect<void>
  /** Fails where the last act has led a tab to a page with an error status. */
  readonly ledTo: (tab: Tab) => Effect.Effect<void, PageFailure>
}

export interface ActOptions {
  /** How long it may be waited for before it begins, in milliseconds. */
  readonly waitMillis?: number
  /** Whether it may have led to another page without that being known yet: a click is waited for, a key is not. */
  readonly leads?: boolean
}

export const make = (tabs: Tabs, traffic: Traffic): Acts => {
  const { current } = tabs
  const begin = (): void => current().pending.act()

  const ledTo = (tab: Tab): Effect.Effect<void, PageFailure> =>
    Effect.suspend(() => {
      const last = traffic.lastDocument(tab.page)
      if (last === null || last.status === null || last.began < tab.pending.lastAct()) return Effect.void
      // A document that is saved as a file, or that is still to be shown, has not taken the place of the page.
      if (tab.isDeparting() || !isErrorStatus(last.status) || !isShown(tab, last.request.url())) return Effect.void
      return Effect.fail(new PageFailure({ ...ofStatus(last.status), acted: true }))
    })

  return {
    begin,
    leaving: (tab) =>
      Effect.promise(async () => {
        if (tab.pending.isStirred()) await Settling.finished(tab, leavingMillis, isWrite)
      }),
    ledTo,
    act: (doing, { leads = false, waitMillis = defaultWaitMillis } = {}) =>
      Effect.gen(function* () {
        const before = current()
        yield* Effect.promise(() => takenOver(before, waitMillis))
        begin()
        const done = yield* doing
        const tab = current()
        if (tab !== before) yield* Effect.promise(() => loaded(tab))
        else if (leads) yield* Effect.promise(() => begun(tab))
        const last = traffic.lastDocument(tab.page)
        if (last === null || last.began < tab.pending.lastAct()) return done
        if (tab.isDeparting()) yield* Effect.promise(() => arrival(tab, tab.navigationMillis))
        if (last.status !== null && isErrorStatus(last.status)) {
          yield* Effect.promise(() => shown(tab, last.request.url()))
        }
        yield* ledTo(tab)
        return done
      })
  }
}

/** Waits until what an act has the page do has begun: a form is sent after the key that sends it. */
const begun = async (tab: Tab): Promise<void> => {
  if (!tab.isDeparting()) await Settling.drawn(tab)
  await arrival(tab, tab.navigationMillis)
}

/** Waits until an answered document is shown: it is reported to have ended before it takes the place of the page. */
const shown = async (tab: Tab, address: string): Promise<void> => {
  const until = performance.now() + shownMillis
  while (!isShown(tab, address) && performance.now() < until) await pause(lookMillis)
}

/** Waits for the document of a new tab. */
const loaded = (tab: Tab): Promise<unknown> =>
  tab.page.waitForLoadState("domcontentloaded", { timeout: tab.navigationMillis }).catch(() => null)

const isShown = ({ page }: Tab, address: string): boolean => {
  const plain = (url: string) => url.replace(/#.*$/s, "")
  // Chromium shows a page of its own for an error without a body.
  return plain(page.url()) === plain(address) || page.url().startsWith("chrome-error:")
}
