import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as PlaywrightBrowser from "../../../adapters/playwright/PlaywrightBrowser.ts"
import { Browser } from "../../../core/browser/Browser.ts"
import type { ExtractionPlan } from "../../../core/browser/element/Extraction.ts"
import type { PageFailure } from "../../../core/browser/PageFailure.ts"
import * as Session from "../../../core/browser/Session.ts"
import * as CountedMessages from "../../support/countedMessages.ts"
import { executablePath } from "../../support/realBrowser.ts"
import { html, serve } from "../../support/site.ts"

const plan: ExtractionPlan = { kind: "list", path: "//tr", item: { kind: "value", path: "/td", type: "string" } }

describe("a read of a page where nothing is on its way", () => {
  it.live("asks the browser for nothing more than the read alone", () =>
    Effect.gen(function* () {
      const { asked, stop } = CountedMessages.install()
      yield* Effect.addFinalizer(() => Effect.sync(stop))
      const options = { ...PlaywrightBrowser.defaults, executablePath, allowPrivateNetworks: true }
      const browser = Context.get(yield* Layer.build(Layer.fresh(PlaywrightBrowser.layer(options))), Browser)
      const site = yield* serve({
        "/": html("<table><tr><td>A</td></tr></table><p id='p'>Text</p><button>Go</button>")
      })
      const { elements, navigation } = yield* browser.open(Session.empty)
      yield* navigation.goto(`${site}/`)
      yield* elements.click({ selector: "//button", waitMillis: 60_000 }, "click")
      const count = <A>(act: Effect.Effect<A, PageFailure>) =>
        Effect.gen(function* () {
          const before = asked.length
          yield* act
          return asked.slice(before)
        })
      const reads: ReadonlyArray<Effect.Effect<unknown, PageFailure>> = [
        elements.extract(plan),
        elements.read({ selector: "//p", waitMillis: 0 }),
        elements.read({ selector: "css=#p", waitMillis: 0 }),
        elements.find({ selector: "//p", waitMillis: 60_000 }),
        elements.find({ selector: "css=#p", waitMillis: 60_000 })
      ]
      for (const read of reads) {
        yield* read
        const alone = yield* count(read)
        assert.isAbove(alone.length, 0)
        assert.deepStrictEqual(
          yield* count(navigation.settled(read, { waitMillis: 60_000, isThere: () => "all" })),
          alone
        )
      }
    }).pipe(Effect.scoped)
  )
})
