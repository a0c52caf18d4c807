import { request } from "node:http"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { graph } from "../../support/fixtures.ts"
import { layerInMemory, Service } from "../../support/service.ts"

const workflow = { name: "Nightly", ...graph() }

interface Raw {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
}

/** Sends an address exactly as it is written, which `fetch` does not. */
const raw = (
  url: string,
  options: { readonly method: string; readonly path: string; readonly headers: Record<string, string> },
  body = ""
) =>
  Effect.callback<Raw>((resume) => {
    const { hostname, port } = new URL(url)
    const sent = request({ ...options, hostname, port, agent: false }, (answer) => {
      let text = ""
      answer.setEncoding("utf8")
      answer.on("data", (chunk: string) => {
        text += chunk
      })
      answer.on("end", () => resume(Effect.succeed({ status: answer.statusCode ?? 0, headers: answer.headers, text })))
    })
    sent.on("error", (error) => resume(Effect.die(error)))
    sent.end(body)
  })

/** Forms of an address that a router may take for the same one. */
const forms = (path: string): ReadonlyArray<string> => {
  const [, first = "", ...rest] = path.split("/")
  const others = rest.map((part) => `/${part}`).join("")
  return [
    `/${path}`,
    `//${first}/${others}`,
    path.replace(first, first.toUpperCase()),
    path.replace(first, first[0]?.toUpperCase() + first.slice(1)),
    `${path}/`,
    `${path}//`,
    `${path};x`,
    `${path};x=1?y`,
    `${path}#x`,
    `${path}%3Bx`,
    `${path}%2F`,
    `${path}%20`,
    `${path}%00`,
    `/%${first.charCodeAt(0).toString(16)}${first.slice(1)}${others}`,
    `/%25${first.charCodeAt(0).toString(16)}${first.slice(1)}${others}`,
    `/x/..${path}`,
    `/.${path}`,
    `${path}%ff`
  ]
}

it.layer(layerInMemory)("an address in another form", (it) => {
  const changes: ReadonlyArray<readonly [method: string, path: string]> = [
    ["POST", "/run"],
    ["POST", "/workflows"],
    ["POST", "/workflow-components"],
    ["POST", "/vault"],
    ["POST", "/api-keys"],
    ["PUT", "/authentication"],
    ["POST", "/runs/unpause"]
  ]

  it.effect.each(changes)(
    "%s %s leads nowhere or to the address, and does nothing, with and without an Idempotency-Key",
    ([method, path]) =>
      Effect.gen(function* () {
        const { dump, member, send, url } = yield* Service
        const { key } = yield* member("Owner")
        const made = yield* send({ method: "POST", path: "/workflows", key, json: workflow })
        const body = JSON.stringify({ ...workflow, workflow_id: made.body.id })
        const before = yield* dump
        for (const form of forms(path)) {
          const headers = { "cc-key": key, "content-type": "application/json", "idempotency-key": "same" }
          for (const sent of [headers, { "cc-key": key, "content-type": "application/json" }]) {
            const { status, text } = yield* raw(url, { method, path: form, headers: sent }, body)
            // One slash at the end leads to the address, and does nothing itself.
            assert.strictEqual(status, form === `${path}/` ? 308 : 404, `${form}: ${text}`)
            if (status === 404) assert.deepInclude(JSON.parse(text), { statusCode: 404, error: "Not Found" })
          }
        }
        assert.strictEqual(yield* dump, before)
      })
  )

  it.effect("of a page or a file is 404 as well", () =>
    Effect.gen(function* () {
      const { url } = yield* Service
      const id = "00000000-0000-4000-8000-000000000001"
      for (const path of ["/docs", "/openapi.json", "/healthz", `/live/${id}`, `/artifacts/${id}`, "/inbound/sms"]) {
        for (const form of forms(path)) {
          if (form === `${path}/`) continue
          const { status } = yield* raw(url, { method: "GET", path: form, headers: {} })
          assert.strictEqual(status, 404, form)
        }
      }
    })
  )

  it.effect("is not taken for another endpoint by an escape in its fixed part", () =>
    Effect.gen(function* () {
      const { member, url } = yield* Service
      const { key } = yield* member("Owner")
      for (const [method, path] of [
        ["GET", "/workflows/%66olders"],
        ["POST", "/workflows/%75psert"],
        ["POST", "/workflows/%69mport"],
        ["GET", "/workflow-builder/agent/%73essions"],
        ["POST", "/workflow-builder/agent/%73ession/from-workflow"]
      ] as const) {
        const headers = { "cc-key": key, "content-type": "application/json" }
        const { status } = yield* raw(url, { method, path, headers }, method === "GET" ? "" : "{}")
        assert.strictEqual(status, 404, path)
      }
    })
  )

  it.effect("that only ends with a slash leads a reader to the address, on this host", () =>
    Effect.gen(function* () {
      const { member, url } = yield* Service
      const { key } = yield* member("Viewer")
      const ask = (path: string, method = "GET") => raw(url, { method, path, headers: { "cc-key": key } })
      const moved = yield* ask("/runs/?limit=5")
      assert.deepStrictEqual([moved.status, moved.headers.location], [308, "../runs?limit=5"])
      assert.strictEqual((yield* ask("/docs/")).headers.location, "../docs")
      for (const path of ["/evil.example/", "//evil.example/", "/runs//", "//runs/", "/nowhere/"]) {
        const { headers, status } = yield* ask(path)
        assert.deepStrictEqual([status, headers.location], [404, undefined], path)
      }
    })
  )

  it.effect("leaves escapes in its parameters alone", () =>
    Effect.gen(function* () {
      const { member, send, url } = yield* Service
      const { key } = yield* member("Owner")
      const json = { permissioned_user_id: "a b/c;d%é", domain: "https://app.example.com" }
      assert.strictEqual((yield* send({ method: "POST", path: "/vault", key, json })).status, 201)
      const path = `/authentication/${encodeURIComponent(json.permissioned_user_id).replace("b", "%62")}`
      const { status, text } = yield* raw(url, { method: "GET", path, headers: { "cc-key": key } })
      assert.strictEqual(status, 200, text)
      assert.strictEqual(JSON.parse(text).permissioned_user_id, json.permissioned_user_id)
    })
  )
})

it.layer(layerInMemory)("HEAD", (it) => {
  it.effect("answers with the status and the headers of GET, and no body", () =>
    Effect.gen(function* () {
      const { member, send, url } = yield* Service
      const { key } = yield* member("Owner")
      const made = yield* send({ method: "POST", path: "/workflows", key, json: workflow })
      const id = String(made.body.id)
      for (const path of ["/runs", `/workflows/${id}`, "/workflows/unknown", "/openapi.json", "/docs", "/healthz"]) {
        const ask = (method: string) => raw(url, { method, path, headers: { "cc-key": key } })
        const [head, get] = [yield* ask("HEAD"), yield* ask("GET")]
        assert.strictEqual(head.status, get.status, path)
        assert.strictEqual(head.text, "")
        for (const name of ["content-type", "content-length", "cache-control"]) {
          assert.strictEqual(head.headers[name], get.headers[name], `${path} ${name}`)
        }
      }
    })
  )

  it.effect("needs a key where GET does, is 404 for no address, and 405 where there is no GET", () =>
    Effect.gen(function* () {
      const { member, url } = yield* Service
      const { key } = yield* member("Owner")
      const ask = (path: string, headers: Record<string, string>) => raw(url, { method: "HEAD", path, headers })
      assert.strictEqual((yield* ask("/runs", {})).status, 401)
      assert.strictEqual((yield* ask("/nowhere", { "cc-key": key })).status, 404)
      assert.strictEqual((yield* ask("/run", { "cc-key": key })).status, 405)
    })
  )

  it.effect("of a stream ends at once", () =>
    Effect.gen(function* () {
      const { member, url } = yield* Service
      const { key } = yield* member("Owner")
      const path = "/run/clients/00000000-0000-4000-8000-00000000c11e/events"
      const { status, text } = yield* raw(url, { method: "HEAD", path, headers: { "cc-key": key } })
      assert.deepStrictEqual([status, text], [200, ""])
    })
  )
})
