/** Attacks that were tried and did not succeed, so that they never do. */
import { connect, createServer } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import * as HttpSender from "../../../adapters/http/HttpSender.ts"
import * as Guard from "../../../adapters/playwright/walls/Guard.ts"
import { Sender } from "../../../core/event/webhook/Sender.ts"
import * as ScriptedBrowser from "../../kit/browser/ScriptedBrowser.ts"
import { graphOf, walk } from "../../support/browser.ts"
import { graph } from "../../support/fixtures.ts"
import { listening } from "../../support/listening.ts"
import { claim, connect as connectLive, enter, start, watch } from "../../support/live.ts"
import { layerInMemory, Service } from "../../support/service.ts"
import { html, serve } from "../../support/site.ts"
import { awaited, until } from "../../support/waiting.ts"

const canary = "canary-of-the-environment"

/** Ways to reach JavaScript, prototypes or the process from an expression. */
const escapes: ReadonlyArray<string> = [
  '"".constructor.constructor("return process.env.SLUICE_TEST_CANARY")()',
  "$.constructor.constructor('return process.env.SLUICE_TEST_CANARY')()",
  "(1).constructor.constructor('return process.env.SLUICE_TEST_CANARY')()",
  "[].constructor.constructor('return process.env.SLUICE_TEST_CANARY')()",
  "$sum.constructor('return process.env.SLUICE_TEST_CANARY')()",
  "$sum.implementation.constructor('return process.env.SLUICE_TEST_CANARY')()",
  "(function($x) { $x }).implementation.constructor('return process.env.SLUICE_TEST_CANARY')()",
  "(function($x) { $x }).constructor('return process.env.SLUICE_TEST_CANARY')()",
  "(function($x) { $x }).environment.lookup('x')",
  "(function($x) { $x }).body",
  "$lookup($sum, 'implementation')('x')",
  "$lookup('', 'constructor')('return process.env.SLUICE_TEST_CANARY')()",
  "$lookup($, '__proto__')",
  "$lookup({}, '__proto__').constructor",
  "$lookup({}, 'constructor')('x')",
  "context.__proto__.polluted",
  "context.constructor.constructor('return process.env.SLUICE_TEST_CANARY')()",
  "__proto__.constructor.constructor('return process.env.SLUICE_TEST_CANARY')()",
  '$eval(\'"".constructor.constructor("return process.env.SLUICE_TEST_CANARY")()\')',
  "$eval('$lookup({}, \"__proto__\")')",
  "$map(['constructor', '__proto__'], function($n) { $lookup($string, $n) })",
  "$spread($sum)",
  "$each($sum, function($v, $k) { $v })",
  "$keys($sum)",
  "$merge([{'__proto__': {'polluted': true}}, {'constructor': {'prototype': {'polluted': true}}}])",
  "{'__proto__': {'polluted': true}}",
  "$ ~> |$|{'__proto__': {'polluted': true}}|",
  "$sift({'__proto__': {'polluted': true}}, function($v) { true })",
  "$reduce([{'__proto__': {'polluted': true}}], $merge, {})",
  "process.env.SLUICE_TEST_CANARY",
  "globalThis.process.env.SLUICE_TEST_CANARY",
  "$process.env.SLUICE_TEST_CANARY",
  "$globalThis",
  "$require('node:child_process').execSync('id')",
  "require('node:fs').readFileSync('/etc/passwd')",
  "$replace('a', /a/, $sum.constructor)",
  "$sort([2, 1], $sum.constructor)",
  "$match('a', {'constructor': 'x'})",
  "{'then': function($r) { $r }}",
  "$error($sum.constructor)",
  "$formatNumber(1, $sum.constructor)"
]

describe("code execution through expressions", () => {
  it.effect.each(escapes)("%s reaches nothing of the process", (source) =>
    Effect.gen(function* () {
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          process.env.SLUICE_TEST_CANARY = canary
        }),
        () =>
          Effect.sync(() => {
            delete process.env.SLUICE_TEST_CANARY
          })
      )
      const home = "https://a.example/"
      const operation = { type: "SET", target: "context.result", value: source }
      const steps = [{ action: "TRANSFORM", parameters: { operations: [operation] } }]
      // Values that cannot be saved are stopped as well.
      const seen = yield* walk(graphOf(home, steps), { text: "x" }).pipe(
        Effect.map(({ outcome }) => JSON.stringify(outcome)),
        Effect.catchDefect((defect) => Effect.succeed(String(defect))),
        Effect.provide(ScriptedBrowser.layer({ [home]: [] }))
      )
      assert.notInclude(seen, canary)
      assert.notMatch(seen, /root:x:|uid=\d/)
      assert.isFalse("polluted" in {}, "The prototype of all objects was changed")
    }).pipe(Effect.scoped)
  )
})

/** Ways to write addresses of this machine and of private networks. */
const privateHosts: ReadonlyArray<string> = [
  "127.0.0.1",
  "127.0.0.2",
  "127.255.255.254",
  "127.1",
  "127.0.1",
  "2130706433",
  "0x7f000001",
  "0x7f.0.0.1",
  "0x7F.0x0.0x0.0x1",
  "0177.0.0.1",
  "017700000001",
  "0177.0.0x0.1",
  "127.0.0.1.",
  "0.0.0.0",
  "0",
  "0x0",
  "0.0.0.1",
  "localhost",
  "LOCALHOST",
  "localhost.",
  "a.localhost",
  "%6cocalhost",
  "127%2e0%2e0%2e1",
  "①②⑦.⓪.⓪.①",
  "127。0。0。1",
  "ⓛocalhost",
  "[::1]",
  "[0:0:0:0:0:0:0:1]",
  "[::0001]",
  "[::]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[0:0:0:0:0:ffff:7f00:0001]",
  "[::127.0.0.1]",
  "[::7f00:1]",
  "[64:ff9b::127.0.0.1]",
  "[64:ff9b::7f00:1]",
  "[64:ff9b::a00:1]",
  "[2002:7f00:1::]",
  "[fe80::1]",
  "[fc00::1]",
  "[fd00:ec2::254]",
  "[fec0::1]",
  "[ff02::1]",
  "10.0.0.1",
  "10.9.9.9",
  "0xa000001",
  "012.0.0.1",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.1.1",
  "3232235777",
  "169.254.169.254",
  "0xa9fea9fe",
  "2852039166",
  "[::ffff:169.254.169.254]",
  "100.64.0.1",
  "100.127.255.254",
  "198.18.0.1",
  "192.0.0.1",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255"
]

/** A server of loopback that must not be reached, with how many connections it has seen. */
const forbidden = Effect.gen(function* () {
  let seen = 0
  const port = yield* listening(
    createServer((socket) => {
      seen++
      socket.end("HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nsecret")
    })
  )
  return { port, seen: () => seen }
})

/** The answer to raw bytes that are written to a port, until the other side ends the connection. */
const raw = (port: number, bytes: string, { isAll = false } = {}) =>
  Effect.suspend(() => {
    let heard = ""
    return awaited(
      "the end of a connection",
      Effect.callback<string>((resume) => {
        const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true }, () => {
          socket.write(bytes, "latin1")
          if (isAll) socket.end()
        })
        socket.on("data", (piece) => {
          heard += piece.toString("latin1")
        })
        socket.on("error", () => {})
        socket.on("end", () => socket.destroy())
        socket.on("close", () => resume(Effect.succeed(heard)))
        return Effect.sync(() => void socket.destroy())
      }),
      () => heard
    )
  })

/** That an address is none, must not be reached, or has a name that leads nowhere on this machine. */
const unreached = /^HTTP\/1\.1 (400|403|502) /

const walled = { allowed: new Set<string>(), allowPrivateNetworks: false, upstream: null }

describe("ways into private networks over TCP", () => {
  it.live.each(privateHosts)("%s is refused to pages, in clear and through a tunnel, and to webhooks", (host) =>
    Effect.gen(function* () {
      const { port, seen } = yield* forbidden
      const guard = yield* Guard.make(walled)
      const proxy = Number(new URL(guard.server).port)
      const ends = "connection: close\r\n\r\n"
      const clear = yield* raw(proxy, `GET http://${host}:${port}/ HTTP/1.1\r\nhost: ${host}:${port}\r\n${ends}`)
      assert.match(clear, unreached, "in clear")
      const tunnel = yield* raw(proxy, `CONNECT ${host}:${port} HTTP/1.1\r\nhost: ${host}:${port}\r\n${ends}`)
      assert.match(tunnel, unreached, "through a tunnel")
      const url = `http://${host}:${port}/`
      const sent = yield* Effect.flatMap(Sender, (sender) => sender.post({ url, headers: {}, body: "{}" })).pipe(
        Effect.provide(HttpSender.layer(HttpSender.defaults))
      )
      assert.strictEqual(sent._tag, "Refused", "by a webhook")
      assert.strictEqual(seen(), 0, "The forbidden server was reached")
    }).pipe(Effect.scoped)
  )

  it.live.each([
    ["127.0.0.1"],
    ["93.184.216.34", "127.0.0.1"],
    ["::1"],
    ["::ffff:10.0.0.1"],
    ["64:ff9b::a9fe:a9fe"],
    ["0.0.0.0"],
    ["100.64.0.1"]
  ])("a name that leads to %j is refused to pages", (addresses) =>
    Effect.gen(function* () {
      const { port, seen } = yield* forbidden
      const guard = yield* Guard.make({ ...walled, resolve: async () => addresses })
      const proxy = Number(new URL(guard.server).port)
      const host = `inside.example:${port}`
      for (const line of [`GET http://${host}/ HTTP/1.1`, `CONNECT ${host} HTTP/1.1`]) {
        const heard = yield* raw(proxy, `${line}\r\nhost: ${host}\r\nconnection: close\r\n\r\n`)
        assert.match(heard, /^HTTP\/1\.1 403 /)
      }
      assert.strictEqual(seen(), 0)
    }).pipe(Effect.scoped)
  )

  it.live("a name is looked up once for a connection: what it leads to later is not connected to", () =>
    Effect.gen(function* () {
      const { port, seen } = yield* forbidden
      let asked = 0
      const resolve = async () => (asked++ === 0 ? ["192.0.2.1"] : ["127.0.0.1"])
      const guard = yield* Guard.make({ ...walled, resolve })
      const proxy = Number(new URL(guard.server).port)
      const host = `rebinds.example:${port}`
      const tunnel = raw(proxy, `CONNECT ${host} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`)
      // Nothing answers at the first address.
      const first = yield* Effect.forkChild(tunnel)
      yield* until(
        "the first look",
        Effect.sync(() => asked),
        (looks) => looks > 0
      )
      assert.match(yield* tunnel, /^HTTP\/1\.1 403 /)
      assert.deepStrictEqual([asked, seen()], [2, 0])
      yield* Fiber.interrupt(first)
    }).pipe(Effect.scoped)
  )

  it.live("a redirect from an allowed site is asked for like any address, and refused", () =>
    Effect.gen(function* () {
      const { port, seen } = yield* forbidden
      const site = yield* serve({
        "/": (_request, response) => void response.writeHead(302, { location: `http://127.0.0.1:${port}/` }).end()
      })
      const guard = yield* Guard.make({ ...walled, allowed: new Set([site]) })
      const proxy = Number(new URL(guard.server).port)
      const heard = yield* raw(proxy, `GET ${site}/ HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`)
      assert.match(heard, /^HTTP\/1\.1 302 /)
      const next = yield* raw(proxy, `GET http://127.0.0.1:${port}/ HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`)
      assert.match(next, /^HTTP\/1\.1 403 /)
      const post = Effect.flatMap(Sender, (sender) => sender.post({ url: `${site}/`, headers: {}, body: "{}" }))
      yield* Effect.provide(post, HttpSender.layer({ ...HttpSender.defaults, allowedOrigins: [site] }))
      assert.strictEqual(seen(), 0)
    }).pipe(Effect.scoped)
  )

  it.live("the way out is no relay for others: it asks for its password where it is reachable", () =>
    Effect.gen(function* () {
      const site = yield* serve({ "/": html("inside") })
      const guard = yield* Guard.make({ ...walled, allowed: new Set([site]), reachedAs: "127.0.0.1" })
      const proxy = Number(new URL(guard.server).port)
      const authority = new URL(site).host
      const headers = ["", `proxy-authorization: Basic ${btoa("a:b")}\r\n`, "proxy-authorization: Bearer x\r\n"]
      for (const line of [`GET ${site}/ HTTP/1.1`, `CONNECT ${authority} HTTP/1.1`]) {
        for (const header of headers) {
          const heard = yield* raw(proxy, `${line}\r\nhost: a\r\n${header}connection: close\r\n\r\n`)
          assert.match(heard, /^HTTP\/1\.1 407 /)
        }
      }
    }).pipe(Effect.scoped)
  )
})

/** The head of a request with a body whose end two readers may see at different places. */
const framed = (headers: ReadonlyArray<string>, body: string) => (key: string, next: string) =>
  [
    "POST /error-codes HTTP/1.1",
    "host: x",
    `cc-key: ${key}`,
    "content-type: application/json",
    ...headers,
    "",
    `${body}${next}`
  ].join("\r\n")

const chunked = "0\r\n\r\n"

/** Requests that hide a second one from a reader that frames them otherwise. */
const smuggled: Readonly<Record<string, (key: string, next: string) => string>> = {
  "a length and chunks": framed(["content-length: 6", "transfer-encoding: chunked"], chunked),
  "chunks and a length": framed(["transfer-encoding: chunked", "content-length: 5"], chunked),
  "two lengths": framed(["content-length: 2", "content-length: 200"], "{}"),
  "two lengths in one": framed(["content-length: 2, 200"], "{}"),
  "a length with a sign": framed(["content-length: +2"], "{}"),
  "a length below zero": framed(["content-length: -1"], ""),
  "a length in hexadecimal": framed(["content-length: 0x2"], "{}"),
  "a length with a space within": framed(["content-length: 1 2"], "{}"),
  "a space before the colon of a length": framed(["content-length : 2"], "{}"),
  "a space before the colon of chunks": framed(["transfer-encoding : chunked"], chunked),
  "chunks that are not the last coding": framed(["transfer-encoding: chunked, identity"], chunked),
  "a coding that is not known": framed(["transfer-encoding: xchunked"], chunked),
  "chunks twice": framed(["transfer-encoding: chunked", "transfer-encoding: identity"], chunked),
  "chunks in quotes": framed(['transfer-encoding: "chunked"'], chunked),
  "chunks after a vertical tab": framed(["transfer-encoding: \u000bchunked"], chunked),
  "chunks in a folded line": framed(["transfer-encoding:\r\n chunked", "content-length: 2"], "{}"),
  "a header behind a bare line feed": framed(["x-a: b\ntransfer-encoding: chunked", "content-length: 2"], "{}"),
  "a header behind a bare carriage return": framed(["x-a: b\rtransfer-encoding: chunked", "content-length: 2"], "{}"),
  "a NUL in a header": framed(["x-a: \u0000b", "content-length: 2"], "{}"),
  "a header without a name": framed([": x", "content-length: 2"], "{}"),
  "a chunk size with a prefix": framed(["transfer-encoding: chunked"], "0x2\r\n{}\r\n0\r\n\r\n"),
  "a chunk size below zero": framed(["transfer-encoding: chunked"], "-2\r\n{}\r\n0\r\n\r\n"),
  "a chunk size that overflows": framed(["transfer-encoding: chunked"], "10000000000000002\r\n{}\r\n0\r\n\r\n"),
  "a chunk that ends in a bare line feed": framed(["transfer-encoding: chunked"], "2\n{}\n0\n\n"),
  "a chunk longer than it says": framed(["transfer-encoding: chunked"], "2\r\n{}   \r\n0\r\n\r\n"),
  "an extension of a chunk with a bare line feed": framed(["transfer-encoding: chunked"], "2;a\nb\r\n{}\r\n0\r\n\r\n"),
  "an extension of a chunk without end": framed(
    ["transfer-encoding: chunked"],
    `2;${"a".repeat(40_000)}\r\n{}\r\n0\r\n\r\n`
  )
}

/** An attack by its number. */
const smuggledName = (index: number) => `smuggled-${index}`

/** Bytes that are no request. */
const unreadable: ReadonlyArray<readonly [name: string, bytes: string]> = [
  ["no host", "GET /me HTTP/1.1\r\n\r\n"],
  ["two hosts", "GET /me HTTP/1.1\r\nhost: a\r\nhost: b\r\nconnection: close\r\n\r\n"],
  ["a method that is none", "G\u0000T /me HTTP/1.1\r\nhost: a\r\n\r\n"],
  ["a version that is none", "GET /me HTTP/9.9\r\nhost: a\r\n\r\n"],
  ["a request of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
  ["bytes of TLS", "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003"],
  ["a head of 100 kB", `GET /me HTTP/1.1\r\nhost: a\r\nx: ${"x".repeat(100_000)}\r\n\r\n`],
  ["5,000 headers", `GET /me HTTP/1.1\r\nhost: a\r\n${"a:b\r\n".repeat(5_000)}\r\n`]
]

it.layer(layerInMemory)("the HTTP server", (it) => {
  it.effect.each(Object.keys(smuggled))("carries out no second request that is hidden by %s", (how) =>
    Effect.gen(function* () {
      const { member, send, url } = yield* Service
      const { key } = yield* member("Owner")
      const name = smuggledName(Object.keys(smuggled).indexOf(how))
      const body = JSON.stringify({ error_code: name })
      const next = `POST /error-codes HTTP/1.1\r\nhost: x\r\ncc-key: ${key}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`
      const heard = yield* raw(Number(new URL(url).port), smuggled[how]?.(key, next) ?? "", { isAll: true })
      assert.match(heard, /^(HTTP\/1\.1 4\d\d [\s\S]*)?$/)
      const { status, text } = yield* send({ method: "GET", path: "/error-codes", key })
      assert.strictEqual(status, 200)
      assert.notInclude(text, name)
    })
  )

  it.effect.each(unreadable)(
    "answers %s with a refusal or by closing the connection, and serves the next request",
    ([, bytes]) =>
      Effect.gen(function* () {
        const { member, send, url } = yield* Service
        const { key } = yield* member("Owner")
        const heard = yield* raw(Number(new URL(url).port), bytes, { isAll: true })
        assert.match(heard, /^(HTTP\/1\.1 4\d\d [\s\S]*)?$/)
        assert.strictEqual((yield* send({ method: "GET", path: "/me", key })).status, 200)
      })
  )

  it.effect("answers HEAD of an address that is none without a body", () =>
    Effect.gen(function* () {
      const { url } = yield* Service
      const heard = yield* raw(Number(new URL(url).port), "HEAD /run/\u00e9 HTTP/1.1\r\nhost: a\r\n\r\n", {
        isAll: true
      })
      assert.match(heard, /^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*\r\n\r\n$/)
    })
  )

  it.effect("lets no page of another site ask in the place of a person", () =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const me = yield* member("Member")
      const session = yield* start(me, graph())
      yield* claim
      const origin = "https://evil.test"
      const paths = ["/me", "/run", `/live/${session}`, `/live/${session}/view`, `/live/${session}/control`, "/docs"]
      for (const path of paths) {
        for (const method of ["OPTIONS", "GET", "POST"]) {
          const headers = {
            origin,
            "access-control-request-method": "POST",
            "access-control-request-headers": "cc-key"
          }
          const { headers: answered } = yield* send({ method, path, headers })
          assert.isFalse(answered.has("access-control-allow-origin"), `${method} ${path}`)
          assert.isFalse(answered.has("set-cookie"), `${method} ${path}`)
        }
      }
    })
  )

  it.effect("accepts a token of a live view once, and its ticket only in the header of its own run", () =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const me = yield* member("Member")
      const [session, other] = [yield* start(me, graph()), yield* start(me, graph())]
      yield* claim
      yield* claim
      const token = (yield* connectLive(me, session)).body.authToken
      const entered = yield* enter(session, token)
      assert.strictEqual(entered.status, 200)
      assert.strictEqual((yield* enter(session, token)).status, 401)
      const ticket = String(entered.body.ticket)
      const enough = (told: ReadonlyArray<unknown>) => told.length > 0
      assert.strictEqual((yield* watch(session, ticket, enough)).status, 200)
      assert.strictEqual((yield* watch(other, ticket, enough)).status, 401)
      const path = `/live/${session}/view`
      assert.strictEqual((yield* send({ method: "GET", path: `${path}?ticket=${ticket}&token=${token}` })).status, 401)
      const headers = { cookie: `ticket=${ticket}; authorization=${ticket}` }
      assert.strictEqual((yield* send({ method: "GET", path, headers })).status, 401)
      // A ticket is no key, and a key no ticket.
      assert.strictEqual((yield* send({ method: "GET", path: "/me", key: ticket })).status, 401)
      assert.strictEqual((yield* watch(session, me.key, enough)).status, 401)
    })
  )
})
