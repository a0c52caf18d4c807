/** What every answer tells a browser: not to guess its type, and not to come without TLS. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { PublicUrl } from "../../../apps/api/http/Origin.ts"
import { layerInMemory, Service } from "../../support/service.ts"

const asked: ReadonlyArray<readonly [string, string]> = [
  ["GET", "/healthz"],
  ["GET", "/workflows"],
  ["GET", "/nowhere"],
  ["GET", "/console/session"],
  ["POST", "/run"],
  ["GET", "/artifacts/none"],
  ["GET", "/openapi.json"]
]

const headersOf = (name: string) =>
  Effect.gen(function* () {
    const { member, send } = yield* Service
    const { key } = yield* member("Viewer")
    return yield* Effect.forEach(asked, ([method, path]) =>
      Effect.map(send({ method, path, key }), ({ headers }) => headers.get(name))
    )
  })

it.layer(layerInMemory)("without https", (it) => {
  it.effect("no answer lets a browser guess its type, and none asks for TLS", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* headersOf("x-content-type-options"),
        asked.map(() => "nosniff")
      )
      assert.deepStrictEqual(
        yield* headersOf("strict-transport-security"),
        asked.map(() => null)
      )
    })
  )
})

const secure = Layer.fresh(layerInMemory).pipe(
  Layer.provide(Layer.succeed(PublicUrl, Option.some("https://sluice.example.com")))
)

it.layer(secure)("with an https address", (it) => {
  it.effect("every answer asks browsers to come by TLS alone", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* headersOf("strict-transport-security"),
        asked.map(() => "max-age=31536000")
      )
    })
  )
})
