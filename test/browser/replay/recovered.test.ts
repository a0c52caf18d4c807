import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { compare } from "../../../core/execution/replay/ReplayComparison.ts"
import * as ReplayRecord from "../../../core/execution/replay/ReplayRecord.ts"
import * as ReplayRun from "../../../core/execution/replay/ReplayRun.ts"
import { graphOf } from "../../support/browser.ts"
import { offlineBrowser, recorded } from "../../support/replays.ts"
import { html, serve } from "../../support/site.ts"

it.live("a run that found an element again by what earlier runs remembered is replayed the same way", () =>
  Effect.gen(function* () {
    let id = "confirm"
    const site = yield* serve({
      "/": (request, response) =>
        html(`<form action="/done"><button id="${id}" name="confirm-order">Confirm the order</button></form>
          <a href="/other">Other orders</a>`)(request, response),
      "/done": html("<h1>Done</h1>")
    })
    const { text } = yield* recorded({
      workflow: {
        ...graphOf(site, [
          { action: "CLICK", parameters: { selector: "//button[@id='confirm']", wait_time: 500 } },
          {
            action: "EXTRACT_DATAMODEL",
            parameters: {
              extract_data_model: { type: "object", properties: { title: { type: "string", path: "//h1" } } }
            }
          }
        ]),
        output_schema: {},
        enable_xpath_recovery: true
      },
      between: () => {
        id = "confirm-2"
      }
    })
    const kept = yield* ReplayRecord.decode(text ?? "")
    assert.deepInclude(kept.ending, { success: true, output: { title: "Done" } })
    const replayed = yield* ReplayRun.replay(kept)
    assert.isNull(compare(kept, replayed, true))
    const forgetful = yield* ReplayRun.replay({ ...kept, remembered: [] })
    assert.strictEqual(compare(kept, forgetful, true)?.kind, "failed")
  }).pipe(Effect.scoped, Effect.provide(offlineBrowser))
)
