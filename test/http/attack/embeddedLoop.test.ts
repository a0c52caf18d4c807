/**
 * What is saved in the embedded database does not hold the event loop: PostgreSQL computes in a thread of its own.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { graph } from "../../support/fixtures.ts"
import * as HeldLoop from "../../support/heldLoop.ts"
import { layer as layerService, Service } from "../../support/service.ts"

/** What it may be held for, in fixed works; the sender counts here. */
const longest = 6

layer(layerService)("the event loop of a service with the embedded database", (it) => {
  it.effect("is not held by a run with 5 MB of inputs, as it is saved and as its record is read", () =>
    Effect.gen(function* () {
      const { member, send, url } = yield* Service
      const { key } = yield* member("Member")
      const workflow = yield* send({ method: "POST", path: "/workflows", key, json: { name: "a", ...graph() } })
      const raw = new TextEncoder().encode(
        JSON.stringify({ workflow_id: workflow.body.id, run_input_variables: { a: "\\".repeat(2_500_000) } })
      )
      const headers = { "content-type": "application/json" }
      const saved = yield* HeldLoop.least(send({ method: "POST", path: "/run", key, raw, headers }), longest)
      assert.strictEqual(saved.value.status, 201, saved.value.text.slice(0, 300))
      const read = yield* HeldLoop.least(
        Effect.promise(async () => {
          const answer = await fetch(`${url}/run/${saved.value.body.session_id}`, { headers: { "cc-key": key } })
          let bytes = 0
          for await (const piece of answer.body ?? []) bytes += piece.length
          return bytes
        }),
        longest
      )
      assert.isAbove(read.value, 5_000_000)
      for (const { cost } of [saved, read]) assert.isBelow(cost, longest)
    })
  )
})
