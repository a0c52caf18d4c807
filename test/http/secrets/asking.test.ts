import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Redacted, type Scope } from "effect"
import { TestClock } from "effect/testing"
import * as HashiCorpVault from "../../../adapters/secrets/HashiCorpVault.ts"
import * as OnePasswordConnect from "../../../adapters/secrets/OnePasswordConnect.ts"
import * as SecretStoreRequest from "../../../adapters/secrets/SecretStoreRequest.ts"
import type { Access, Connection } from "../../../core/vault/providers/SecretSource.ts"
import type { Answer, StandIn } from "../../support/fakeServer.ts"
import { connectServer, id, vaultServer } from "../../support/secretServers.ts"

const options = { ...SecretStoreRequest.defaults, allowPrivateNetworks: true, retryMillis: 0 }
const asking = SecretStoreRequest.make(options)
const connection = (access: Access): Connection => ({ id: "1", name: "Safe", access: Redacted.make(access) })

const onePassword = Effect.gen(function* () {
  const fields = [{ id: "password", purpose: "PASSWORD", value: "canary" }]
  const server = yield* connectServer([{ id: id("v"), name: "V", items: [{ id: id("i"), title: "I", fields }] }])
  const mine = connection({ url: server.url, token: server.token })
  return { server, read: OnePasswordConnect.make(asking).read(mine, `op://${id("v")}/${id("i")}`) }
})

const hashiCorp = Effect.gen(function* () {
  const server = yield* vaultServer(new Map([["i", { password: "canary" }]]))
  const mine = connection({ url: server.url, token: server.token })
  return { server, read: HashiCorpVault.make(asking).read(mine, "i") }
})

const html =
  (status: number): Answer =>
  (response) =>
    response.writeHead(status, { "content-type": "text/html" }).end("<h1>canary</h1>")
const redirect: Answer = (response) => response.writeHead(307, { location: "http://127.0.0.1:1/" }).end()
const cut: Answer = (response) => response.destroy()
const silent: Answer = () => undefined
const halfway: Answer = (response) =>
  void response.writeHead(200, { "content-length": "100" }).write("{", () => response.destroy())
const patient: Answer = (response) => response.writeHead(429, { "retry-after": "30" }).end("{}")
const patientUntil: Answer = (response) =>
  response.writeHead(503, { "retry-after": "Fri, 31 Dec 2094 23:59:59 GMT" }).end("{}")
const huge: Answer = (response) => {
  const chunk = Buffer.alloc(1_048_576, 0x20)
  response.on("error", () => undefined)
  for (let index = 0; index < 20; index++) response.write(chunk)
  response.end()
}

/** The faults of a store: the answer, the failure, and the number of requests. */
const faults: ReadonlyArray<readonly [name: string, answer: Answer, tag: string, requests: number]> = [
  ["a server that fails", [500, { message: "canary" }], "SourceUnavailable", 2],
  ["a gateway without its server", html(502), "SourceUnavailable", 2],
  ["a store that is sealed", [503, { errors: ["Vault is sealed"] }], "SourceUnavailable", 2],
  ["a store that is asked too often", [429, {}], "SourceUnavailable", 2],
  ["a store that wants to be left alone for long", patient, "SourceUnavailable", 1],
  ["a store that wants to be left alone until an instant", patientUntil, "SourceUnavailable", 1],
  ["a connection that is cut", cut, "SourceUnavailable", 2],
  ["an answer that ends halfway", halfway, "SourceUnavailable", 2],
  ["a redirect", redirect, "MalformedAnswer", 1],
  ["a page of HTML", html(200), "MalformedAnswer", 1],
  ["a page of HTML that says that there is nothing", html(404), "MalformedAnswer", 1],
  ["JSON of something else", [200, ["canary"]], "MalformedAnswer", 1],
  ["a status that means nothing here", [418, {}], "MalformedAnswer", 1],
  ["an answer without end", huge, "MalformedAnswer", 1],
  ["no rights", [403, { message: "canary" }], "AccessRefused", 1]
]

const stores: ReadonlyArray<
  readonly [
    string,
    Effect.Effect<
      { server: StandIn; read: ReturnType<ReturnType<typeof HashiCorpVault.make>["read"]> },
      never,
      Scope.Scope
    >
  ]
> = [
  ["1Password Connect", onePassword],
  ["HashiCorp Vault", hashiCorp]
]

for (const [name, make] of stores) {
  it.effect.each(faults)(`${name}: %s is a failure that says so, and repeats nothing`, ([, answer, tag, requests]) =>
    Effect.gen(function* () {
      const { read, server } = yield* make
      server.instead(answer, answer)
      const error = yield* Effect.flip(read)
      assert.deepStrictEqual([error._tag, server.asked.length], [tag, requests])
      assert.include(error.message, "Safe")
      assert.notInclude(error.message, "canary")
    })
  )

  it.effect(`${name}: what fails once in a way that passes is asked once more`, () =>
    Effect.gen(function* () {
      const { read, server } = yield* make
      for (const answer of [cut, html(503)]) {
        server.instead(answer)
        const { password } = yield* read
        assert.strictEqual(password === null ? null : Redacted.value(password), "canary")
      }
      assert.strictEqual(server.asked.length, 4)
    })
  )

  it.effect(`${name}: a store that never answers is given up after 10 seconds`, () =>
    Effect.gen(function* () {
      const { read, server } = yield* make
      server.instead(silent)
      const fiber = yield* Effect.forkChild(Effect.flip(read))
      yield* server.next
      yield* TestClock.adjust("9999 millis")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "SourceUnavailable")
    })
  )
}

it.effect("a port where no server listens, and one that speaks no TLS, are failures that may pass", () =>
  Effect.gen(function* () {
    const source = HashiCorpVault.make(asking)
    const { server } = yield* hashiCorp
    for (const url of ["http://127.0.0.1:1", server.url.replace("http:", "https:"), "https://nowhere.invalid"]) {
      const error = yield* Effect.flip(source.read(connection({ url, token: "canary" }), "i"))
      assert.strictEqual(error._tag, "SourceUnavailable")
      assert.notInclude(error.message, "canary")
    }
  })
)

it.effect(
  "private addresses are reached where they are named only, and nothing is sent in clear over the internet",
  () =>
    Effect.gen(function* () {
      const { server } = yield* hashiCorp
      const careful = SecretStoreRequest.make({ ...options, allowPrivateNetworks: false })
      const named = SecretStoreRequest.make({ ...options, allowPrivateNetworks: false, allowedOrigins: [server.url] })
      const refuses = (one: SecretStoreRequest.SecretStoreClient, url: string) => one.refusal(url) !== null
      for (const url of [server.url, "https://127.0.0.1", "http://localhost:1", "https://[::1]", "https://10.0.0.1"]) {
        assert.isTrue(refuses(careful, url), url)
        assert.isFalse(refuses(asking, url), url)
      }
      assert.isFalse(refuses(named, `${server.url}/below`))
      assert.isTrue(refuses(named, "http://127.0.0.1:2"))
      for (const one of [careful, named, asking]) {
        assert.isTrue(refuses(one, "http://93.184.216.34"))
        assert.isFalse(refuses(one, "https://93.184.216.34"))
      }
      assert.isTrue(refuses(careful, "http://vault.example.com"))

      const mine = connection({ url: server.url, token: "canary-vault-token" })
      const error = yield* Effect.flip(HashiCorpVault.make(careful).read(mine, "i"))
      assert.strictEqual(error._tag, "SourceUnavailable")
      assert.strictEqual(server.asked.length, 0)
      yield* HashiCorpVault.make(named).read(mine, "i")
      assert.strictEqual(server.asked.length, 1)
    })
)
