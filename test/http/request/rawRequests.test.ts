import { connect } from "node:net"
import { brotliCompressSync, gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "../../support/eventually.ts"
import { graph } from "../../support/fixtures.ts"
import { layer, Service } from "../../support/service.ts"

/** Sends bytes over a connection, and reads until the server closes it. */
const exchange = (url: string, bytes: Buffer) =>
  eventually(
    Effect.callback<string>((resume) => {
      const { hostname, port } = new URL(url)
      const socket = connect({ host: hostname, port: Number(port) })
      let read = ""
      socket.on("data", (chunk) => {
        read += String(chunk)
      })
      const done = () => resume(Effect.succeed(read))
      socket.once("close", done).once("error", done)
      socket.write(bytes)
      return Effect.sync(() => void socket.destroy())
    })
  )

const request = (
  method: string,
  target: string,
  headers: Readonly<Record<string, string>>,
  body: string | Buffer = ""
) =>
  Buffer.concat([
    Buffer.from(
      `${[`${method} ${target} HTTP/1.1`, "Host: example.com", ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)].join("\r\n")}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`
    ),
    Buffer.from(body)
  ])

const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1])
const locationOf = (answer: string) => /^location: (.*)$/im.exec(answer)?.[1]
const close = { Connection: "close" }

it.layer(layer)("a request", (it) => {
  const prepared = Effect.gen(function* () {
    const { member, send, url } = yield* Service
    const { key } = yield* member("Owner")
    const made = yield* send({ method: "POST", path: "/workflows", key, json: { name: "W", ...graph() } })
    const id = String(made.body.id)
    return { url, key, id, headers: { "cc-key": key, "Content-Type": "application/json" } }
  })

  it.effect("with a scheme and a host in its address means the path", () =>
    Effect.gen(function* () {
      const { headers, id, url } = yield* prepared
      for (const target of [`http://example.com/workflows/${id}`, `HTTPS://other.example:8443/workflows/${id}?x`]) {
        const answer = yield* exchange(url, request("GET", target, { ...headers, ...close }))
        assert.strictEqual(statusOf(answer), target.endsWith("?x") ? 400 : 200, target)
      }
      const made = request(
        "POST",
        "http://example.com/run",
        { ...headers, ...close },
        JSON.stringify({ workflow_id: id })
      )
      assert.strictEqual(statusOf(yield* exchange(url, made)), 201)
      assert.strictEqual(statusOf(yield* exchange(url, request("GET", "http://example.com/nowhere", close))), 404)
      assert.notStrictEqual(statusOf(yield* exchange(url, request("GET", "http://example.com", close))), 404)
      assert.strictEqual(statusOf(yield* exchange(url, request("GET", "ftp://example.com/healthz", close))), 404)
    })
  )

  it.effect("with a slash at its end leads to the address without it, below any path of a proxy", () =>
    Effect.gen(function* () {
      const { headers, id, url } = yield* prepared
      for (const [method, target] of [
        ["GET", "/workflows/"],
        ["GET", `/workflows/${id}/`],
        ["POST", "/run/"],
        ["POST", "/workflows/"],
        ["DELETE", `/workflows/${id}/`]
      ] as const) {
        const answer = yield* exchange(url, request(method, `${target}?a=b`, { ...headers, ...close }, "{}"))
        assert.strictEqual(statusOf(answer), 308, `${method} ${target}`)
        const location = locationOf(answer) ?? ""
        assert.strictEqual(
          new URL(location, `https://example.com/sluice${target}?a=b`).href,
          `https://example.com/sluice${target.slice(0, -1)}?a=b`
        )
      }
      const wrong = yield* exchange(url, request("PUT", "/run/", { ...headers, ...close }))
      assert.strictEqual(statusOf(wrong), 404)
    })
  )

  describe("whose body has an encoding", () => {
    const encodings = [
      ["gzip", gzipSync],
      ["x-gzip", gzipSync],
      ["br", brotliCompressSync],
      ["GZip", gzipSync],
      ["identity", Buffer.from]
    ] as const

    it.effect("gzip, br and identity is read", () =>
      Effect.gen(function* () {
        const { headers, id, url } = yield* prepared
        for (const [encoding, encode] of encodings) {
          const body = encode(Buffer.from(`${" ".repeat(300_000)}${JSON.stringify({ workflow_id: id })}`))
          const sent = request("POST", "/run", { ...headers, ...close, "Content-Encoding": encoding }, body)
          assert.strictEqual(statusOf(yield* exchange(url, sent)), 201, encoding)
        }
      })
    )

    it.effect(
      "is refused over the limit that it becomes, where it is broken, and in another encoding by its name",
      () =>
        Effect.gen(function* () {
          const { headers, url } = yield* prepared
          const asked = (encoding: string, body: Buffer) =>
            exchange(url, request("POST", "/workflows", { ...headers, ...close, "Content-Encoding": encoding }, body))
          for (const encode of [gzipSync, brotliCompressSync]) {
            const bomb = encode(Buffer.alloc(100_000_000, 0x20))
            const answer = yield* asked(encode === gzipSync ? "gzip" : "br", bomb)
            assert.strictEqual(statusOf(answer), 413)
            assert.include(answer, "PAYLOAD_TOO_LARGE")
          }
          for (const encoding of ["gzip", "br"]) {
            const answer = yield* asked(encoding, Buffer.from("{}{}{}{}"))
            assert.strictEqual(statusOf(answer), 400)
            assert.include(answer, "The body is not in the encoding that Content-Encoding names")
          }
          for (const encoding of ["zstd", "gzip, gzip", "deflate"]) {
            const answer = yield* asked(encoding, Buffer.from("{}"))
            assert.strictEqual(statusOf(answer), 415)
            assert.include(
              answer,
              `Expected a body with Content-Encoding: gzip, br or identity, got Content-Encoding: ${encoding}`
            )
          }
        })
    )
  })
})
