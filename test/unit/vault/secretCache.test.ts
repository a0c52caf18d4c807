import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as SecretCache from "../../../core/vault/providers/SecretCache.ts"

/** A cache, and a store that counts what it is asked and can be made to fail. */
const counting = Effect.gen(function* () {
  const cache = SecretCache.make<string, string>(yield* Effect.scope)
  let count = 0
  const state = { down: false }
  const ask = Effect.suspend(() => {
    count += 1
    return state.down ? Effect.fail("down") : Effect.succeed(`secret ${count}`)
  })
  const get = (ttlMillis: number, { key = "a", notBefore = 0 } = {}) => cache.get(key, { ttlMillis, notBefore }, ask)
  return { cache, get, state }
})

it.effect("a secret is used again within its time, and never beyond, whether the store answers or not", () =>
  Effect.gen(function* () {
    const { get, state } = yield* counting
    assert.strictEqual(yield* get(1_000), "secret 1")
    state.down = true
    yield* TestClock.adjust("999 millis")
    assert.strictEqual(yield* get(1_000), "secret 1")
    yield* TestClock.adjust("1 millis")
    assert.strictEqual(yield* Effect.flip(get(1_000)), "down")
    state.down = false
    // A failure is not kept.
    assert.strictEqual(yield* get(1_000), "secret 3")
  })
)

it.effect("each reader has its own time to live, and a time of 0 caches nothing", () =>
  Effect.gen(function* () {
    const { get } = yield* counting
    assert.strictEqual(yield* get(0), "secret 1")
    assert.strictEqual(yield* get(1_000), "secret 2")
    assert.strictEqual(yield* get(0), "secret 3")
    yield* TestClock.adjust("500 millis")
    assert.strictEqual(yield* get(1_000), "secret 2")
    // A value that may be used for half a second has expired now, however long others may be used.
    assert.strictEqual(yield* get(500), "secret 4")
    assert.strictEqual(yield* get(10_000), "secret 4")
    yield* TestClock.adjust("600 millis")
    // It was kept for half a second.
    assert.strictEqual(yield* get(10_000), "secret 5")
  })
)

it.effect("what was asked for before a change is not used after it", () =>
  Effect.gen(function* () {
    const { cache, get } = yield* counting
    assert.strictEqual(yield* get(60_000), "secret 1")
    yield* TestClock.adjust("10 millis")
    assert.strictEqual(yield* get(60_000, { notBefore: 0 }), "secret 1")
    assert.strictEqual(yield* get(60_000, { notBefore: 5 }), "secret 2")
    assert.strictEqual(yield* get(60_000, { notBefore: 5 }), "secret 2")
    yield* cache.forget("a")
    assert.strictEqual(yield* get(60_000), "secret 3")
    assert.strictEqual(yield* get(60_000, { key: "b" }), "secret 4")
  })
)

it.effect("readers at the same time share one question, and one who leaves stops no other", () =>
  Effect.gen(function* () {
    const cache = SecretCache.make<string, string>(yield* Effect.scope)
    const answer = yield* Deferred.make<string, string>()
    let count = 0
    const ask = Effect.suspend(() => {
      count += 1
      return Deferred.await(answer)
    })
    const get = cache.get("a", { ttlMillis: 0, notBefore: 0 }, ask)
    const first = yield* Effect.forkChild(get)
    const others = yield* Effect.forEach([1, 2, 3], () => Effect.forkChild(get))
    yield* Effect.yieldNow
    yield* Fiber.interrupt(first)
    yield* Deferred.succeed(answer, "secret")
    assert.deepStrictEqual(yield* Effect.forEach(others, Fiber.join), ["secret", "secret", "secret"])
    assert.strictEqual(count, 1)
    assert.strictEqual(yield* get, "secret")
    assert.strictEqual(count, 2)
  })
)

it.effect("what is forgotten while it is asked for is not kept", () =>
  Effect.gen(function* () {
    const cache = SecretCache.make<string, string>(yield* Effect.scope)
    const answer = yield* Deferred.make<string>()
    const get = (ask: Effect.Effect<string>) => cache.get("a", { ttlMillis: 1_000, notBefore: 0 }, ask)
    const early = yield* Effect.forkChild(get(Deferred.await(answer)))
    yield* Effect.yieldNow
    yield* cache.forget("a")
    assert.strictEqual(yield* get(Effect.succeed("new")), "new")
    yield* Deferred.succeed(answer, "old")
    assert.strictEqual(yield* Fiber.join(early), "old")
    assert.strictEqual(yield* get(Effect.succeed("another")), "new")
  })
)

it.effect("no more are kept than there is room for, and those kept longest ago go first", () =>
  Effect.gen(function* () {
    const { get } = yield* counting
    for (let index = 0; index <= SecretCache.maxKept; index++) yield* get(60_000, { key: String(index) })
    const last = SecretCache.maxKept + 1
    assert.strictEqual(yield* get(60_000, { key: "1" }), "secret 2")
    assert.strictEqual(yield* get(60_000, { key: "0" }), `secret ${last + 1}`)
  })
)
