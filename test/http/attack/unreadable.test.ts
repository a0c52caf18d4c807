import { connect } from "node:net"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { layerInMemory, Service } from "../../support/service.ts"

/** Sends bytes, and answers all that comes back until the server closes the connection. */
const exchange = (url: string, bytes: ReadonlyArray<string | Buffer>) =>
  Effect.callback<string>((resume) => {
    const { hostname, port } = new URL(url)
    let text = ""
    const socket = connect({ host: hostname, port: Number(port) }, () => {
      for (const piece of bytes) socket.write(piece)
    })
    socket.on("data", (piece) => {
      text += piece.toString("latin1")
    })
    socket.on("error", (error) => resume(Effect.die(error)))
    socket.on("close", () => resume(Effect.succeed(text)))
    return Effect.sync(() => socket.destroy())
  })

const large = Buffer.alloc(4 * 1_048_576, "x")

it.layer(layerInMemory)("bytes that are no HTTP request", (it) => {
  it.effect.each([
    { what: "an address that is not ASCII", head: "GET /workflows\u00e9 HTTP/1.1\r\nHost: a\r\n\r\n", status: 400 },
    { what: "no request at all", head: "\u0016\u0003\u0001 hello\r\n\r\n", status: 400 },
    {
      what: "headers that are too large",
      head: `GET / HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(40_000)}\r\n\r\n`,
      status: 431
    },
    {
      what: "a length and chunks",
      head: "POST /run HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n",
      status: 400
    }
  ])("are answered with $status and the usual body, also while more is on its way: $what", ({ head, status }) =>
    Effect.gen(function* () {
      const { url } = yield* Service
      const answered = yield* exchange(url, [Buffer.from(head, "utf8"), large])
      const [start = "", body = ""] = answered.split("\r\n\r\n")
      assert.match(start, new RegExp(`^HTTP/1.1 ${status} `))
      const parsed = JSON.parse(body) as Record<string, unknown>
      assert.deepStrictEqual(Object.keys(parsed).sort(), ["error", "message", "statusCode"])
      assert.strictEqual(parsed.statusCode, status)
    })
  )
})
