/** The service behind nginx with the settings of `deploy/nginx.conf`, where the machine has nginx. */
import { spawnSync } from "node:child_process"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { request } from "node:http"
import { connect as dial } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Result, Scope } from "effect"
import * as Memory from "../../../adapters/memory/Memory.ts"
import * as ClientAddress from "../../../apps/api/http/ClientAddress.ts"
import * as Proxy from "../../rehearsal/Proxy.ts"
import { kindsOf, openRaw } from "../../support/clients.ts"
import { graph } from "../../support/fixtures.ts"
import * as Live from "../../support/live.ts"
import { freePort } from "../../support/ownServer.ts"
import { layerInMemory, layerWith, Service } from "../../support/service.ts"
import { awaited, until } from "../../support/waiting.ts"
import { openGate, type Script, layer as worker } from "../../support/worker.ts"

const hasNginx = spawnSync("nginx", ["-v"]).status === 0

/** nginx before the service, which can be ended and started again on the same port. */
const behind = Effect.fnUntraced(function* (path: string) {
  const { url } = yield* Service
  const port = yield* Effect.promise(freePort)
  const place = { port, behind: [Number(new URL(url).port)], path }
  let scope = yield* Scope.make()
  const begin = Effect.gen(function* () {
    scope = yield* Scope.make()
    yield* Scope.provide(Proxy.start("nginx", place), scope)
  })
  const end = Effect.suspend(() => Scope.close(scope, Exit.void))
  yield* Effect.acquireRelease(begin, () => end)
  return { url: `http://127.0.0.1:${port}${path}`, port, begin, end }
})

const ask = (url: string, key: string, method: string, path: string, json?: unknown, headers = {}) =>
  Effect.promise(async () => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { "cc-key": key, ...(json === undefined ? {} : { "content-type": "application/json" }), ...headers },
      ...(json === undefined ? {} : { body: typeof json === "string" ? json : JSON.stringify(json) })
    })
    const text = await answer.text()
    return { status: answer.status, body: text === "" ? {} : (JSON.parse(text) as Record<string, unknown>) }
  })

const setUp = Effect.fnUntraced(function* (path: string) {
  const proxy = yield* behind(path)
  const { member } = yield* Service
  const owner = yield* member("Owner")
  const made = yield* ask(proxy.url, owner.key, "POST", "/workflows", { name: "Behind nginx", ...graph() })
  assert.strictEqual(made.status, 201)
  const submit = (input: Script & { readonly filler?: string }, more: object = {}, headers = {}) =>
    ask(
      proxy.url,
      owner.key,
      "POST",
      "/run",
      { workflow_id: made.body.id, run_input_variables: input, ...more },
      headers
    )
  const stream = (client: string) =>
    Effect.acquireRelease(
      Effect.sync(() => openRaw(proxy.url, `${path}/run/clients/${client}/events`, owner.key)),
      ({ close }) => Effect.sync(close)
    )
  return { ...proxy, owner, key: owner.key, workflowId: String(made.body.id), submit, stream }
})

const services = worker.pipe(Layer.provideMerge(layerInMemory))

for (const path of ["", "/sluice"]) {
  describe.skipIf(!hasNginx)(`behind nginx at ${path === "" ? "/" : path} (skipped without nginx)`, () => {
    it.layer(services, { excludeTestServices: true })("the service", (it) => {
      it.effect("accepts a run, and a stream has its events as they happen, before the run ends", () =>
        Effect.gen(function* () {
          const { key, stream, submit, url } = yield* setUp(path)
          const client = randomUUID()
          const gate = randomUUID()
          const events = yield* stream(client)
          yield* Effect.promise(() => events.until((body) => body.includes("event: ping\n")))
          assert.match(events.head(), /^content-type: text\/event-stream$/im)
          assert.notMatch(events.head(), /^content-(encoding|length):/im)
          const run = yield* submit({ steps: ["One"], gate }, { client_id: client })
          assert.strictEqual(run.status, 201)
          // The run waits for the gate: what has come of it was kept back nowhere.
          const before = yield* Effect.promise(() => events.until((body) => kindsOf(body).includes("execution.step")))
          assert.notInclude(kindsOf(before), "execution.success")
          yield* openGate(gate)
          yield* Effect.promise(() => events.until((body) => kindsOf(body).includes("execution.success")))
          const record = yield* ask(url, key, "GET", `/run/${run.body.session_id}`)
          assert.strictEqual(record.body.status, "execution.success")
        }).pipe(Effect.scoped)
      )

      it.effect("shows the live view of a run as it goes", () =>
        Effect.gen(function* () {
          const { key, submit, url } = yield* setUp(path)
          const gate = randomUUID()
          const session = String((yield* submit({ gate })).body.session_id)
          const status = Effect.map(ask(url, key, "GET", `/run/${session}`), ({ body }) => body.status)
          yield* until("the run to start", status, (now) => now === "execution.start")
          const { body } = yield* ask(url, key, "GET", `/live/sessions/${session}/connection`)
          const entered = yield* ask(url, key, "POST", `/live/${session}/view`, { token: body.authToken })
          assert.strictEqual(entered.status, 200)
          const service = Service.of({ ...(yield* Service), url })
          const watched = Live.watch(session, entered.body.ticket, (told) => told.length > 0)
          const { told } = yield* Effect.provideService(watched, Service, service)
          assert.deepInclude(told[0], { status: "execution.start", ended: false })
          yield* openGate(gate)
        }).pipe(Effect.scoped)
      )

      it.effect("takes a body up to the limit of the service, which refuses a larger one itself", () =>
        Effect.gen(function* () {
          const { key, submit, url, workflowId } = yield* setUp(path)
          const empty = JSON.stringify({ workflow_id: workflowId, run_input_variables: { filler: "" } })
          const most = 25 * 1_024 * 1_024
          const filled = (bytes: number) => empty.replace('""', `"${"a".repeat(bytes - empty.length)}"`)
          assert.strictEqual((yield* ask(url, key, "POST", "/run", filled(most))).status, 201)
          const refused = yield* ask(url, key, "POST", "/run", filled(most + 1))
          assert.deepStrictEqual([refused.status, refused.body.statusCode], [413, 413])
          assert.strictEqual((yield* submit({})).status, 201)
        }).pipe(Effect.scoped)
      )

      it.effect("carries a request out once though its client closes its side before the answer", () =>
        Effect.gen(function* () {
          const { key, port, submit, workflowId } = yield* setUp(path)
          const name = randomUUID()
          const body = JSON.stringify({ workflow_id: workflowId, run_input_variables: {} })
          const socket = dial(port, "127.0.0.1")
          socket.on("error", () => {})
          socket.resume()
          const closed = once(socket, "close")
          socket.end(
            [
              `POST ${path}/run HTTP/1.1`,
              "host: sluice.example",
              `cc-key: ${key}`,
              `idempotency-key: ${name}`,
              "content-type: application/json",
              `content-length: ${body.length}`,
              "",
              body
            ].join("\r\n")
          )
          yield* awaited(
            "the end of the connection",
            Effect.promise(() => closed)
          )
          const named = { "idempotency-key": name }
          const again = [yield* submit({}, {}, named), yield* submit({}, {}, named)]
          assert.deepStrictEqual(
            again.map(({ status }) => status),
            [201, 201]
          )
          assert.strictEqual(again[0]?.body.session_id, again[1]?.body.session_id)
        }).pipe(Effect.scoped)
      )

      it.effect("ends no run when nginx is restarted, and the next stream has what the last one missed", () =>
        Effect.gen(function* () {
          const { begin, end, stream, submit } = yield* setUp(path)
          const [client, gate] = [randomUUID(), randomUUID()]
          const first = yield* stream(client)
          yield* Effect.promise(() => first.until((body) => body.includes("event: ping\n")))
          yield* submit({ steps: ["One"], gate }, { client_id: client })
          yield* Effect.promise(() => first.until((body) => kindsOf(body).includes("execution.step")))
          yield* end
          yield* awaited(
            "the end of the stream",
            Effect.promise(() => first.ended)
          )
          yield* openGate(gate)
          yield* begin
          const second = yield* stream(client)
          const rest = yield* Effect.promise(() => second.until((body) => kindsOf(body).includes("execution.success")))
          assert.strictEqual(kindsOf(rest).at(-1), "execution.success")
        }).pipe(Effect.scoped)
      )
    })
  })
}

const trusting = Result.getOrThrow(ClientAddress.parse("127.0.0.1"))

const limited = layerWith({ stores: Memory.layer, rateLimits: [{ requests: 5, seconds: 3_600 }] }).pipe(
  Layer.provide(Layer.succeed(ClientAddress.TrustedProxies, trusting))
)

describe.skipIf(!hasNginx)("behind nginx that the service trusts (skipped without nginx)", () => {
  it.layer(limited, { excludeTestServices: true })("the service", (it) => {
    it.effect("counts each client by its own address, whatever addresses the client writes", () =>
      Effect.gen(function* () {
        const { port } = yield* behind("")
        const askFrom = (localAddress: string, written: string) =>
          Effect.promise(
            () =>
              new Promise<number>((resolve, reject) => {
                const headers = { "x-forwarded-for": written, forwarded: `for=${written}` }
                request(
                  { host: "127.0.0.1", port, path: "/nowhere", localAddress, headers, agent: false },
                  (answer) => {
                    answer.resume()
                    resolve(answer.statusCode ?? 0)
                  }
                )
                  .on("error", reject)
                  .end()
              })
          )
        const written = ["192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4", "192.0.2.5", "192.0.2.6"]
        const statuses = yield* Effect.forEach(written, (one) => askFrom("127.0.0.2", one))
        assert.deepStrictEqual(statuses, [404, 404, 404, 404, 404, 429])
        assert.strictEqual(yield* askFrom("127.0.0.3", "192.0.2.1"), 404)
      }).pipe(Effect.scoped)
    )
  })
})
