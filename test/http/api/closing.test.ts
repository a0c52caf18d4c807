import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Worker } from "node:worker_threads"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as Memory from "../../../adapters/memory/Memory.ts"
import { afterWhatArrived, Closing } from "../../../apps/api/http/Closing.ts"
import { kindsOf, openRaw } from "../../support/clients.ts"
import { eventually } from "../../support/eventually.ts"
import { graph } from "../../support/fixtures.ts"
import { hangMillis } from "../../support/limits.ts"
import * as TestService from "../../support/service.ts"
import { openGate, layerWith as worker } from "../../support/worker.ts"

const { Service } = TestService

it.effect("a closing server says so, serves for its grace, and closes once its runs and their streams have ended", () =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const layer = worker(20_000).pipe(
      Layer.provideMerge(TestService.layerWith({ graceMillis: 300, stores: Memory.layer }))
    )
    const services = yield* Layer.buildWithScope(layer, scope)
    const { member, send, url } = Context.get(services, Service)
    const { key } = yield* member("Owner")
    const { body } = yield* send({ method: "POST", path: "/workflows", key, json: { name: "Slow", ...graph() } })
    const client = randomUUID()
    const stream = openRaw(url, `/run/clients/${client}/events`, key)
    const started = yield* send({
      method: "POST",
      path: "/run",
      key,
      json: { workflow_id: body.id, run_input_variables: { gate: "closing" }, client_id: client }
    })
    const session = String(started.body.session_id)
    yield* eventually(Effect.promise(() => stream.until((all) => kindsOf(all, session).includes("execution.start"))))
    assert.strictEqual((yield* send({ method: "GET", path: "/readyz" })).status, 200)

    yield* Context.get(services, Closing).leave
    const leaving = yield* Effect.forkChild(Scope.close(scope, Exit.void))
    const refused = yield* send({ method: "GET", path: "/readyz" })
    assert.strictEqual(refused.status, 503)
    assert.strictEqual(refused.body.message, "This process is shutting down")
    // The run is still carried out, so new connections are served however long that takes.
    yield* TestClock.adjust("10 seconds")
    const listed = yield* send({ method: "GET", path: "/workflows", key })
    assert.strictEqual(listed.status, 200)
    assert.strictEqual(listed.headers.get("connection"), "close")

    yield* openGate("closing")
    yield* eventually(Effect.promise(() => stream.ended))
    assert.include(kindsOf(stream.body(), session), "execution.success")
    yield* eventually(Fiber.join(leaving))
    const unreachable = yield* Effect.flip(Effect.tryPromise(() => fetch(`${url}/healthz`)))
    assert.isDefined(unreachable)
  })
)

/** Sends a request on a new connection, sets the flag when all of it is with the system, and posts how it ended. */
const sender = `
const { parentPort, workerData } = require("node:worker_threads")
const { request } = require("node:http")
parentPort.on("message", () => {
  const sent = request({ port: workerData.port, host: "127.0.0.1", method: "POST", agent: false }, (answer) => {
    answer.resume()
    answer.on("end", () => parentPort.postMessage("answered"))
  })
  sent.on("socket", (socket) => socket.on("connect", () => sent.end("x", () => {
    Atomics.store(workerData.flag, 0, 1)
    Atomics.notify(workerData.flag, 0)
  })))
  sent.on("error", ({ code }) => parentPort.postMessage(code))
})`

it("a server that closes while it is busy answers what has arrived meanwhile, and resets no connection", async () => {
  const server = createServer((incoming, answer) => {
    incoming.resume()
    incoming.on("end", () => answer.end("done"))
  })
  afterWhatArrived(server)
  await once(server.listen(0, "127.0.0.1"), "listening")
  const flag = new Int32Array(new SharedArrayBuffer(4))
  const { port } = server.address() as AddressInfo
  const worker = new Worker(sender, { eval: true, workerData: { port, flag } })
  const sends = () => {
    const ended = once(worker, "message")
    worker.postMessage(null)
    return ended
  }
  assert.deepStrictEqual(await sends(), ["answered"])
  Atomics.store(flag, 0, 0)
  const meanwhile = sends()
  // This thread is busy until the request has arrived.
  assert.notStrictEqual(Atomics.wait(flag, 0, 0, hangMillis), "timed-out")
  const closed = once(server, "close")
  server.close()
  assert.deepStrictEqual(await meanwhile, ["answered"])
  await closed
  assert.deepStrictEqual(await sends(), ["ECONNREFUSED"])
  await worker.terminate()
})
