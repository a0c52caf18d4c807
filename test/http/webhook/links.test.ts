import { randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import * as Memory from "../../../adapters/memory/Memory.ts"
import { PublicUrl } from "../../../apps/api/http/Origin.ts"
import { Deliveries } from "../../../core/event/webhook/Deliveries.ts"
import { RunStore } from "../../../core/run/RunStore.ts"
import { entriesOf } from "../../kit/contracts/event/DeliveryContract.ts"
import { openRaw } from "../../support/clients.ts"
import { graph } from "../../support/fixtures.ts"
import { layerWith, Service } from "../../support/service.ts"

const publicly = layerWith({ stores: Memory.layer }).pipe(
  Layer.provide(Layer.succeed(PublicUrl, Option.some("https://example.com/sluice")))
)

it.layer(publicly)("links", (it) => {
  it.effect("begin with the public address where one was set, with its path", () =>
    Effect.gen(function* () {
      const { member, send, url } = yield* Service
      const { key } = yield* member("Owner")
      const made = yield* send({ method: "POST", path: "/workflows", key, json: { name: "W", ...graph() } })
      const run = yield* send({ method: "POST", path: "/run", key, json: { workflow_id: made.body.id } })
      const session = String(run.body.session_id)
      yield* (yield* RunStore).claim({ worker: "w", limit: 1, leaseMillis: 1_000 })
      const entries = yield* entriesOf(session)
      yield* (yield* Deliveries).append(
        entries.map((entry) => ({ id: randomUUID(), entry, webhookId: null, url: "https://example.com" }))
      )
      const { body } = yield* send({ method: "GET", path: `/webhooks/${session}`, key })
      const log = body.webhook_events as ReadonlyArray<{
        readonly message: { readonly event: string; readonly payload: Record<string, unknown> }
      }>
      const started = log.find(({ message }) => message.event === "execution.start")
      assert.match(String(started?.message.payload.live_view_url), /^https:\/\/example\.com\/sluice\/live\//)
      const stream = openRaw(url, `/run/${session}/events`, key)
      const told = yield* Effect.promise(() => stream.until((body) => body.includes("live_view_url")))
      stream.close()
      assert.include(told, '"live_view_url":"https://example.com/sluice/live/')
    })
  )
})
