/**
 * A run with an output of several megabytes: its record is whole, and what streams and webhooks carry of it is bounded,
 * says so, and does not hold the event loop.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as HttpSender from "../../../adapters/http/HttpSender.ts"
import { mostBytes } from "../../../core/event/EventBounds.ts"
import * as Dispatcher from "../../../core/event/webhook/Dispatcher.ts"
import * as Attempt from "../../../core/run/Attempt.ts"
import { ArtifactLinks } from "../../../core/run/artifact/ArtifactLinks.ts"
import { Executor } from "../../../core/run/Executor.ts"
import { RunStore } from "../../../core/run/RunStore.ts"
import type { WorkspaceId } from "../../../core/workspace/Ids.ts"
import { framesOf } from "../../support/clients.ts"
import { graph } from "../../support/fixtures.ts"
import * as HeldLoop from "../../support/heldLoop.ts"
import { receiver } from "../../support/receiver.ts"
import { layerWith, Service } from "../../support/service.ts"

const output = { rows: Array.from({ length: 4_000 }, (_, row) => ({ row, text: "é".repeat(600) })) }

const executor = Layer.succeed(
  Executor,
  Executor.of({ execute: () => Effect.succeed({ _tag: "Success", data: output }) })
)

const sending = { ...HttpSender.defaults, allowPrivateNetworks: true }

const dispatching = Layer.effectDiscard(
  Effect.gen(function* () {
    const { under } = yield* ArtifactLinks
    const links = (workspace: WorkspaceId) => under("https://sluice.example.com", workspace)
    yield* Effect.forkScoped(Dispatcher.run({ ...Dispatcher.defaults, links }))
  })
).pipe(Layer.provideMerge(layerWith({ sending })))

layer(dispatching, { excludeTestServices: true })("a run with a large output", (it) => {
  it.effect("has a whole record, and an end in streams and webhooks that is bounded and says so", () =>
    Effect.gen(function* () {
      const { member, send, url } = yield* Service
      const { key } = yield* member("Owner")
      const made = yield* send({ method: "POST", path: "/workflows", key, json: { name: "Large", ...graph() } })
      const live = yield* receiver(200)
      const json = {
        workflow_id: made.body.id,
        webhook: { url: live.url, secret: "a secret of the receiver", event_types_subscribed: ["execution.success"] }
      }
      const { cost, value } = yield* HeldLoop.least(
        Effect.gen(function* () {
          const session = String((yield* send({ method: "POST", path: "/run", key, json })).body.session_id)
          const claimed = yield* (yield* RunStore).claim({ worker: "w", limit: 1, leaseMillis: 30_000 })
          yield* Effect.forEach(claimed, (one) => Attempt.carryOut(one)).pipe(Effect.provide(executor))
          return { session, delivered: yield* live.next }
        })
      )
      assert.isBelow(cost, HeldLoop.most)
      const { delivered, session } = value

      const record = yield* send({ method: "GET", path: `/run/${session}`, key })
      assert.deepStrictEqual(record.body.data, output)
      assert.isAbove(record.text.length, 2 * mostBytes)

      assert.isBelow(delivered.text.length, mostBytes)
      const { data, left_out, session_id, status } = delivered.body.payload
      assert.deepStrictEqual(
        { data, left_out, session_id, status },
        { data: null, left_out: ["data"], session_id: session, status: "execution.success" }
      )

      const streamed = yield* Effect.promise(async () =>
        (await fetch(`${url}/run/${session}/events`, { headers: { "cc-key": key } })).text()
      )
      assert.isBelow(streamed.length, mostBytes)
      const last = framesOf(streamed).at(-1)?.data.data
      assert.deepStrictEqual(last?.payload, delivered.body.payload)
    }).pipe(Effect.scoped)
  )
})
