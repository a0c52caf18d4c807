import { EventEmitter } from "node:events"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Tab } from "../../../adapters/playwright/page/Tabs.ts"
import * as Effects from "../../../adapters/playwright/settling/Effects.ts"

it.effect("a click has had an effect once the browser announces the tab that it opens, before that tab is there", () =>
  Effect.gen(function* () {
    const [page, line] = [new EventEmitter(), new EventEmitter()]
    // The parts of a tab that are asked for events.
    const tab = { page, devTools: () => Promise.resolve(line) } as unknown as Pick<Tab, "devTools" | "page">
    assert.strictEqual(Effects.seen(tab), 0)
    yield* Effect.promise(() => Promise.resolve())
    line.emit("Page.windowOpen", {})
    assert.strictEqual(Effects.seen(tab), 1)
    page.emit("popup", {})
    assert.strictEqual(Effects.seen(tab), 2)
  })
)
