import { request } from "node:http"
import { createServer, type Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Guard from "../../adapters/playwright/walls/Guard.ts"

/** A site that answers every request with these bytes, and may go away in the middle of them. */
const site = (answer: string, ends: "stays" | "goes away") =>
  Effect.gen(function* () {
    const sockets = new Set<Socket>()
    const server = createServer((socket) => {
      sockets.add(socket)
      socket.on("error", () => socket.destroy())
      socket.once("data", () => {
        socket.write(answer, "latin1")
        if (ends === "goes away") socket.destroySoon()
      })
    })
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
      () =>
        Effect.sync(() => {
          server.close()
          for (const socket of sockets) socket.destroy()
        })
    )
    const address = server.address()
    return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/`
  })

interface Answered {
  readonly status: number
  readonly text: string
  readonly whole: boolean
}

/** Asks for an address through a guard, as a browser does. */
const ask = (guard: Guard.Guard, url: string) =>
  Effect.callback<Answered, Error>((resume) => {
    const { hostname: host, port } = new URL(guard.server)
    const asked = request({ host, port, path: url, agent: false }, (response) => {
      let text = ""
      response.on("data", (piece) => {
        text += String(piece)
      })
      response.on("error", () => {})
      response.on("close", () =>
        resume(Effect.succeed({ status: response.statusCode ?? 0, text, whole: response.complete }))
      )
    })
    asked.on("error", (error) => resume(Effect.fail(error)))
    asked.end()
    return Effect.sync(() => void asked.destroy())
  })

const through = (answer: string, ends: "stays" | "goes away" = "stays") =>
  Effect.gen(function* () {
    const url = yield* site(answer, ends)
    const guard = yield* Guard.make({ allowed: new Set(), allowPrivateNetworks: true, upstream: null })
    return yield* ask(guard, url).pipe(Effect.timeout("5 seconds"))
  }).pipe(Effect.scoped)

describe("what a browser goes out through", () => {
  it.live.each(["HTTP/1.1 000 OK\r\ncontent-length: 2\r\n\r\nok", "HTTP/1.1 099 OK\r\ncontent-length: 2\r\n\r\nok"])(
    "outlives a site that answers with a status that is none: %j",
    (answer) =>
      Effect.gen(function* () {
        assert.deepInclude(yield* through(answer), { status: 502, whole: true })
      })
  )

  it.live("passes an answer on that announces trailers which cannot come", () =>
    Effect.gen(function* () {
      const answer = "HTTP/1.1 200 OK\r\ntrailer: x-sum\r\ncontent-length: 2\r\n\r\nok"
      assert.deepStrictEqual(yield* through(answer), { status: 200, text: "ok", whole: true })
    })
  )

  it.live("ends an answer that its site ended too early", () =>
    Effect.gen(function* () {
      const answer = "HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\nok"
      assert.deepStrictEqual(yield* through(answer, "goes away"), { status: 200, text: "ok", whole: false })
    })
  )
})
