import { request } from "node:http"
import { connect, createServer, type Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { NotResolved } from "../../../adapters/http/Names.ts"
import * as Guard from "../../../adapters/playwright/walls/Guard.ts"
import { listening } from "../../support/listening.ts"
import { html, serve } from "../../support/site.ts"
import { awaited } from "../../support/waiting.ts"

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
    const guard = yield* Guard.make(free)
    return yield* awaited("an answer", ask(guard, url))
  }).pipe(Effect.scoped)

/** The answer of a guard to a line of a client. */
const said = (guard: Guard.Guard, line: string) =>
  Effect.callback<string>((resume) => {
    const socket = connect(Number(new URL(guard.server).port), "127.0.0.1", () => socket.write(`${line}\r\n\r\n`))
    socket.once("data", (piece) => resume(Effect.succeed(String(piece))))
    socket.on("error", () => {})
    return Effect.sync(() => void socket.destroy())
  })

const free = { allowed: new Set<string>(), allowPrivateNetworks: true, upstream: null }

describe("what a browser goes out through", () => {
  it.live("outlives those who ask for what is no host, and tells nothing to those who do not know its password", () =>
    Effect.gen(function* () {
      const guard = yield* Guard.make({ ...free, reachedAs: "127.0.0.1" })
      const { password = "", username = "" } = guard.credential ?? {}
      const known = `\r\nproxy-authorization: Basic ${btoa(`${username}:${password}`)}`
      for (const authority of ["127.0.0.1:99999", "[:443", "a%b:443"]) {
        const line = `CONNECT ${authority} HTTP/1.1\r\nhost: a`
        assert.include(yield* said(guard, line), "407", authority)
        assert.include(yield* said(guard, `${line}${known}`), "400 Bad Request", authority)
      }
    }).pipe(Effect.scoped)
  )

  it.live("goes to the next address of a host when the first is silent, in clear and through a tunnel", () =>
    Effect.gen(function* () {
      const site = new URL(yield* serve({ "/": html("here") }))
      const guard = yield* Guard.make({ ...free, resolve: async () => ["127.0.0.2", "127.0.0.1"] })
      assert.include(yield* ask(guard, `http://two.test:${site.port}/`), { status: 200, text: "here" })
      const socket = yield* Effect.promise(() => guard.connect("two.test", Number(site.port)))
      assert.strictEqual(socket.remoteAddress, "127.0.0.1")
      socket.destroy()
    }).pipe(Effect.scoped)
  )

  it.live.each([
    ["93.184.216.34", "10.0.0.1"],
    ["::ffff:127.0.0.1"],
    ["64:ff9b::7f00:1"],
    ["fe80::1%eth0"],
    ["169.254.169.254"]
  ])("refuses a name that is at %j, in clear and through a tunnel", (addresses) =>
    Effect.gen(function* () {
      const guard = yield* Guard.make({ ...free, allowPrivateNetworks: false, resolve: async () => addresses })
      assert.strictEqual((yield* ask(guard, "http://inside.test/")).status, 403)
      assert.include(yield* said(guard, "CONNECT inside.test:443 HTTP/1.1\r\nhost: a"), "403")
      for (const port of [80, 443]) assert.strictEqual(guard.refusal("inside.test", port)?.kind, "forbidden")
    }).pipe(Effect.scoped)
  )

  it.live("asks again over a new connection when the site closed the one that was kept for more", () =>
    Effect.gen(function* () {
      const server = createServer((socket) => {
        let asked = 0
        socket.on("data", () => {
          if (++asked > 1) socket.destroy()
          else socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")
        })
      })
      const port = yield* listening(server)
      const guard = yield* Guard.make(free)
      for (let round = 0; round < 3; round++) {
        assert.include(yield* ask(guard, `http://127.0.0.1:${port}/`), { status: 200, text: "ok" })
      }
    }).pipe(Effect.scoped)
  )

  it.live("lets an origin be reached that is written without its usual port", () =>
    Effect.gen(function* () {
      const guard = yield* Guard.make({ ...free, allowed: new Set(["http://127.0.0.1"]), allowPrivateNetworks: false })
      assert.notStrictEqual((yield* ask(guard, "http://127.0.0.1/")).status, 403)
      assert.strictEqual((yield* ask(guard, "http://127.0.0.1:81/")).status, 403)
    }).pipe(Effect.scoped)
  )

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

describe("a host that is not reached", () => {
  it.live("fails with its cause: no host has its name, it is not there, or it breaks off", () =>
    Effect.gen(function* () {
      const gone = yield* listening(createServer((socket) => void socket.destroy()))
      const resolve = (name: string) =>
        Promise.reject(new NotResolved(name, name === "nobody.test" ? "ENOTFOUND" : "EAI_AGAIN"))
      const guard = yield* Guard.make({ ...free, resolve })
      const refusalOf = (host: string, port: number) =>
        Effect.map(ask(guard, `http://${host}:${port}/`), ({ status }) => {
          assert.strictEqual(status, 502)
          return guard.refusal(host, port)
        })
      assert.deepStrictEqual(yield* refusalOf("nobody.test", 80), {
        kind: "unresolved",
        reason: "nobody.test has no address"
      })
      assert.deepStrictEqual(yield* refusalOf("slow.test", 80), {
        kind: "unreachable",
        reason: "slow.test could not be looked up in time"
      })
      assert.deepStrictEqual(yield* refusalOf("127.0.0.1", 1), {
        kind: "unreachable",
        reason: "127.0.0.1 could not be reached: ECONNREFUSED"
      })
      assert.deepStrictEqual(yield* refusalOf("127.0.0.1", gone), {
        kind: "unreachable",
        reason: "127.0.0.1 could not be reached: ECONNRESET"
      })
    }).pipe(Effect.scoped)
  )
})
