import { hostname } from "node:os"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import * as HttpSender from "../../../adapters/http/HttpSender.ts"
import { isPrivate } from "../../../adapters/http/PrivateAddress.ts"
import * as special from "../../../adapters/http/SpecialAddresses.ts"
import { Sender } from "../../../core/event/webhook/Sender.ts"
import { WebhookSecrets } from "../../../core/event/webhook/WebhookSecrets.ts"
import { graph } from "../../support/fixtures.ts"
import { receiver } from "../../support/receiver.ts"
import { layerInMemory, Service } from "../../support/service.ts"
import { makeWebhook } from "../../support/webhooks.ts"

describe("the registries of special-purpose addresses", () => {
  /** The same address in every form that has the four bytes of an IPv4 address in it. */
  const embedded = (address: string): ReadonlyArray<string> => {
    const [a = 0, b = 0, c = 0, d = 0] = address.split(".").map(Number)
    const words = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
    return [
      `::ffff:${address}`,
      `::ffff:${words}`,
      `::ffff:0:${words}`,
      `::${words}`,
      `64:ff9b::${words}`,
      `2002:${words}::`
    ]
  }

  it("are whole, and the first address of every block is refused, in every form", () => {
    assert.isAtLeast(special.v4.length, 26)
    assert.isAtLeast(special.v6.length, 26)
    for (const [block] of [...special.v4, ...special.v6]) {
      const [network = ""] = block.split("/")
      assert.isTrue(isPrivate(network), block)
      if (network.includes(".")) for (const form of embedded(network)) assert.isTrue(isPrivate(form), form)
    }
  })

  it.each([
    "::ffff:0:8.8.8.8",
    "::ffff:0:7f00:1",
    "100::1",
    "100:0:0:1::1",
    "192.0.2.1",
    "198.51.100.255",
    "203.0.113.7",
    "192.88.99.1",
    "2001:db8:ffff::1",
    "2001:2::1",
    "2001:1ff::1",
    "3fff:fff::1",
    "5f00:ffff::1"
  ])("%s is private", (address) => assert.isTrue(isPrivate(address)))

  it.each([
    "192.0.3.1",
    "198.51.101.1",
    "203.0.114.1",
    "100:0:0:2::1",
    "2001:200::1",
    "2001:db9::1",
    "4000::1",
    "5f01::1"
  ])("%s is next to a block, and public", (address) => assert.isFalse(isPrivate(address)))
})

describe("an address", () => {
  it.each([
    "127.0.0.1",
    "127.255.255.255",
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "198.18.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "::ffff:8.8.8.8",
    "::7f00:1",
    "64:ff9b::7f00:1",
    "2002:7f00:1::",
    "fd00:ec2::254",
    "fe80::1",
    "fec0::1",
    "ff02::1",
    "no address"
  ])("%s is private", (address) => assert.isTrue(isPrivate(address)))

  it.each(["8.8.8.8", "1.1.1.1", "172.32.0.1", "100.128.0.1", "192.0.1.1", "2606:4700::1111", "2a00:1450::1"])(
    "%s is public",
    (address) => assert.isFalse(isPrivate(address))
  )
})

/** The same machine in other words. */
const spellings = [
  "http://127.0.0.1/",
  "http://2130706433/",
  "http://0x7f000001/",
  "http://0177.0.0.1/",
  "http://127.1/",
  "http://[::1]/",
  "http://[::ffff:127.0.0.1]/",
  "http://[::ffff:7f00:1]/",
  "http://localhost/",
  "http://LOCALHOST./",
  "http://anything.localhost/",
  "http://169.254.169.254/latest/meta-data/",
  "http://[fd00:ec2::254]/",
  "https://10.0.0.8:8443/"
]

const post = (url: string) =>
  Effect.flatMap(Sender, (sender) => sender.post({ url, headers: { "Content-Type": "application/json" }, body: "{}" }))

const to = (options: Partial<HttpSender.Options> = {}) => HttpSender.layer({ ...HttpSender.defaults, ...options })

describe("the sender", () => {
  it.effect.each(spellings)("refuses %s", (url) =>
    Effect.gen(function* () {
      assert.isNotNull((yield* Sender).refusal(url))
      assert.strictEqual((yield* post(url))._tag, "Refused")
    }).pipe(Effect.provide(to()))
  )

  // The name of this machine is no address, and leads to one that is not public.
  it.live("refuses a name by the address that it is connected to", () =>
    Effect.gen(function* () {
      const own = yield* receiver(200)
      const url = own.url.replace("127.0.0.1", hostname())
      assert.isNull((yield* Effect.provide(Sender, to())).refusal(url))
      const refused = yield* Effect.provide(post(url), to())
      assert.strictEqual(refused._tag, "Refused")
      assert.strictEqual(own.count(), 0)
    }).pipe(Effect.scoped)
  )

  it.live("reaches what it is allowed to, and only that", () =>
    Effect.gen(function* () {
      const [own, other] = [yield* receiver(200), yield* receiver(200)]
      const allowed = to({ allowedOrigins: [new URL(own.url).origin] })
      assert.deepInclude(yield* Effect.provide(post(own.url), allowed), { _tag: "Answered", status: 200 })
      assert.deepInclude(yield* Effect.provide(post(other.url), allowed), { _tag: "Refused" })
      assert.deepInclude(yield* Effect.provide(post(other.url), to({ allowPrivateNetworks: true })), { status: 200 })
    }).pipe(Effect.scoped)
  )
})

it.layer(Layer.fresh(layerInMemory))("the interface", (it) => {
  const setUp = Effect.gen(function* () {
    const { member, send } = yield* Service
    const owner = yield* member("Owner")
    const made = yield* send({ method: "POST", path: "/workflows", key: owner.key, json: { name: "W", ...graph() } })
    return { owner, workflowId: String(made.body.id) }
  })

  it.effect("refuses private addresses where they are given, and where they have crept in", () =>
    Effect.gen(function* () {
      const { send } = yield* Service
      const { owner, workflowId } = yield* setUp
      for (const url of spellings) {
        const endpoint = yield* send({ method: "POST", path: "/webhook-endpoints", key: owner.key, json: { url } })
        const webhook = { url, secret: "s" }
        const json = { workflow_id: workflowId, webhook }
        const run = yield* send({ method: "POST", path: "/run", key: owner.key, json })
        for (const [{ body, status }, path] of [
          [endpoint, "url"],
          [run, "webhook.url"]
        ] as const) {
          assert.deepStrictEqual([status, body.code], [400, "VALIDATION_FAILED"])
          const [problem] = body.errors as ReadonlyArray<{ readonly path: string; readonly message: string }>
          assert.strictEqual(problem?.path, path)
          assert.include(problem?.message, "SLUICE_ALLOW_PRIVATE_NETWORKS")
        }
      }
      const sealedSecret = yield* (yield* WebhookSecrets).seal(Redacted.make("a secret"))
      const { id } = yield* makeWebhook(owner.caller, { sealedSecret })
      const tested = yield* send({ method: "POST", path: `/webhook-endpoints/${id}/test`, key: owner.key })
      assert.deepInclude(tested.body, { success: false, response: "" })
      assert.include(String(tested.body.error), "private or loopback")
    })
  )

  const url = "https://example.com/hook"
  const problems: ReadonlyArray<readonly [webhook: unknown, paths: ReadonlyArray<string>]> = [
    [{ url: "ftp://example.com", secret: "s" }, ["webhook.url"]],
    [{ url: "https://u:p@example.com", secret: "s" }, ["webhook.url"]],
    [{ url }, ["webhook.secret"]],
    [{ secret: "s" }, ["webhook.url"]],
    [{ url, secret: "s", validity: 0 }, ["webhook.validity"]],
    [
      { url, secret: "s", validity: 1.5, event_types_subscribed: ["execution.start", "execution.dance"] },
      ["webhook.event_types_subscribed[1]", "webhook.validity"]
    ],
    [{ url, secret: 7 }, ["webhook.secret"]],
    ["yes", ["webhook"]]
  ]
  it.effect.each(problems)("refuses a run with the webhook %j at the paths of its problems", ([webhook, paths]) =>
    Effect.gen(function* () {
      const { dump, send } = yield* Service
      const { owner, workflowId } = yield* setUp
      const before = yield* dump
      const json = { workflow_id: workflowId, webhook }
      const { body, status } = yield* send({ method: "POST", path: "/run", key: owner.key, json })
      assert.strictEqual(status, 400)
      const found = body.errors as ReadonlyArray<{ readonly path: string }>
      assert.deepStrictEqual(found.map(({ path }) => path).sort(), paths)
      assert.strictEqual(yield* dump, before)
    })
  )

  it.effect.each([
    null,
    {},
    { url: null, secret: null, metadata: null },
    { metadata: { a: [1] }, unknown: true },
    { metadata: "order 7" },
    { url, secret: "s", validity: 60, event_types_subscribed: ["execution.success", "execution.pause"] }
  ])("accepts a run with the webhook %j", (webhook) =>
    Effect.gen(function* () {
      const { send } = yield* Service
      const { owner, workflowId } = yield* setUp
      const json = { workflow_id: workflowId, webhook }
      assert.strictEqual((yield* send({ method: "POST", path: "/run", key: owner.key, json })).status, 201)
    })
  )

  /** A text within so many lists. */
  const nested = (levels: number): unknown => Array.from({ length: levels }).reduce((inner) => [inner], "order 7")

  /** An object of so many bytes as JSON in UTF-8. */
  const metadataOf = (bytes: number) => ({ reference: `${"é".repeat(100)}${"a".repeat(bytes - 216)}` })

  it.effect("accepts metadata of 16 KiB and 32 levels, and refuses more at its path, beside other problems", () =>
    Effect.gen(function* () {
      const { send } = yield* Service
      const { owner, workflowId } = yield* setUp
      const submit = (webhook: object) =>
        send({ method: "POST", path: "/run", key: owner.key, json: { workflow_id: workflowId, webhook } })
      for (const metadata of [metadataOf(16_384), nested(32)]) {
        assert.strictEqual((yield* submit({ metadata })).status, 201)
      }
      const bytes = "Expected metadata of at most 16384 bytes as JSON"
      const levels = "Expected metadata of at most 32 levels of objects and lists"
      for (const [metadata, expected] of [
        [metadataOf(16_385), bytes],
        [nested(33), levels]
      ] as const) {
        const { body, status } = yield* submit({ url, metadata, validity: 0 })
        assert.strictEqual(status, 400)
        const errors = body.errors as ReadonlyArray<{ readonly path: string; readonly message: string }>
        assert.deepStrictEqual(errors.map(({ path }) => path).sort(), ["webhook.metadata", "webhook.validity"])
        assert.include(errors.find(({ path }) => path === "webhook.metadata")?.message, expected)
      }
    })
  )

  it.effect("keeps registrations apart by workspace, and one of an address for the same runs", () =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      const { owner, workflowId } = yield* setUp
      const register = (key: string, more: object = {}) =>
        send({ method: "POST", path: "/webhook-endpoints", key, json: { url, ...more } })
      const stranger = yield* member("Owner")
      assert.strictEqual((yield* register(owner.key)).status, 201)
      assert.strictEqual((yield* register(owner.key, { workflow_id: null })).status, 409)
      const ofWorkflow = yield* register(owner.key, { workflow_id: workflowId, event_types_subscribed: null })
      assert.strictEqual(ofWorkflow.status, 201)
      assert.strictEqual((yield* register(stranger.key, { workflow_id: workflowId })).status, 404)
      assert.strictEqual((yield* register(stranger.key)).status, 201)
      const other = yield* register(owner.key, { url: `${url}/2`, workflow_id: workflowId })
      const change = { method: "PATCH", path: `/webhook-endpoints/${other.body.id}`, key: owner.key }
      assert.strictEqual((yield* send({ ...change, json: { url } })).status, 409)
      assert.strictEqual((yield* send({ ...change, json: { validity: -1, active: "yes" } })).status, 400)
      const renamed = yield* send({ ...change, json: { url: `${url}/3`, active: false } })
      assert.deepInclude(renamed.body, { url: `${url}/3`, active: false, validity: 300, workflow_id: workflowId })
      assert.lengthOf((yield* send({ method: "GET", path: "/webhook-endpoints", key: owner.key })).body as never, 3)
      assert.lengthOf((yield* send({ method: "GET", path: "/webhook-endpoints", key: stranger.key })).body as never, 1)
    })
  )
})
