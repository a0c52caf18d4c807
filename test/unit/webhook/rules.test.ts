import { randomUUID } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Result, Schema } from "effect"
import * as SealedSecrets from "../../../adapters/crypto/SealedSecrets.ts"
import type { RunEvent } from "../../../core/event/RunEvent.ts"
import * as Circuit from "../../../core/event/webhook/Circuit.ts"
import * as Delivery from "../../../core/event/webhook/Delivery.ts"
import * as DeliveryAttempt from "../../../core/event/webhook/DeliveryAttempt.ts"
import * as Subscription from "../../../core/event/webhook/Subscription.ts"
import * as Target from "../../../core/event/webhook/Target.ts"
import * as Webhook from "../../../core/event/webhook/Webhook.ts"
import { hintOf, SecretUnreadable, WebhookSecrets } from "../../../core/event/webhook/WebhookSecrets.ts"
import { InstallationKey } from "../../../core/vault/keys/InstallationKey.ts"
import { WorkspaceId } from "../../../core/workspace/Ids.ts"
import { verifyMessage } from "../../../node_modules/cloudcruise/dist/webhook/utils.js"
import { webhook } from "../../support/webhooks.ts"

/** The secrets of an installation whose key is this. */
const secretsOf = (key: string) =>
  SealedSecrets.layer.pipe(Layer.provide(Layer.succeed(InstallationKey, { key: Redacted.make(key) })))
const key = "ab".repeat(32)

const hour = 3_600_000

it.layer(secretsOf(key))("a signature", (it) => {
  it.effect("is that of the published vector", () =>
    Effect.gen(function* () {
      const secrets = yield* WebhookSecrets
      const body =
        '{"event":"execution.success","timestamp":1790000000,"expires_at":4102444800,"payload":{"session_id":"s-1","workflow_id":"w-1"}}'
      assert.strictEqual(
        yield* secrets.sign(yield* secrets.seal(Redacted.make("sekrit")), body),
        "2d561ce190094c41471e8ea8f054186266c70c1e3a7bcc362507d6eab4839de7"
      )
    })
  )

  it.effect.prop(
    "is verified by the published client, and not when the body, the secret or the signature differs",
    [Schema.JsonObject, Schema.NonEmptyString, Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 }))],
    ([payload, secret, place]) =>
      Effect.gen(function* () {
        const secrets = yield* WebhookSecrets
        const message = { event: "execution.step", timestamp: 1, expires_at: 4_102_444_800, payload }
        const body = JSON.stringify(message)
        const hex = yield* secrets.sign(yield* secrets.seal(Redacted.make(secret)), body)
        assert.match(hex, /^[0-9a-f]{64}$/)
        // Receivers hand over the text that they received, or what they parsed it to.
        assert.deepStrictEqual(verifyMessage(body, `sha256=${hex}`, secret), JSON.parse(body))
        assert.deepStrictEqual(verifyMessage(message as never, `sha256=${hex}`, secret) as unknown, message)
        const at = place % 64
        const forged = `${hex.slice(0, at)}${hex[at] === "0" ? "1" : "0"}${hex.slice(at + 1)}`
        assert.throws(() => verifyMessage(body, `sha256=${forged}`, secret), /Invalid HMAC/)
        assert.throws(() => verifyMessage(body.replace(/}$/, " }"), `sha256=${hex}`, secret), /Invalid HMAC/)
        assert.throws(() => verifyMessage(body, `sha256=${hex}`, `${secret}.`), /Invalid HMAC/)
      }),
    { arbitrary: { runs: 100, size: 20 } }
  )

  it.effect("needs the key that the secret was sealed under", () =>
    Effect.gen(function* () {
      const secrets = yield* WebhookSecrets
      const secret = yield* secrets.make
      const sealed = yield* secrets.seal(secret)
      assert.notInclude(sealed, Redacted.value(secret))
      assert.notStrictEqual(yield* secrets.seal(secret), sealed)
      const others = yield* Effect.provide(WebhookSecrets, Layer.fresh(secretsOf("cd".repeat(32))))
      assert.instanceOf(yield* Effect.flip(others.sign(sealed, "{}")), SecretUnreadable)
      assert.instanceOf(yield* Effect.flip(secrets.sign(`${sealed.slice(0, -3)}AAA`, "{}")), SecretUnreadable)
      assert.instanceOf(yield* Effect.flip(secrets.sign("", "{}")), SecretUnreadable)
    })
  )
})

it("a hint spares most of a secret, and all of a short one", () => {
  assert.deepStrictEqual([hintOf("whsec_0123456789abcdef"), hintOf("short"), hintOf("")], ["…cdef", "…", "…"])
})

describe("an address", () => {
  const accepts = Schema.is(Webhook.Url)

  it.each(["https://example.com/hook?x=1", "http://example.com:8080", "http://10.0.0.1/"])("may be %s", (url) =>
    assert.isTrue(accepts(url))
  )
  it.each([
    "",
    "example.com",
    "ftp://example.com/",
    "file:///etc/passwd",
    "https://user:pass@example.com/",
    "https://user@example.com/",
    "javascript:alert(1)",
    `https://example.com/${"a".repeat(2_048)}`
  ])("may not be %s", (url) => assert.isFalse(accepts(url)))
})

describe("the targets of an event", () => {
  const workflowId = randomUUID()
  const own = { url: "https://own.example", sealed_secret: "s", validity: 60, metadata: { order: "A-7" } }
  const of = (
    event: RunEvent["event"],
    registered: ReadonlyArray<Webhook.Webhook>,
    sent: Schema.Json | null = null
  ): ReadonlyArray<string> =>
    Target.targetsOf({ event: { event } as RunEvent, webhook: sent, workflowId }, registered).map(({ url }) => url)

  const everything = webhook({ url: "https://all.example" })

  it("are none where a run only checks a credential, except of questions to persons", () => {
    const ofCheck = (event: RunEvent["event"]) =>
      Target.targetsOf({ event: { event } as RunEvent, isCheck: true, webhook: own, workflowId }, [everything]).length
    for (const event of ["execution.queued", "execution.success", "execution.failed"] as const) {
      assert.strictEqual(ofCheck(event), 0)
    }
    assert.strictEqual(ofCheck("interaction.waiting"), 2)
  })

  const table: ReadonlyArray<
    readonly [string, RunEvent["event"], ReadonlyArray<Webhook.Webhook>, Schema.Json | null, ReadonlyArray<string>]
  > = [
    ["a webhook of the workspace", "execution.start", [everything], null, ["https://all.example"]],
    ["a webhook of its workflow", "execution.start", [{ ...everything, workflowId }], null, ["https://all.example"]],
    ["no webhook of another workflow", "execution.start", [{ ...everything, workflowId: randomUUID() }], null, []],
    ["no inactive webhook", "execution.start", [{ ...everything, active: false }], null, []],
    [
      "a subscribed kind",
      "execution.start",
      [{ ...everything, eventTypes: ["execution.start"] }],
      null,
      ["https://all.example"]
    ],
    ["no other kind", "execution.start", [{ ...everything, eventTypes: ["execution.step"] }], null, []],
    [
      "the older name of a kind",
      "execution.paused",
      [{ ...everything, eventTypes: ["execution.pause"] }],
      null,
      ["https://all.example"]
    ],
    [
      "the webhook of the run, beside the registered",
      "execution.start",
      [everything],
      own,
      ["https://own.example", "https://all.example"]
    ],
    [
      "no kind that the run did not ask for",
      "execution.start",
      [],
      { ...own, event_types_subscribed: ["execution.step"] },
      []
    ],
    [
      "registered webhooks only, for an event about the workflow",
      "workflow.paused",
      [everything],
      own,
      ["https://all.example"]
    ],
    ["nothing of a run that gives metadata only", "execution.start", [], { metadata: own.metadata }, []],
    ["nothing that cannot be read", "execution.start", [], [42], []]
  ]
  it.each(table)("are %s", (_name, event, registered, sent, expected) =>
    assert.deepStrictEqual(of(event, registered, sent), expected)
  )

  it("every kind that is emitted can be subscribed to", () => {
    const kinds = [
      "execution.queued",
      "execution.paused",
      "workflow.paused",
      "workflow.canary",
      "execution.start",
      "execution.step",
      "execution.step_skipped",
      "execution.requeued",
      "screenshot.uploaded",
      "execution.success",
      "execution.failed",
      "execution.stopped"
    ]
    assert.deepStrictEqual(
      kinds.filter((kind) => !Schema.is(Subscription.EventType)(kind)),
      []
    )
  })
})

const delivery = (overrides: Partial<Delivery.Delivery> = {}): Delivery.Delivery => ({
  id: randomUUID(),
  traceparent: null,
  position: 1,
  workspaceId: WorkspaceId.make(randomUUID()),
  webhookId: null,
  workflowId: randomUUID(),
  url: "https://example.com",
  logged: {
    sequence: 1,
    runId: randomUUID(),
    at: 0,
    event: { event: "execution.queued", runId: "s", workflowId: "w" }
  },
  runWebhook: null,
  createdAt: 0,
  since: 0,
  ...Delivery.pending(0),
  ...overrides
})

const answered = (status: number, retryAfterMillis: number | null = null): Delivery.Outcome => ({
  _tag: "Answered",
  status,
  durationMillis: 5,
  retryAfterMillis
})

describe("a delivery", () => {
  it("is tried for more than a day, with growing pauses that are spread", () => {
    const shortest = Delivery.ladder.map((_, index) => Delivery.pauseAfter(index + 1, 0) ?? 0)
    const longest = Delivery.ladder.map((_, index) => Delivery.pauseAfter(index + 1, 1) ?? 0)
    assert.isAtLeast(
      shortest.reduce((sum, pause) => sum + pause),
      24 * hour
    )
    assert.isAtMost(
      longest.reduce((sum, pause) => sum + pause),
      Delivery.longestPending
    )
    assert.deepStrictEqual(
      shortest,
      [...shortest].sort((a, b) => a - b)
    )
    for (const [index, low] of shortest.entries()) assert.isBelow(low, longest[index] ?? 0)
    assert.isNull(Delivery.pauseAfter(Delivery.ladder.length + 1, 0))
  })

  const verdicts: ReadonlyArray<readonly [string, Delivery.Outcome, Delivery.Status, number]> = [
    ["200", answered(200), "delivered", 1],
    ["204", answered(204), "delivered", 1],
    ["a redirect", answered(302), "pending", 1],
    ["400", answered(400), "pending", 1],
    ["404", answered(404), "pending", 1],
    ["410", answered(410), "dead", 1],
    ["500", answered(500), "pending", 1],
    ["nothing", { _tag: "Unreachable", reason: "No answer", durationMillis: 15_000 }, "pending", 1],
    ["a refusal of our own", { _tag: "Refused", reason: "It is private" }, "dead", 0]
  ]
  it.each(verdicts)("that is answered with %s becomes what it should", (_name, outcome, status, attempts) => {
    const after = Delivery.attempted(delivery(), outcome, 1_000, 0.5)
    assert.deepStrictEqual([after.status, after.attempts], [status, attempts])
    assert.strictEqual(after.nextAttemptAt !== null, status === "pending")
    assert.strictEqual(after.errors.length, status === "delivered" ? 0 : 1)
  })

  it("is dead after the last attempt of the ladder, with every attempt listed", () => {
    let one = delivery()
    for (let at = 0; one.status === "pending"; at = one.nextAttemptAt ?? at) {
      one = Delivery.attempted(one, answered(503), at, 1)
    }
    assert.deepStrictEqual([one.status, one.errors.length], ["dead", Delivery.ladder.length + 1])
    const again = Result.getOrThrow(Delivery.retry(one, 40 * hour))
    assert.deepStrictEqual([again.status, again.attempts, again.nextAttemptAt], ["pending", 0, 40 * hour])
    assert.isTrue(Result.isFailure(Delivery.retry(delivery(), 0)))
  })

  it("waits as long as the receiver asks, but not longer than the maximum", () => {
    assert.strictEqual(Delivery.attempted(delivery(), answered(429, 120_000), 0, 0).nextAttemptAt, 120_000)
    assert.strictEqual(Delivery.attempted(delivery(), answered(503, 1e12), 0, 0).nextAttemptAt, hour)
  })

  it("is put off without counting as an attempt, and given up when it has become too old", () => {
    assert.deepInclude(Delivery.putOff(delivery(), 5_000, 0), { status: "pending", attempts: 0, nextAttemptAt: 5_000 })
    assert.strictEqual(Delivery.putOff(delivery(), Delivery.longestPending + 1, 0).status, "dead")
  })
})

describe("a message", () => {
  const links = {
    artifact: (id: string) => ({ url: `https://x/${id}`, expires: "later" }),
    liveView: (id: string) => `https://x/live/${id}`
  }
  const { logged } = delivery()

  it("expires its validity after it was sent, and tells when the event happened", () => {
    const message = DeliveryAttempt.messageAt(logged, links, { validity: 60, metadata: { a: 1 } }, 10_000_999)
    assert.strictEqual(
      JSON.stringify(message),
      '{"event":"execution.queued","timestamp":0,"expires_at":10060,"payload":{"session_id":"s","workflow_id":"w"},"metadata":{"a":1}}'
    )
  })

  it("that asks a person expires when the question does, and is not sent after", () => {
    const asking: typeof logged = {
      ...logged,
      event: {
        event: "interaction.waiting",
        runId: "s",
        workflowId: "w",
        step: "Ask",
        missingProperties: [],
        schema: {},
        message: "The code?",
        expiresAt: 300_000
      }
    }
    assert.strictEqual(DeliveryAttempt.messageAt(asking, links, { validity: 300 }, 100_000).expires_at, 300)
    assert.deepStrictEqual(
      [299_999, 300_000].map((now) => DeliveryAttempt.isPerished(asking, now)),
      [false, true]
    )
    assert.isFalse(DeliveryAttempt.isPerished(logged, 1e12))
  })
})

/** The events of a receiver: an attempt is asked for, one ends, or time passes. */
const Step = Schema.Union([
  Schema.Struct({ _tag: Schema.Literal("ask") }),
  Schema.Struct({ _tag: Schema.Literal("end"), healthy: Schema.Boolean }),
  Schema.Struct({
    _tag: Schema.Literal("wait"),
    millis: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 60_000 }))
  })
])

describe("a circuit", () => {
  it.effect.prop(
    "never has more in flight than it may, opens on failures in a row only, and probes with one",
    [Schema.Array(Step).check(Schema.isMaxLength(200))],
    ([steps]) =>
      Effect.sync(() => {
        const bound = 3
        let circuit = Circuit.closed
        let [now, inFlight, failures] = [0, 0, 0]
        for (const step of steps) {
          if (step._tag === "wait") now += step.millis
          if (step._tag === "ask") {
            const isOpen = circuit.openUntil !== null
            const admission = Circuit.admit(circuit, now, bound)
            if (admission._tag === "Admitted") {
              if (isOpen) assert.strictEqual(inFlight, 0)
              inFlight += 1
            } else {
              assert.isAbove(admission.until, now)
              assert.isTrue(isOpen || inFlight === bound)
              if (isOpen) assert.isAtLeast(admission.until, circuit.openUntil ?? 0)
            }
            circuit = admission.circuit
          }
          if (step._tag === "end" && inFlight > 0) {
            circuit = Circuit.settle(circuit, step.healthy, 10, now)
            inFlight -= 1
            failures = step.healthy ? 0 : failures + 1
          }
          assert.isAtMost(inFlight, bound)
          assert.strictEqual(circuit.inFlight, inFlight)
          assert.strictEqual(circuit.openUntil !== null, failures >= Circuit.threshold)
          assert.isAtMost(circuit.coolDown, Circuit.coolDowns.longest)
        }
      }),
    { arbitrary: { runs: 500, size: 100 } }
  )

  it("cools down for longer after each failed probe, as far as the longest", () => {
    let circuit = Circuit.closed
    let now = 0
    const fail = () => {
      const admission = Circuit.admit(circuit, now, 1)
      assert.strictEqual(admission._tag, "Admitted")
      circuit = Circuit.settle(admission.circuit, false, 10, now)
    }
    for (let count = 0; count < Circuit.threshold; count++) fail()
    const pauses = Array.from({ length: 8 }, () => {
      const pause = (circuit.openUntil ?? 0) - now
      now = circuit.openUntil ?? 0
      fail()
      return pause
    })
    assert.deepStrictEqual(pauses, [10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000, 300_000])
  })

  it("puts off each to a different instant", () => {
    let circuit = Circuit.closed
    const untils = Array.from({ length: 50 }, () => {
      const admission = Circuit.admit(circuit, 0, 1)
      circuit = admission.circuit
      return admission._tag === "PutOff" ? admission.until : 0
    })
    assert.strictEqual(new Set(untils).size, 50)
  })
})
