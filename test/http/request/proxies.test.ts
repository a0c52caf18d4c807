/** The service behind nginx and Caddy with the settings of `deploy`, where the machine has them. */
import { spawnSync } from "node:child_process"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { request } from "node:http"
import { connect as dial, type Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Result, Scope } from "effect"
import * as Memory from "../../../adapters/memory/Memory.ts"
import * as ClientAddress from "../../../apps/api/http/ClientAddress.ts"
import * as StreamPlaces from "../../../apps/api/stream/StreamPlaces.ts"
import * as Proxy from "../../rehearsal/Proxy.ts"
import { kindsOf, openRaw } from "../../support/clients.ts"
import { graph } from "../../support/fixtures.ts"
import * as Live from "../../support/live.ts"
import { freePort } from "../../support/ownServer.ts"
import { layerInMemory, layerWith, Service } from "../../support/service.ts"
import { awaited, until } from "../../support/waiting.ts"
import { openGate, type Script, layer as worker } from "../../support/worker.ts"

const proxies = ["nginx", "caddy"] as const
type Proxied = (typeof proxies)[number]

const isMissing = (proxy: Proxied) => spawnSync(proxy, [proxy === "nginx" ? "-v" : "version"]).status !== 0

/** A proxy before the service, which can be ended and started again on the same port. */
const behind = Effect.fnUntraced(function* (proxy: Proxied, path: string) {
  const { url } = yield* Service
  const port = yield* Effect.promise(freePort)
  const place = { port, behind: [Number(new URL(url).port)], path }
  let scope = yield* Scope.make()
  const begin = Effect.gen(function* () {
    scope = yield* Scope.make()
    yield* Scope.provide(Proxy.start(proxy, place), scope)
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

const setUp = Effect.fnUntraced(function* (by: Proxied, path: string) {
  const proxy = yield* behind(by, path)
  const { member } = yield* Service
  const owner = yield* member("Owner")
  const made = yield* ask(proxy.url, owner.key, "POST", "/workflows", { name: "Behind a proxy", ...graph() })
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

const places = proxies.flatMap((by) => ["", "/sluice"].map((path) => ({ by, path })))

for (const { by, path } of places) {
  describe.skipIf(isMissing(by))(`behind ${by} at ${path === "" ? "/" : path} (skipped without ${by})`, () => {
    it.layer(services, { excludeTestServices: true })("the service", (it) => {
      it.effect("accepts a run, and a stream has its events as they happen, before the run ends", () =>
        Effect.gen(function* () {
          const { key, stream, submit, url } = yield* setUp(by, path)
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
          const { key, submit, url } = yield* setUp(by, path)
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
          const { key, submit, url, workflowId } = yield* setUp(by, path)
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
          const { key, port, submit, workflowId } = yield* setUp(by, path)
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

      it.effect("ends no run when the proxy is restarted, and the next stream has what the last one missed", () =>
        Effect.gen(function* () {
          const { begin, end, stream, submit } = yield* setUp(by, path)
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

/** Asks for a page that is not there from an address of loopback, which may write other addresses into its headers. */
const askFrom = (port: number, localAddress: string, written: string) =>
  Effect.promise(
    () =>
      new Promise<number>((resolve, reject) => {
        const headers = { "x-forwarded-for": written, forwarded: `for=${written}` }
        request({ host: "127.0.0.1", port, path: "/nowhere", localAddress, headers, agent: false }, (answer) => {
          answer.resume()
          resolve(answer.statusCode ?? 0)
        })
          .on("error", reject)
          .end()
      })
  )

for (const by of proxies) {
  describe.skipIf(isMissing(by))(`behind ${by} that the service trusts (skipped without ${by})`, () => {
    it.layer(limited, { excludeTestServices: true })("the service", (it) => {
      it.effect("counts each client by its own address, whatever addresses the client writes", () =>
        Effect.gen(function* () {
          const { port } = yield* behind(by, "")
          const written = ["192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4", "192.0.2.5", "192.0.2.6"]
          const statuses = yield* Effect.forEach(written, (one) => askFrom(port, "127.0.0.2", one))
          assert.deepStrictEqual(statuses, [404, 404, 404, 404, 404, 429])
          assert.strictEqual(yield* askFrom(port, "127.0.0.3", "192.0.2.1"), 404)
        }).pipe(Effect.scoped)
      )
    })
  })
}

const oneStream = Layer.fresh(layerInMemory).pipe(
  Layer.provide(Layer.succeed(StreamPlaces.StreamLimits, { perKey: 1, perWorkspace: 10 }))
)

for (const by of proxies) {
  describe.skipIf(isMissing(by))(`behind ${by}, with one stream for a key (skipped without ${by})`, () => {
    it.layer(oneStream, { excludeTestServices: true })("the service", (it) => {
      it.effect("has the place of a stream back when its client goes", () =>
        Effect.gen(function* () {
          const { url } = yield* behind(by, "")
          const { key } = yield* (yield* Service).member("Owner")
          const path = `/run/clients/${randomUUID()}/events`
          const first = openRaw(url, path, key)
          yield* Effect.promise(() => first.until((body) => body.includes("event: ping\n")))
          const status = Effect.promise(async (signal) => {
            const asked = new AbortController()
            signal.addEventListener("abort", () => asked.abort())
            const answer = await fetch(`${url}${path}`, { headers: { "cc-key": key }, signal: asked.signal })
            asked.abort()
            return answer.status
          })
          assert.strictEqual(yield* status, 429)
          first.close()
          yield* until("the place of the stream", status, (now) => now === 200)
        }).pipe(Effect.scoped)
      )
    })
  })
}

describe.skipIf(isMissing("nginx"))("nginx (skipped without it)", () => {
  it.layer(layerInMemory, { excludeTestServices: true })("with the limits of deploy/nginx.conf", (it) => {
    it.effect("refuses a client its connection 301, and no other client", () =>
      Effect.gen(function* () {
        const { port } = yield* behind("nginx", "")
        // Each waits for the rest of its body.
        const begun = "POST /run HTTP/1.1\r\nhost: sluice.example\r\ncontent-length: 100\r\n\r\n{"
        const hold = Effect.sync(() => {
          const socket = dial({ host: "127.0.0.1", port, localAddress: "127.0.0.2" })
          socket.on("error", () => {})
          socket.resume()
          socket.write(begun)
          return socket
        })
        const held: Array<Socket> = []
        yield* Effect.addFinalizer(() => Effect.sync(() => held.forEach((socket) => void socket.destroy())))
        for (let count = 0; count < 300; count++) held.push(yield* hold)
        const asked = (from: string) => askFrom(port, from, "192.0.2.1")
        yield* until("the limit to be reached", asked("127.0.0.2"), (status) => status === 429)
        assert.strictEqual(yield* asked("127.0.0.3"), 404)
        held.pop()?.destroy()
        yield* until("a place to be free", asked("127.0.0.2"), (status) => status === 404)
      }).pipe(Effect.scoped)
    )
  })
})
