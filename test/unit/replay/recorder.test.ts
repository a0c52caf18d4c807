import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ReplayRecord from "../../../core/execution/replay/ReplayRecord.ts"
import * as ScriptedBrowser from "../../kit/browser/ScriptedBrowser.ts"
import { graphOf } from "../../support/browser.ts"
import { recordedIn } from "../../support/recordedRuns.ts"

const home = "https://shop.example/"
const script = `${home}app.js`
const picture = `${home}logo.png`

const network: ScriptedBrowser.ScriptedNetwork = {
  asked: {
    [home]: [
      { url: script, body: "run()", responseHeaders: { "content-type": "text/javascript; charset=iso-8859-1" } },
      { url: picture, bytes: new Uint8Array([137, 80, 255]), responseHeaders: { "content-type": "image/png" } },
      { url: `${home}stream`, status: null, failure: null },
      { url: `${home}refused`, status: null, failure: "net::ERR_FAILED" },
      {
        url: `${home}api?token=abcdefghijklmnop0123`,
        method: "POST",
        requestBody: "a=1&pass_token=abcdefghijklmnop0123",
        body: "{}",
        responseHeaders: { "content-type": "application/json" }
      }
    ]
  },
  answer: () => ({ status: 200, headers: { "content-type": "application/json" }, body: '{"total":4}' })
}

const workflow = graphOf(home, [
  {
    action: "API_FLOW",
    parameters: {
      steps: [{ id: "total", method: "GET", url: `${home}total` }],
      field_json_map: { total: "response.body.total" }
    }
  }
])

const run = recordedIn(ScriptedBrowser.layer({ [home]: [{ selector: "//h1", text: "Shop" }] }, network))

const record = (more: object = {}) =>
  Effect.flatMap(run({ workflow: { ...workflow, output_schema: {}, ...more } }), ({ text }) =>
    ReplayRecord.decode(text ?? "")
  )

const answerOf = (kept: ReplayRecord.ReplayRecord, url: string) => kept.answers.find((one) => one.url === url)

describe("a replay record", () => {
  it.effect("has what pages and steps received, each in a form that can be given again", () =>
    Effect.gen(function* () {
      const kept = yield* record()
      assert.deepInclude(answerOf(kept, script), {
        body: { text: "run()" },
        headers: { "content-type": "text/javascript; charset=utf-8" },
        missing: null
      })
      assert.deepStrictEqual(answerOf(kept, picture)?.body, { bytes: new Uint8Array([137, 80, 255]) })
      assert.strictEqual(answerOf(kept, `${home}stream`)?.missing, "it had no end")
      assert.deepInclude(answerOf(kept, `${home}refused`), { status: null, missing: null })
      assert.deepInclude(answerOf(kept, `${home}total`), { by: "step", body: { text: '{"total":4}' } })
      assert.strictEqual(answerOf(kept, `${home}api?token=REDACTED`)?.sent, "a=1&pass_token=REDACTED")
    })
  )

  it.effect("has the steps and the ending of its run, and what it executed", () =>
    Effect.gen(function* () {
      const kept = yield* record()
      assert.deepStrictEqual(
        kept.steps.map(({ action }) => action),
        ["START", "API_FLOW"]
      )
      assert.deepInclude(kept.ending, { success: true, failure: null })
      assert.strictEqual(JSON.stringify(kept.content.nodes), JSON.stringify(workflow.nodes))
    })
  )

  it.effect("keeps what fits in its bounds, and says what does not", () =>
    Effect.gen(function* () {
      const few = yield* record().pipe(
        Effect.provideService(ReplayRecord.ReplayBounds, { ...ReplayRecord.defaultBounds, answers: 2 })
      )
      assert.lengthOf(few.answers, 2)
      assert.strictEqual(few.leftOut, 5)
      const small = yield* record().pipe(
        Effect.provideService(ReplayRecord.ReplayBounds, { ...ReplayRecord.defaultBounds, bytes: 160 })
      )
      const cut = small.answers.filter(({ missing }) => missing === "it is beyond the size of a record")
      assert.isAbove(cut.length + small.leftOut, 0)
      assert.isBelow(
        small.answers.reduce((sum, { url }) => sum + url.length, 0),
        161
      )
    })
  )

  it.effect("is none of a workflow that does not set record", () =>
    Effect.gen(function* () {
      const { text } = yield* run({ workflow: { ...workflow, output_schema: {}, record: false } })
      assert.isNull(text)
    })
  )
})
