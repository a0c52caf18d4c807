import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Result, Schema } from "effect"
import { TestClock } from "effect/testing"
import * as Memory from "../../../adapters/memory/Memory.ts"
import * as RateLimit from "../../../core/workspace/request/RateLimit.ts"
import { layerWith, Service } from "../../support/service.ts"

/** The rule said plainly: a list of everything that was accepted. */
const naive = (limits: ReadonlyArray<RateLimit.Limit>) => {
  const accepted: Array<number> = []
  return (now: number): Pick<RateLimit.Decision, "allowed" | "remaining"> => {
    const left = limits.map(
      ({ requests, seconds }) => requests - accepted.filter((at) => at > now - seconds * 1_000).length
    )
    const allowed = Math.min(...left) > 0
    if (allowed) accepted.push(now)
    return { allowed, remaining: allowed ? Math.min(...left) - 1 : 0 }
  }
}

const small = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 12 }))
const limit = Schema.Struct({
  requests: small,
  seconds: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5 }))
})
const pauses = Schema.Array(Schema.Literals([0, 1, 3, 40, 250, 999, 1_000, 1_001, 4_000]))

describe("rate limits", () => {
  it.prop(
    "decide as a list of all requests would, and say truly when one more is accepted",
    [
      Arbitrary.schema(Schema.Array(limit).check(Schema.isMinLength(1), Schema.isMaxLength(3))),
      Arbitrary.schema(pauses)
    ],
    ([limits, gaps]) => {
      const log = RateLimit.empty()
      const model = naive(limits)
      let now = 1_000_000
      for (const gap of [...gaps, ...gaps, ...gaps]) {
        now += gap
        const { allowed, remaining, resetMillis } = RateLimit.take(log, limits, now)
        assert.deepStrictEqual({ allowed, remaining }, model(now))
        assert.isAbove(resetMillis, 0)
        if (!allowed) {
          const early = { ...log, instants: log.instants.slice() }
          assert.isFalse(RateLimit.take(early, limits, now + resetMillis - 1).allowed)
          const later = { ...log, instants: log.instants.slice() }
          assert.isTrue(RateLimit.take(later, limits, now + resetMillis).allowed)
        }
      }
      assert.isAtMost(log.instants.length, 32)
    },
    { arbitrary: { runs: 500, size: 30 } }
  )

  it("give no caller more when the clock is set back", () => {
    const limits = [{ requests: 2, seconds: 10 }]
    const log = RateLimit.empty()
    assert.isTrue(RateLimit.take(log, limits, 50_000).allowed)
    assert.isTrue(RateLimit.take(log, limits, 20_000).allowed)
    assert.isFalse(RateLimit.take(log, limits, 59_999).allowed)
    assert.isTrue(RateLimit.take(log, limits, 60_000).allowed)
  })

  it.each([
    ["off", []],
    ["500/1s", [{ requests: 500, seconds: 1 }]],
    [
      " 5/1s, 7/60s ",
      [
        { requests: 5, seconds: 1 },
        { requests: 7, seconds: 60 }
      ]
    ]
  ] as const)("are read from %s", (text, expected) => {
    assert.deepStrictEqual(RateLimit.parse(text), Result.succeed(expected))
  })

  it.each(["", "on", "500", "500/1", "0/1s", "5/0s", "-5/1s", "5/1s,", "5/1m", "1e3/1s", "5/1s 6/2s"])(
    "are refused when they read %s",
    (text) => {
      const parsed = RateLimit.parse(text)
      assert.isTrue(Result.isFailure(parsed) && parsed.failure.startsWith("Expected off, or limits such as"))
    }
  )
})

it.layer(
  layerWith({
    stores: Memory.layer,
    rateLimits: [
      { requests: 5, seconds: 1 },
      { requests: 8, seconds: 15 }
    ]
  })
)("the HTTP interface with rate limits", (it) => {
  const told = (headers: Headers) =>
    ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "retry-after"].map((name) => headers.get(name))

  it.effect("counts each key separately, tells what is left, and refuses what is too much by the tightest limit", () =>
    Effect.gen(function* () {
      const { dump, member, send } = yield* Service
      const owner = yield* member("Owner")
      const other = yield* member("Viewer", owner)
      const list = (key: string) => send({ method: "GET", path: "/workflows", key })
      for (let left = 4; left >= 0; left--) {
        const { headers, status } = yield* list(owner.key)
        assert.deepStrictEqual([status, ...told(headers)], [200, "5", String(left), "1", null])
      }
      const before = yield* dump
      const refused = yield* send({ method: "POST", path: "/run", key: owner.key, json: {} })
      assert.deepStrictEqual(refused.body, {
        statusCode: 429,
        error: "Too Many Requests",
        message: "Too Many Requests",
        limit: 5,
        remaining: 0,
        retryAfterSeconds: 1,
        setting: "SLUICE_RATE_LIMITS"
      })
      assert.deepStrictEqual([refused.status, ...told(refused.headers)], [429, "5", "0", "1", "1"])
      assert.strictEqual(yield* dump, before)
      assert.strictEqual((yield* list(other.key)).status, 200)

      yield* TestClock.adjust("1 second")
      // Answers that are no success tell it too, and count.
      const missing = yield* send({ method: "GET", path: "/run/nothing", key: owner.key })
      assert.deepStrictEqual([missing.status, ...told(missing.headers)], [404, "8", "2", "14", null])
      yield* list(owner.key)
      yield* list(owner.key)
      const tighter = yield* list(owner.key)
      assert.deepStrictEqual([tighter.status, ...told(tighter.headers)], [429, "8", "0", "14", "14"])
      yield* TestClock.adjust("14 seconds")
      assert.strictEqual((yield* list(owner.key)).status, 200)
    })
  )

  it.effect("counts requests without a valid key by their address, and probes not at all", () =>
    Effect.gen(function* () {
      const { member, send } = yield* Service
      yield* TestClock.adjust("1 minute")
      for (let turn = 0; turn < 20; turn++) {
        assert.strictEqual((yield* send({ method: "GET", path: "/healthz" })).status, 200)
      }
      for (const key of [null, "sk_a", "sk_b", "sk_c", null]) {
        assert.strictEqual((yield* send({ method: "GET", path: "/workflows", key })).status, 401)
      }
      assert.strictEqual((yield* send({ method: "GET", path: "/workflows", key: "sk_d" })).status, 429)
      assert.strictEqual((yield* send({ method: "GET", path: "/nowhere" })).status, 429)
      const { key } = yield* member("Viewer")
      assert.strictEqual((yield* send({ method: "GET", path: "/workflows", key })).status, 200)
    })
  )
})
