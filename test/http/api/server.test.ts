import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Guide from "../../../apps/api/Guide.ts"
import { graph } from "../../support/fixtures.ts"
import { layerInMemory, Service } from "../../support/service.ts"

const workflow = { ...graph(), input_schema: { type: "object" } }

const alwaysOpen = {
  time_zone: "UTC",
  regular_hours: [],
  special_hours: [
    {
      active: true,
      recurrence: "FREQ=DAILY",
      recurrence_start: { year: 2020, month: 1, day: 1 },
      active_start_time: { hours: 0 },
      active_end_time: { hours: 23, minutes: 59 }
    }
  ]
}

it.layer(layerInMemory)("the HTTP interface", (it) => {
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

    it.effect("serves the pages of the guide as Markdown and llms.txt without a key, also where it is not built", () =>
      Effect.gen(function* () {
        const { send } = yield* Service
        const list = yield* send({ method: "GET", path: "/llms.txt" })
        assert.deepStrictEqual([list.status, list.headers.get("content-type")], [200, "text/plain; charset=utf-8"])
        const addresses = [...list.text.matchAll(/\]\((docs\/guide\/[^)]+\.md)\)/g)].map(([, address]) => `/${address}`)
        assert.include(addresses, "/docs/guide/actions.md")
        for (const path of addresses) {
          const page = yield* send({ method: "GET", path })
          assert.deepStrictEqual(
            [page.status, page.headers.get("content-type")],
            [200, "text/markdown; charset=utf-8"],
            path
          )
        }
        for (const path of ["/docs/guide/none.md", "/docs/guide/..%2fpackage.md", "/LLMS.txt"]) {
          assert.strictEqual((yield* send({ method: "GET", path })).status, 404, path)
        }
        assert.strictEqual((yield* send({ method: "HEAD", path: "/llms.txt" })).text, "")
      })
    )

    it.effect("answers HEAD as GET, and 304 where the client has the answer already", () =>
      Effect.gen(function* () {
        const { member, send } = yield* Service
        const { key } = yield* member("Member")
        const made = yield* send({ method: "POST", path: "/workflows", key, json: { ...workflow, name: "Tagged" } })
        for (const path of [`/workflows/${String(made.body.workflow_id)}`, "/openapi.json", "/docs"]) {
          const got = yield* send({ method: "GET", path, key })
          const tag = got.headers.get("etag") ?? ""
          assert.match(tag, /^W\/"(\d+-\d+\.)?[\w-]{27}"$/, path)
          assert.include(got.headers.get("vary")?.toLowerCase(), "accept-encoding", path)
          const head = yield* send({ method: "HEAD", path, key })
          assert.deepStrictEqual([head.status, head.text, head.headers.get("etag")], [200, "", tag], path)
          const tags = path.startsWith("/workflows/") ? [tag, tag.slice(2), `"other", ${tag}`, "*"] : [tag]
          for (const known of tags) {
            const same = yield* send({ method: "GET", path, key, headers: { "if-none-match": known } })
            assert.deepStrictEqual([same.status, same.text], [304, ""], path)
            // Only an answer with a body may be compressed, which makes its tag a weak one.
            assert.strictEqual(same.headers.get("etag")?.replace(/^W\//, ""), tag.slice(2), path)
          }
        }
        const path = `/workflows/${String(made.body.workflow_id)}`
        const other = yield* send({ method: "GET", path, key, headers: { "if-none-match": '"other"' } })
        assert.strictEqual(other.status, 200)
      })
    )

    it.effect("compresses JSON and pages, and no answer of the vault", () =>
      Effect.gen(function* () {
        const { member, send } = yield* Service
        const { key } = yield* member("Member")
        for (const encoding of ["br", "gzip"]) {
          for (const path of ["/openapi.json", "/docs"]) {
            const { headers } = yield* send({ method: "GET", path, headers: { "accept-encoding": encoding } })
            assert.strictEqual(headers.get("content-encoding"), encoding, path)
          }
        }
        for (const accepted of ["identity", "br;q=0, gzip;q=0"]) {
          const plain = yield* send({ method: "GET", path: "/openapi.json", headers: { "accept-encoding": accepted } })
          assert.isNull(plain.headers.get("content-encoding"), accepted)
        }
        const vault = yield* send({ method: "GET", path: "/vault", key, headers: { "accept-encoding": "gzip" } })
        assert.deepStrictEqual(
          ["content-encoding", "etag"].map((name) => vault.headers.get(name)),
          [null, null]
        )
      })
    )

    it.effect(
      "takes the tag of a run window as it stands on a compressed answer, and answers its own tag with 304",
      () =>
        Effect.gen(function* () {
          const { member, send } = yield* Service
          const { key } = yield* member("Member")
          const made = yield* send({ method: "POST", path: "/workflows", key, json: { ...workflow, name: "Windowed" } })
          const path = `/workflows/${String(made.body.workflow_id)}/run-window`
          const tag = (yield* send({ method: "GET", path, key })).headers.get("etag") ?? ""
          assert.match(tag, /^(W\/)?"0\.[\w-]{27}"$/)
          const known = send({ method: "GET", path, key, headers: { "if-none-match": tag } })
          assert.strictEqual((yield* known).status, 304)
          // A pause changes the answer, and not the revision of the window.
          yield* send({ method: "POST", path: path.replace("run-window", "pause"), key, json: {} })
          assert.strictEqual((yield* known).status, 200)
          const weak = { "if-match": `W/${tag.replace(/^W\//, "")}` }
          const set = yield* send({ method: "PUT", path, key, json: alwaysOpen, headers: weak })
          assert.strictEqual(set.status, 200)
          assert.strictEqual((yield* send({ method: "PUT", path, key, json: alwaysOpen, headers: weak })).status, 409)
        })
    )

    it.effect("refuses a change by a tag where no tags are compared, and changes nothing", () =>
      Effect.gen(function* () {
        const { member, send } = yield* Service
        const { key } = yield* member("Owner")
        const made = yield* send({ method: "POST", path: "/workflows", key, json: { ...workflow, name: "Tagged" } })
        const pace = `/workflows/${String(made.body.workflow_id)}/pace`
        const tag = String((yield* send({ method: "GET", path: pace, key })).headers.get("etag"))
        const json = { max_starts_per_minute: 5, max_running: null }
        const change = (value: string) =>
          send({ method: "PUT", path: pace, key, json, headers: { "if-match": value, "idempotency-key": value } })
        for (const refused of [yield* change(tag), yield* change('"other"')]) {
          assert.deepInclude(refused.body, { statusCode: 412, error: "Precondition Failed" })
          assert.strictEqual(refused.status, 412)
        }
        assert.strictEqual((yield* send({ method: "GET", path: pace, key })).body.max_starts_per_minute, null)
        assert.strictEqual((yield* change("*")).status, 200)
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
