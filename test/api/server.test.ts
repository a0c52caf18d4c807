import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Guide from "../../apps/api/Guide.ts"
import { layer, Service } from "../support/service.ts"

it.layer(layer, { timeout: "30 seconds" })("the HTTP interface", (it) => {
  describe("the server", () => {
    it.effect("answers for its health, its description and its reference without a key", () =>
      Effect.gen(function* () {
        const { send } = yield* Service
        assert.strictEqual((yield* send({ method: "GET", path: "/healthz" })).status, 200)
        assert.strictEqual((yield* send({ method: "GET", path: "/readyz" })).status, 200)
        assert.strictEqual((yield* send({ method: "GET", path: "/openapi.json" })).body.openapi, "3.1.0")
        assert.include((yield* send({ method: "GET", path: "/docs" })).text, "<html")
      })
    )

    it.effect("serves the guide where it is built; where not, the reference says how to build it", () =>
      Effect.gen(function* () {
        const { send } = yield* Service
        const reference = (yield* send({ method: "GET", path: "/docs" })).text
        const guide = yield* send({ method: "GET", path: "/docs/guide/" })
        assert.include(reference, Guide.isBuilt() ? 'href="/docs/guide/"' : "npm run docs")
        assert.strictEqual(guide.status, Guide.isBuilt() ? 200 : 404)
        assert.include(guide.text, Guide.isBuilt() ? "<html" : "npm run docs")
      })
    )

    it.effect("answers an unknown address and a forged artifact with 404", () =>
      Effect.gen(function* () {
        const { send } = yield* Service
        const id = "00000000-0000-7000-8000-000000000001"
        for (const path of [
          "/nowhere",
          `/artifacts/${id}?expires=9999999999999&signature=x`,
          "/artifacts/..%2f..%2fetc"
        ]) {
          const { body, status } = yield* send({ method: "GET", path })
          assert.deepStrictEqual([status, body.statusCode, body.error], [404, 404, "Not Found"])
        }
      })
    )
  })
})
