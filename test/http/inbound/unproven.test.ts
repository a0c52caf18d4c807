import { createHmac } from "node:crypto"
import { request } from "node:http"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { Inbound } from "../../../apps/api/inbound/Inbound.ts"
import { layerInMemory, Service } from "../../support/service.ts"
import { until } from "../../support/waiting.ts"

const secret = "an-inbound-secret-of-32-letters"

const service = Layer.fresh(layerInMemory).pipe(
  Layer.provide(Layer.succeed(Inbound, { secret: Redacted.make(secret), twilioAuthToken: null }))
)

/** Signed at the instant at which the clock of tests stands. */
const signed = (body: string) => {
  const timestamp = "0"
  const signature = createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex")
  return { "x-sluice-timestamp": timestamp, "x-sluice-signature": signature, "content-type": "application/json" }
}

it.layer(service)("bodies of clients that have not proven the secret yet", (it) => {
  it.effect("take no more than a bounded memory, and make room when they are gone", () =>
    Effect.gen(function* () {
      const { send, url } = yield* Service
      const [refused, leave] = yield* Effect.promise(async () => {
        const most = Buffer.alloc(14_000_000, "x")
        const headers = { ...signed(""), "content-length": most.length + 1 }
        const asked = Array.from({ length: 5 }, () =>
          request(new URL("/inbound/mail", url), { method: "POST", headers })
        )
        const first = new Promise<number>((resolve) => {
          for (const one of asked) {
            one.on("error", () => {})
            one.on("response", ({ statusCode = 0 }) => resolve(statusCode))
            one.write(most)
          }
        })
        const leave = () => {
          for (const one of asked) one.destroy()
        }
        return [await first, leave] as const
      })
      assert.strictEqual(refused, 503)
      leave()
      const body = JSON.stringify({ to: "+15550001111", text: "Your code is 482913" })
      const bring = send({ method: "POST", path: "/inbound/sms", raw: body, headers: signed(body) })
      const { status } = yield* until("room for a body", bring, (answer) => answer.status !== 503)
      assert.strictEqual(status, 200)
    })
  )
})
