import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { HttpEffect, HttpServerResponse } from "effect/http"
import * as CrossOrigin from "../../../apps/api/delivery/CrossOrigin.ts"

const page = "https://app.example.com"
const answer = Effect.succeed(HttpServerResponse.jsonUnsafe({ status: "live" }))

const ask = (origins: ReadonlyArray<string>, method: string, headers: Record<string, string>) =>
  Effect.promise(() =>
    HttpEffect.toWebHandler(CrossOrigin.allow(origins)(answer))(
      new Request("https://sluice.example.com/workflows", { method, headers })
    )
  )

const allowed = (response: Response) => response.headers.get("access-control-allow-origin")

describe("a page of another origin", () => {
  it.effect("is not mentioned unless origins are set, and OPTIONS is answered as any other method", () =>
    Effect.gen(function* () {
      const response = yield* ask([], "OPTIONS", { origin: page })
      assert.deepStrictEqual([response.status, allowed(response)], [200, null])
    })
  )

  it.effect("may call with a key where its origin is set, and no other page may", () =>
    Effect.gen(function* () {
      const asked = { "access-control-request-method": "POST", "access-control-request-headers": "cc-key" }
      const before = yield* ask([page], "OPTIONS", { origin: page, ...asked })
      assert.deepStrictEqual([before.status, allowed(before)], [204, page])
      assert.include(before.headers.get("access-control-allow-methods"), "POST")
      assert.strictEqual(before.headers.get("access-control-allow-headers"), "cc-key")
      const call = yield* ask([page], "GET", { origin: page })
      assert.deepStrictEqual([call.status, allowed(call)], [200, page])
      assert.include(call.headers.get("access-control-expose-headers"), "etag")
      assert.include(call.headers.get("vary")?.toLowerCase(), "origin")
      for (const origin of ["https://evil.example.com", "null"]) {
        assert.isNull(allowed(yield* ask([page], "GET", { origin })), origin)
        assert.isNull(allowed(yield* ask([page], "OPTIONS", { origin, ...asked })), origin)
      }
    })
  )

  it.effect("may call from anywhere where every origin is allowed, and never with a cookie", () =>
    Effect.gen(function* () {
      const call = yield* ask(["*"], "GET", { origin: page })
      assert.strictEqual(allowed(call), "*")
      assert.isNull(call.headers.get("access-control-allow-credentials"))
    })
  )
})
