/** Clients behind one proxy: what one of them asks without a key turns nothing off for the others. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Redacted, Result } from "effect"
import { TestClock } from "effect/testing"
import * as Memory from "../../../adapters/memory/Memory.ts"
import * as ClientAddress from "../../../apps/api/http/ClientAddress.ts"
import { Inbound } from "../../../apps/api/inbound/Inbound.ts"
import { ArtifactLinks } from "../../../core/run/artifact/ArtifactLinks.ts"
import { layerWith, Service } from "../../support/service.ts"

const trusting = (written: string): ClientAddress.IsTrusted => Result.getOrThrow(ClientAddress.parse(written))

const nameOf = (peer: string, headers: Readonly<Record<string, string>>, trusted = "10.0.0.0/8, fd00::/8, ::1") =>
  ClientAddress.of({ remoteAddress: Option.some(peer), headers } as never, trusting(trusted))

describe("the address that a request is counted under", () => {
  it.each([
    ["203.0.113.9", { "x-forwarded-for": "198.51.100.1" }, "203.0.113.9"],
    ["10.0.0.1", { "x-forwarded-for": "198.51.100.1" }, "198.51.100.1"],
    ["::ffff:10.0.0.1", { "x-forwarded-for": "198.51.100.1" }, "198.51.100.1"],
    ["10.0.0.1", { "x-forwarded-for": "192.0.2.1, 198.51.100.1, 10.2.3.4" }, "198.51.100.1"],
    ["10.0.0.1", { "x-forwarded-for": "192.0.2.1,198.51.100.1:4711" }, "198.51.100.1"],
    ["10.0.0.1", { "x-forwarded-for": "10.0.0.9" }, "10.0.0.9"],
    ["10.0.0.1", { "x-forwarded-for": "198.51.100.1, unknown" }, "10.0.0.1"],
    ["10.0.0.1", { "x-forwarded-for": "" }, "10.0.0.1"],
    ["::1", { "x-forwarded-for": "::ffff:198.51.100.1" }, "198.51.100.1"],
    ["fd00::1", { forwarded: 'for=192.0.2.1, For="[2001:db8:1:2:3::4]:4711";proto=https' }, "2001:db8:1:2::/64"],
    ["10.0.0.1", { forwarded: "by=10.0.0.1; for=198.51.100.1 ;proto=http" }, "198.51.100.1"],
    ["10.0.0.1", { forwarded: "for=198.51.100.1, for=_hidden" }, "10.0.0.1"],
    ["10.0.0.1", { forwarded: "for=198.51.100.1, proto=https" }, "10.0.0.1"],
    ["10.0.0.1", { forwarded: "for=198.51.100.1", "x-forwarded-for": "198.51.100.1" }, "198.51.100.1"],
    // A proxy adds to one of the headers, and passes on the other as the client wrote it.
    ["10.0.0.1", { forwarded: "for=192.0.2.7", "x-forwarded-for": "198.51.100.1" }, "10.0.0.1"],
    ["2001:db8:0:7::1", {}, "2001:db8:0:7::/64"],
    ["2001:db8::7:0:0:1", {}, "2001:db8:0:0::/64"]
  ])("of %s with %j is %s", (peer, headers, expected) => {
    assert.strictEqual(nameOf(peer, headers as Readonly<Record<string, string>>), expected)
  })

  it.each([
    "",
    "10.0.0.0/33",
    "10.0.0.0/",
    "10.0.0.1/8/8",
    "proxy.example.com",
    "10.0.0.1,",
    "::1/129",
    "10.0.0.1 fd00::"
  ])("is read by no proxies that are written as %j", (written) => {
    const parsed = ClientAddress.parse(written)
    assert.isTrue(Result.isFailure(parsed) && parsed.failure.startsWith("Expected addresses and networks such as"))
  })
})

const inboundSecret = "an-inbound-secret-of-32-letters"

const service = (trusted: ClientAddress.IsTrusted) =>
  layerWith({ stores: Memory.layer, rateLimits: [{ requests: 3, seconds: 1 }] }).pipe(
    Layer.provide([
      Layer.succeed(ClientAddress.TrustedProxies, trusted),
      Layer.succeed(Inbound, { secret: Redacted.make(inboundSecret), twilioAuthToken: null })
    ])
  )

/** Uses up what the address has, as a stranger does. */
const flooded = Effect.gen(function* () {
  const { send } = yield* Service
  yield* TestClock.adjust("1 minute")
  for (let turn = 0; turn < 3; turn++) yield* send({ method: "GET", path: "/nowhere" })
  assert.strictEqual((yield* send({ method: "GET", path: "/nowhere" })).status, 429)
})

it.layer(service(() => false))("a stranger who uses up the limit of a shared address", (it) => {
  it.effect("does not keep others from signing in with a key or a link, and wrong ones are counted", () =>
    Effect.gen(function* () {
      const { member, send, url } = yield* Service
      const owner = yield* member("Owner")
      const { body } = yield* send({ method: "POST", path: "/sign-in-links", key: owner.key })
      yield* flooded
      const signIn = (json: unknown) =>
        Effect.map(send({ method: "POST", path: "/console/session", json, headers: { origin: url } }), (answer) => [
          answer.status,
          answer.headers.get("set-cookie") !== null
        ])
      assert.deepStrictEqual(yield* signIn({ key: owner.key }), [200, true])
      assert.deepStrictEqual(yield* signIn({ link: body.link }), [200, true])
      assert.deepStrictEqual(yield* signIn({ key: "sk_wrong" }), [429, false])
      assert.deepStrictEqual(yield* signIn({ link: body.link }), [429, false])
      // The key has a limit of its own, and what is over it opens no session.
      yield* signIn({ key: owner.key })
      yield* signIn({ key: owner.key })
      assert.deepStrictEqual(yield* signIn({ key: owner.key }), [429, false])
    })
  )

  it.effect("does not keep others from accepting an invitation", () =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const owner = yield* member("Owner")
      const { body } = yield* send({ method: "POST", path: "/invitations", key: owner.key, json: { role: "Viewer" } })
      yield* flooded
      const accept = Effect.map(
        send({ method: "POST", path: "/invitations/accept", json: { token: body.token } }),
        ({ status }) => status
      )
      assert.strictEqual(yield* accept, 201)
      assert.strictEqual(yield* accept, 429)
    })
  )

  it.effect("does not keep codes from arriving", () =>
    Effect.gen(function* () {
      const { send } = yield* Service
      yield* flooded
      const sms = (secret: string) =>
        Effect.map(
          send({
            method: "POST",
            path: "/inbound/sms",
            json: { to: "+15551234567", text: "Your code is 471100" },
            headers: { authorization: `Bearer ${secret}` }
          }),
          ({ status }) => status
        )
      assert.strictEqual(yield* sms(inboundSecret), 200)
      assert.strictEqual(yield* sms("wrong"), 429)
    })
  )

  it.effect("does not keep others from artifacts by their links, each of which has a limit", () =>
    Effect.gen(function* () {
      const { send, url } = yield* Service
      const links = yield* (yield* ArtifactLinks).lasting(url, 600_000)
      yield* flooded
      const path = (id: string) => links.artifact(id).url.slice(url.length)
      const ask = (asked: string) => Effect.map(send({ method: "GET", path: asked }), ({ status }) => status)
      const own = path("00000000-0000-4000-8000-000000000001")
      assert.deepStrictEqual(yield* Effect.forEach([own, own, own, own], ask), [404, 404, 404, 429])
      assert.strictEqual(yield* ask(path("00000000-0000-4000-8000-000000000002")), 404)
      assert.strictEqual(yield* ask(`${path("00000000-0000-4000-8000-000000000003")}0`), 429)
    })
  )
})

it.layer(service(trusting("127.0.0.1")))("behind a trusted proxy", (it) => {
  it.effect("each client is counted separately, whatever it writes itself", () =>
    Effect.gen(function* () {
      const { send } = yield* Service
      const ask = (client: string) =>
        Effect.map(
          send({ method: "GET", path: "/docs", headers: { "x-forwarded-for": client } }),
          ({ status }) => status
        )
      assert.deepStrictEqual(
        yield* Effect.forEach(["192.0.2.1, 198.51.100.1", "198.51.100.1", "192.0.2.2, 198.51.100.1"], ask),
        [200, 200, 200]
      )
      assert.strictEqual(yield* ask("192.0.2.3, 198.51.100.1"), 429)
      assert.strictEqual(yield* ask("198.51.100.2"), 200)
    })
  )
})
