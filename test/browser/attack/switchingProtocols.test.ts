/**
 * Servers that answer `101 Switching Protocols` to requests that did not ask for it: each HTTP client ends the request and
 * says why, long before its timeout.
 */
import { createServer, request } from "node:http"
import type { Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Redacted } from "effect"
import * as Exchange from "../../../adapters/http/Exchange.ts"
import * as HttpFiles from "../../../adapters/http/HttpFiles.ts"
import * as HttpSender from "../../../adapters/http/HttpSender.ts"
import * as Names from "../../../adapters/http/Names.ts"
import * as Guard from "../../../adapters/playwright/walls/Guard.ts"
import * as S3Client from "../../../adapters/s3/S3Client.ts"
import * as SecretStoreRequest from "../../../adapters/secrets/SecretStoreRequest.ts"
import { Sender } from "../../../core/event/webhook/Sender.ts"
import type { Connection } from "../../../core/vault/providers/SecretSource.ts"
import { graphOf, walk } from "../../support/browser.ts"
import { hangMillis } from "../../support/limits.ts"
import { listening } from "../../support/listening.ts"
import { chromium } from "../../support/realBrowser.ts"
import { failureOf } from "../../support/shop.ts"
import { html, serve } from "../../support/site.ts"
import { awaited } from "../../support/waiting.ts"

const upgrade = "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: canary\r\n\r\n"
const bare = "HTTP/1.1 101 Switching Protocols\r\n\r\n"
const hints = "HTTP/1.1 103 Early Hints\r\n\r\n"

/** A server that answers everything it is sent in this way. */
const switching = (answer: string) => {
  const server = createServer()
  server.removeAllListeners("connection")
  server.on("connection", (socket: Socket) => {
    socket.on("data", () => socket.write(answer))
  })
  return Effect.map(listening(server), (port) => `http://127.0.0.1:${port}/`)
}

/** The result of a client, as text. */
const told = <A, E, R>(client: Effect.Effect<A, E, R>) =>
  Effect.map(awaited("the end of a request", Effect.exit(client)), (exit) =>
    exit._tag === "Success" ? JSON.stringify(exit.value) : Cause.pretty(exit.cause)
  )

const lookup = Names.lookupOf(Names.make(Names.defaults))
const provider = { id: "p", name: "bank", access: Redacted.make({}) } as Connection

type Client = (url: string, budgetMillis: number) => Effect.Effect<unknown, unknown>

const clients: ReadonlyArray<readonly [string, Client]> = [
  [
    "webhooks",
    (url, budgetMillis) =>
      Effect.flatMap(Sender, (sender) => sender.post({ url, headers: {}, body: "{}" })).pipe(
        Effect.provide(HttpSender.layer({ ...HttpSender.defaults, allowPrivateNetworks: true, budgetMillis }))
      )
  ],
  [
    "uploaded files",
    (url, budgetMillis) => {
      const files = HttpFiles.make({ ...HttpFiles.defaults, allowPrivateNetworks: true, budgetMillis })
      return Effect.scoped(files.get(new URL(url), () => null))
    }
  ],
  [
    "secret providers",
    (url, budgetMillis) => {
      const options = { ...SecretStoreRequest.defaults, allowPrivateNetworks: true, budgetMillis, retryMillis: 0 }
      const asking = SecretStoreRequest.make(options)
      return asking.ask(provider, { method: "GET", url, headers: {} }).pipe(asking.inTime(provider))
    }
  ]
]

describe("a server that answers 101", () => {
  it.live.each(clients)("ends a request of %s at once and is named as the reason", ([, client]) =>
    Effect.gen(function* () {
      const said = yield* told(client(yield* switching(upgrade), 10 * hangMillis))
      assert.include(said, "switched to another protocol (status 101)")
    }).pipe(Effect.scoped)
  )

  it.live.each(clients)("holds a request of %s no longer than its budget when it upgrades nothing", ([, client]) =>
    Effect.gen(function* () {
      assert.isAbove((yield* told(client(yield* switching(bare), 700))).length, 0)
    }).pipe(Effect.scoped)
  )

  it.live("ends an exchange, of which models and providers are asked, with its connection", () =>
    Effect.gen(function* () {
      const url = new URL(yield* switching(upgrade))
      const sent = Exchange.send({ method: "GET", url, headers: {}, lookup, maxAnswerBytes: 1_000 })
      const answer = yield* awaited("the end of an exchange", sent)
      assert.strictEqual(answer._tag, "Unreachable")
    }).pipe(Effect.scoped)
  )

  it.live("ends a request to an S3 store", () =>
    Effect.gen(function* () {
      const endpoint = yield* switching(upgrade)
      const client = S3Client.make({
        ...S3Client.defaults,
        endpoint,
        bucket: "b",
        accessKey: "a",
        secretKey: Redacted.make("s"),
        retries: 0
      })
      assert.include(yield* told(client.send({ method: "GET", key: "k" })), "the S3 store could not be reached")
    }).pipe(Effect.scoped)
  )

  it.live("gets a page the status 502 from the guard", () =>
    Effect.gen(function* () {
      const url = yield* switching(upgrade)
      const guard = yield* Guard.make({ allowed: new Set(), allowPrivateNetworks: true, upstream: null })
      const asking = Effect.callback<number>((resume) => {
        const { hostname: host, port } = new URL(guard.server)
        const asked = request({ host, port, path: url, agent: false }, ({ statusCode = 0 }) =>
          resume(Effect.succeed(statusCode))
        )
        asked.on("error", () => resume(Effect.succeed(0)))
        asked.end()
        return Effect.sync(() => void asked.destroy())
      })
      assert.strictEqual(yield* awaited("a status", asking), 502)
    }).pipe(Effect.scoped)
  )

  it.live("fails an API_FLOW at once, and one that only hints at an answer within its timeout", () =>
    Effect.gen(function* () {
      const site = yield* serve({ "/": html("<h1>Shop</h1>") })
      const flow = (url: string, timeout_ms: number) =>
        Effect.map(
          awaited(
            "the end of a run",
            walk(
              graphOf(`${site}/`, [
                { action: "API_FLOW", parameters: { steps: [{ id: "one", method: "GET", url, timeout_ms }] } }
              ])
            )
          ),
          failureOf
        )
      const [whole, without, hinting] = [yield* switching(upgrade), yield* switching(bare), yield* switching(hints)]
      yield* Effect.gen(function* () {
        const switched = yield* flow(whole, 30_000)
        assert.strictEqual(switched.code, "API-E0001")
        assert.include(switched.message, "status 101")
        assert.match((yield* flow(without, 30_000)).code, /^API-/)
        const late = yield* flow(hinting, 500)
        assert.strictEqual(late.code, "API-E0001")
        assert.include(late.message, "no answer within 500 ms")
      }).pipe(Effect.provide(chromium([site, whole, without, hinting].map((url) => new URL(url).origin))))
    }).pipe(Effect.scoped)
  )
})
