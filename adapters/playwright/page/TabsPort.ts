/**
 * The port `Tabs` of core on the tabs of a browser context.
 */
import { Clock, Effect } from "effect"
import { PageFailure } from "../../../core/browser/PageFailure.ts"
import type * as Port from "../../../core/browser/Tabs.ts"
import type { Tab, Tabs } from "./Tabs.ts"

/** How often to check for a tab that is being opened, in milliseconds. */
const stepMillis = 50

/** `leaving` waits for what a tab still has to send. */
export const make = (tabs: Tabs, leaving: (tab: Tab) => Effect.Effect<void>): Port.Tabs => {
  const at = (index: number) =>
    Effect.suspend(() => {
      const all = tabs.all()
      const tab = all[index]
      return tab === undefined ? Effect.fail(noWindow(all)) : Effect.succeed(tab)
    })

  const waited = Effect.fnUntraced(function* (index: number, waitMillis: number) {
    const until = (yield* Clock.currentTimeMillis) + waitMillis
    while (tabs.all()[index] === undefined && (yield* Clock.currentTimeMillis) < until) yield* Effect.sleep(stepMillis)
    return yield* at(index)
  })

  return {
    tabs: Effect.sync(() => ({ open: tabs.all().length, current: tabs.all().indexOf(tabs.current()) })),
    openTab: tabs.open,
    switchTab: Effect.fnUntraced(function* (index, waitMillis) {
      const tab = yield* waited(index, waitMillis)
      yield* tabs.attempt(null, () => tabs.look(tab))
    }),
    closeTab: Effect.fnUntraced(function* (index) {
      const tab = index === null ? tabs.current() : yield* at(index)
      if (tabs.all().length <= 1) yield* tabs.open
      yield* leaving(tab)
      yield* Effect.ignore(Effect.tryPromise(() => tab.page.close()))
    }),
    dialogs: Effect.sync(tabs.dialogs)
  }
}

const noWindow = (all: ReadonlyArray<Tab>): PageFailure =>
  new PageFailure({
    kind: "tab",
    reason:
      all.length === 1 ? "only 1 tab is open, number 0" : `${all.length} tabs are open, numbers 0 to ${all.length - 1}`
  })
