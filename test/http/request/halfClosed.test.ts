/** Clients that close their side of a connection after their request, and still read, as `nc -N` does. */
import { randomUUID } from "node:crypto"
import { connect } from "node:net"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as StreamPlaces from "../../../apps/api/stream/StreamPlaces.ts"
import { eventually } from "../../support/eventually.ts"
import { graph } from "../../support/fixtures.ts"
import { layer, Service } from "../../support/service.ts"
import { until } from "../../support/waiting.ts"

/** A request as it is written to a connection. */
const written = (method: string, path: string, key: string, json?: object) => {
  const body = json === undefined ? "" : JSON.stringify(json)
  const type = json === undefined ? "" : "content-type: application/json\r\n"
  return `${method} ${path} HTTP/1.1\r\nhost: x\r\ncc-key: ${key}\r\n${type}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

/** Writes to a connection, closes this side of it, and reads until the server has closed its side. */
const halfClosed = (url: string, text: string) =>
  eventually(
    Effect.callback<string>((resume) => {
      const { hostname, port } = new URL(url)
      const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
      let read = ""
      socket.on("data", (piece) => {
        read += String(piece)
      })
      const done = () => resume(Effect.succeed(read))
      socket.once("close", done).once("error", done)
      socket.end(text)
      return Effect.sync(() => void socket.destroy())
    })
  )

const statusesOf = (answer: string) => [...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))

const limits = { perKey: 1, perWorkspace: 10 }

it.layer(Layer.fresh(layer).pipe(Layer.provide(Layer.succeed(StreamPlaces.StreamLimits, limits))))(
  "a client that closes its side after its request",
  (it) => {
    const prepared = Effect.gen(function* () {
      const { member, send, url } = yield* Service
      const { key } = yield* member("Owner")
      const made = yield* send({ method: "POST", path: "/workflows", key, json: { name: "W", ...graph() } })
      const runs = Effect.map(
        send({ method: "GET", path: "/runs", key }),
        ({ body }) => (body as unknown as ReadonlyArray<unknown>).length
      )
      return { url, key, run: { workflow_id: made.body.id }, runs }
    })
    const events = () => `/run/clients/${randomUUID()}/events`

    it.effect("is answered, so that it does not submit its run again, also where it sent several requests", () =>
      Effect.gen(function* () {
        const { key, run, runs, url } = yield* prepared
        const submit = written("POST", "/run", key, run)
        const answer = yield* halfClosed(url, submit)
        assert.deepStrictEqual(statusesOf(answer), [201])
        assert.match(answer, /"session_id":"[^"]+"/)
        assert.strictEqual(yield* runs, 1)
        const both = yield* halfClosed(url, submit + written("GET", "/workflows", key))
        assert.deepStrictEqual(statusesOf(both), [201, 200])
        assert.strictEqual(yield* runs, 2)
        const incomplete = submit.replace(/content-length: \d+/, "content-length: 9999")
        assert.deepStrictEqual(statusesOf(yield* halfClosed(url, incomplete)), [400])
        assert.deepStrictEqual(statusesOf(yield* halfClosed(url, "")), [])
        assert.strictEqual(yield* runs, 2)
      })
    )

    it.effect("is told that its stream is one too many", () =>
      Effect.gen(function* () {
        const { key, url } = yield* prepared
        const { hostname, port } = new URL(url)
        const open = connect({ host: hostname, port: Number(port) })
        yield* Effect.addFinalizer(() => Effect.sync(() => open.destroy()))
        open.write(written("GET", events(), key))
        yield* eventually(Effect.callback<void>((resume) => void open.once("data", () => resume(Effect.void))))
        assert.deepStrictEqual(statusesOf(yield* halfClosed(url, written("GET", events(), key))), [429])
      }).pipe(Effect.scoped)
    )

    it.effect("has left its stream, which ends, and its place is free", () =>
      Effect.gen(function* () {
        const { key, url } = yield* prepared
        const { hostname, port } = new URL(url)
        /** Opens a stream as soon as there is a place, and leaves it in a way. */
        const left = (leave: (socket: ReturnType<typeof connect>) => void) =>
          until(
            "a place for a stream",
            Effect.callback<number>((resume) => {
              const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
              socket.on("error", () => {})
              socket.write(written("GET", events(), key))
              socket.once("data", (piece) => {
                leave(socket)
                resume(Effect.succeed(statusesOf(String(piece))[0] ?? 0))
              })
            }),
            (status) => status === 200
          )
        yield* left((socket) => socket.end())
        yield* left((socket) => socket.destroy())
        yield* left((socket) => socket.resetAndDestroy())
        yield* left((socket) => socket.destroy())
        const asked = yield* until(
          "a place for a stream",
          halfClosed(url, written("GET", events(), key)),
          (answer) => statusesOf(answer)[0] === 200
        )
        assert.match(asked, /\r\n0\r\n\r\n$/)
      })
    )
  }
)
