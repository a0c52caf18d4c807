import { connect } from "node:net"
import { assert, it } from "@effect/vitest"
import { Arbitrary, Effect, Schema } from "effect"
import { OpenApi } from "effect/http-api"
import { Api } from "../../../apps/api/Api.ts"
import { makeSecretProvider } from "../../support/credentials.ts"
import { componentData, daily, graph } from "../../support/fixtures.ts"
import { makePatch } from "../../support/patches.ts"
import { scale } from "../../support/scale.ts"
import { layer, Service } from "../../support/service.ts"
import { awaited } from "../../support/waiting.ts"

const workflow = { name: "Nightly", ...graph() }

const endpoints = Object.entries(OpenApi.fromApi(Api).paths).flatMap(([path, operations]) =>
  Object.keys(operations).map((method) => ({ method: method.toUpperCase(), path }))
)
const withBody = endpoints.filter(({ method }) => method === "POST" || method === "PUT" || method === "PATCH")

/** The paths at which a body may be left out, and unknown fields are ignored as everywhere. */
const takesAnything = /\/(pause|fork|validate-input|example-payloads|save|test|rotation)$/

const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth)

/** Bodies that no client should send, each with the statuses that may answer it. */
const bodies: ReadonlyArray<readonly [name: string, raw: string | Uint8Array<ArrayBuffer>, type: string]> = [
  ["truncated JSON", '{"name": "x', "application/json"],
  ["no JSON at all", "name=x", "application/json"],
  ["another content type", "{}", "text/plain"],
  ["no object", "42", "application/json"],
  ["null", "null", "application/json"],
  ["an array", "[]", "application/json"],
  ["a prototype", '{"__proto__": {"name": "x"}, "constructor": {"prototype": {}}}', "application/json"],
  ["names that stand twice", '{"workflow_id": "a", "workflow_id": {}}', "application/json"],
  ["invalid UTF-8", Uint8Array.of(0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d), "application/json"],
  ["lone surrogates and NUL", '{"workflow_id": "\\ud800\\u0000", "reason": "\\udfff"}', "application/json"],
  ["absurd numbers", '{"max_retries": 1e400, "workflow_id": -0, "until": 1e-400}', "application/json"],
  ["10,000 levels", nested(10_000), "application/json"],
  ["300,000 names", `{${Array.from({ length: 300_000 }, (_, index) => `"k${index}":0`).join(",")}}`, "application/json"]
]

it.layer(layer)("whatever is sent", (it) => {
  const setUp = Effect.gen(function* () {
    const { empty, member, send } = yield* Service
    yield* empty
    const { caller, key } = yield* member("Owner")
    const made = yield* send({ method: "POST", path: "/workflows", key, json: workflow })
    const workflowId = String(made.body.id)
    const started = yield* send({ method: "POST", path: "/run", key, json: { workflow_id: workflowId } })
    const component = yield* send({
      method: "POST",
      path: "/workflow-components",
      key,
      json: { name: "Login", componentData: componentData() }
    })
    const path = "/workflow-builder/agent/session"
    const opened = yield* send({ method: "POST", path, key, json: { name: "New", startUrl: "https://example.com" } })
    const code = yield* send({ method: "POST", path: "/error-codes", key, json: { error_code: "One" } })
    const provider = yield* makeSecretProvider(caller.workspaceId)
    const patch = yield* makePatch(caller.workspaceId, workflowId)
    const fill = (path: string) =>
      path
        .replace("{workflow_id}", workflowId)
        .replace("{session_id}", String(started.body.session_id))
        .replace("{component_id}", String(component.body.id))
        .replace("{version_number}", "1")
        .replace("{conversation_id}", String(opened.body.conversationId))
        .replace("{node_id}", workflow.nodes[0]?.id ?? "")
        .replace("{workspace_id}", caller.workspaceId)
        .replace("{error_code_id}", String(code.body.id))
        .replace("{secret_provider_id}", provider)
        .replace("{patch_id}", patch)
    return { key, fill, workflowId }
  })

  it.effect.each(bodies)("a body of %s is answered with 4xx, and changes nothing", ([, raw, type]) =>
    Effect.gen(function* () {
      const { dump, send } = yield* Service
      const { fill, key } = yield* setUp
      let before = yield* dump
      for (const { method, path } of withBody) {
        if (/\/(interrupt|replay|apply|dismiss|sign-in-links)$/.test(path)) continue
        const { body, status } = yield* send({ method, path: fill(path), key, raw, headers: { "content-type": type } })
        // If every field may be left out, a body without any of them is a valid request.
        const harmless = (takesAnything.test(path) || method === "PATCH") && status < 300
        const after = yield* dump
        if (!harmless) {
          assert.isTrue(status >= 400 && status < 500, `${method} ${path}: ${status}`)
          assert.strictEqual(body.statusCode, status)
          assert.isNotEmpty(body.message)
          assert.strictEqual(after, before)
        }
        before = after
      }
    })
  )

  it.effect("a body over the limit is refused while it streams, by its declared length or by its bytes", () =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const { key } = yield* member("Owner")
      const megabyte = new Uint8Array(1_048_576).fill(0x20)
      const builder = "/workflow-builder/agent/session"
      const limits = {
        "/run": 25,
        "/workflows": 5,
        "/runs/unpause": 1,
        [`${builder}/from-workflow`]: 25,
        [`${builder}/from-failed-run`]: 25,
        [builder]: 1
      }
      for (const [path, megabytes] of Object.entries(limits)) {
        let sent = 0
        const raw = new ReadableStream<Uint8Array>({
          pull: (controller) => (sent++ > megabytes + 5 ? controller.close() : controller.enqueue(megabyte))
        })
        const streamed = yield* send({
          method: "POST",
          path,
          key,
          raw,
          headers: { "content-type": "application/json" }
        })
        assert.deepInclude(streamed.body, {
          statusCode: 413,
          code: "PAYLOAD_TOO_LARGE",
          limit_bytes: megabytes * 1_048_576
        })
        assert.notProperty(streamed.body, "received_bytes")
      }
      const declared = yield* send({
        method: "POST",
        path: "/runs/unpause",
        key,
        raw: new Uint8Array(1_048_577).fill(0x20),
        headers: { "content-type": "application/json" }
      })
      assert.deepInclude(declared.body, { statusCode: 413, limit_bytes: 1_048_576, received_bytes: 1_048_577 })
    })
  )

  it.effect("an empty body with a JSON type is none, where none is needed", () =>
    Effect.gen(function* () {
      const { send } = yield* Service
      const { fill, key } = yield* setUp
      const headers = { "content-type": "application/json" }
      const interrupted = yield* send({ method: "POST", path: fill("/run/{session_id}/interrupt"), key, headers })
      assert.strictEqual(interrupted.status, 200)
      assert.strictEqual((yield* send({ method: "POST", path: "/run", key, headers })).status, 400)
    })
  )

  /** Whether there is something at an address: the console is at the root. */
  const isServed = (method: string, path: string) =>
    (method === "GET" && path === "/") || endpoints.some((one) => one.method === method && one.path === path)

  it.effect("ids and queries of any form are answered with 4xx", () =>
    Effect.gen(function* () {
      const { send } = yield* Service
      const { key } = yield* setUp
      for (const id of [
        "x",
        "..",
        "%00",
        "%ff",
        "a".repeat(5_000),
        "00000000-0000-4000-8000-000000000000",
        "%27%20or%201=1"
      ]) {
        for (const { method, path } of endpoints.filter((one) => one.path.includes("{"))) {
          // Any UUID is the id of a client.
          if (path.includes("{client_id}") && id.startsWith("0000")) continue
          // A client sends "/run/../events" as "/events".
          if (id === ".." && isServed(method, new URL(path.replace(/\{\w+\}/g, ".."), "http://x").pathname)) continue
          const { status } = yield* send({
            method,
            path: path.replace(/\{\w+\}/g, id),
            key,
            ...(method === "POST" || method === "PUT"
              ? { json: path.includes("run-window") ? daily(9, 17) : workflow }
              : {})
          })
          assert.isTrue(status >= 400 && status < 500, `${method} ${path} with ${id.slice(0, 40)}: ${status}`)
        }
      }
    })
  )

  it.effect("a client that sends its body slowly delays no other client", () =>
    Effect.gen(function* () {
      const { send, url } = yield* Service
      const { key } = yield* setUp
      const { port } = new URL(url)
      let served = 0
      const sockets = Array.from({ length: 50 }, () => {
        const socket = connect(Number(port), "127.0.0.1")
        socket.on("error", () => {})
        for (const event of ["data", "close"]) socket.once(event, () => served++)
        return socket
      })
      const head = `POST /run HTTP/1.1\r\nhost: x\r\ncc-key: ${key}\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{`
      yield* Effect.promise(() =>
        Promise.all(sockets.map((socket) => new Promise<void>((done) => socket.write(head, () => done()))))
      )
      const listed = yield* awaited("an answer beside slow clients", send({ method: "GET", path: "/workflows", key }))
      assert.strictEqual(listed.status, 200)
      assert.strictEqual(served, 0, "the slow clients still send")
      for (const socket of sockets) socket.destroy()
    })
  )

  const garbage = Arbitrary.schema(Schema.Json)

  it.effect.prop(
    "generated JSON never reaches an internal error, and changes nothing where it is refused",
    [garbage, Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: withBody.length - 1 }))],
    ([json, index]) =>
      Effect.gen(function* () {
        const { dump, send } = yield* Service
        const { fill, key } = yield* setUp
        const { method, path } = withBody[index] ?? { method: "POST", path: "/run" }
        const before = yield* dump
        const { body, status } = yield* send({ method, path: fill(path), key, json })
        assert.isBelow(status, 500)
        if (status >= 400) {
          assert.strictEqual(body.statusCode, status)
          assert.strictEqual(yield* dump, before)
        }
      }),
    { arbitrary: { runs: 40 * scale, size: 30 } }
  )

  const almost = Schema.Struct({
    field: Schema.Literals([
      "name",
      "nodes",
      "edges",
      "input_schema",
      "output_schema",
      "vault_schema",
      "max_retries",
      "run_window"
    ]),
    value: Schema.Json
  })

  it.effect.prop(
    "a workflow with one field of garbage is saved whole or not at all",
    [almost],
    ([{ field, value }]) =>
      Effect.gen(function* () {
        const { dump, send } = yield* Service
        const { key } = yield* setUp
        const before = yield* dump
        const { body, status } = yield* send({
          method: "POST",
          path: "/workflows",
          key,
          json: { ...workflow, [field]: value }
        })
        assert.include([201, 400], status)
        if (status === 400) {
          assert.isNotEmpty(body.message)
          assert.strictEqual(yield* dump, before)
        }
      }),
    { arbitrary: { runs: 40 * scale, size: 30 } }
  )
})
