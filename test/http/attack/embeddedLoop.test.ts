/**
 * What is saved in the embedded database does not hold the event loop: PostgreSQL computes in a thread of its own.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { graph } from "../../support/fixtures.ts"
import { layer as layerService, Service } from "../../support/service.ts"
import * as Watchdog from "../../support/watchdog.ts"

/** Half of what a caller may hold, in milliseconds of processor time; that of the sender counts here. */
const longest = 200

layer(layerService, { timeout: "2 minutes" })("the event loop of a service with the embedded database", (it) => {
  it.effect("is not held by a run with 5 MB of inputs, as it is saved and as its record is read", () =>
    Effect.gen(function* () {
      const { member, send, url } = yield* Service
      const { key } = yield* member("Member")
      const workflow = yield* send({ method: "POST", path: "/workflows", key, json: { name: "a", ...graph() } })
      const raw = new TextEncoder().encode(
        JSON.stringify({ workflow_id: workflow.body.id, run_input_variables: { a: "\\".repeat(2_500_000) } })
      )
      const headers = { "content-type": "application/json" }
      const saved = yield* Watchdog.least(longest, send({ method: "POST", path: "/run", key, raw, headers }))
      assert.strictEqual(saved.value.status, 201, saved.value.text.slice(0, 300))
      const read = yield* Watchdog.least(
        longest,
        Effect.promise(async () => {
          const answer = await fetch(`${url}/run/${saved.value.body.session_id}`, { headers: { "cc-key": key } })
          let bytes = 0
          for await (const piece of answer.body ?? []) bytes += piece.length
          return bytes
        })
      )
      assert.isAbove(read.value, 5_000_000)
      assert.deepStrictEqual(
        [saved, read].map(({ heldMillis }) => heldMillis).filter((millis) => millis >= longest),
        []
      )
    })
  )
})
