/**
 * The record of a run with the largest input does not hold the event loop, nor do the streams that its events go to.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { graph } from "../support/fixtures.ts"
import { layer as layerService, Service } from "../support/service.ts"
import * as Watchdog from "../support/watchdog.ts"

/** The longest that an answer may hold the event loop, in milliseconds of processor time; that of its reader counts here. */
const longest = 100

const inputs: Readonly<Record<string, () => unknown>> = {
  "many empty objects": () => Array.from({ length: 190_000 }, () => ({})),
  backslashes: () => "\\".repeat(12_500_000),
  letters: () => "é".repeat(12_500_000)
}

layer(layerService, { timeout: "2 minutes" })("the record of a run", (it) => {
  it.effect.each(Object.entries(inputs))("does not hold the event loop where its input is %s", ([, input]) =>
    Effect.gen(function* () {
      const { member, send, url } = yield* Service
      const { key } = yield* member("Member")
      const workflow = yield* send({ method: "POST", path: "/workflows", key, json: { name: "a", ...graph() } })
      const json = { workflow_id: workflow.body.id, run_input_variables: { a: input() } }
      const run = yield* send({ method: "POST", path: "/run", key, json })
      assert.strictEqual(run.status, 201, run.text.slice(0, 300))
      const read = Effect.promise(async () => {
        const answer = await fetch(`${url}/run/${run.body.session_id}`, { headers: { "cc-key": key } })
        let bytes = 0
        for await (const piece of answer.body ?? []) bytes += piece.length
        return bytes
      })
      const { heldMillis, value } = yield* Watchdog.least(longest, read)
      assert.isAbove(value, 500_000)
      assert.isBelow(heldMillis, longest)
    })
  )
})
