import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, type Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Idempotency from "../../core/workspace/request/Idempotency.ts"
import { WorkspaceStore } from "../../core/workspace/WorkspaceStore.ts"
import * as databases from "../support/databases.ts"
import { makeWorkspace } from "../support/fixtures.ts"

const { IdempotencyStore } = Idempotency

const keep = (body: string): Idempotency.Verdict => ({
  _tag: "Keep",
  answer: { status: 201, contentType: "application/json", body }
})

const named = Effect.fn(function* (key = "k-1", digest = "d") {
  const { workspaceId } = yield* makeWorkspace()
  return { workspaceId, key, digest } satisfies Idempotency.Named
})

/** The promises of every store of answers. `undoes` tells whether it can take back the effect in the same store. */
const suite = <E>(
  name: string,
  layer: Layer.Layer<Idempotency.IdempotencyStore | WorkspaceStore, E>,
  undoes: boolean
) =>
  it.layer(layer, { timeout: "60 seconds" })(`a store of answers (${name})`, (it) => {
    for (const mode of ["once", "reserved"] as const) {
      it.effect(`carries out a request ${mode}, and answers it again from what was kept`, () =>
        Effect.gen(function* () {
          const store = yield* IdempotencyStore
          const request = yield* named()
          let done = 0
          const send = (one: Idempotency.Named) =>
            store[mode](
              one,
              Effect.sync(() => ++done),
              (count) => keep(`${count} \ud800 "\\u0000"`.replace("\ud800", "é"))
            )
          assert.deepStrictEqual(yield* send(request), { _tag: "Done", value: 1 })
          const kept = { status: 201, contentType: "application/json", body: '1 é "\\u0000"' }
          assert.deepStrictEqual(yield* send(request), { _tag: "Kept", answer: kept })
          const reused = yield* Effect.flip(send({ ...request, digest: "another" }))
          assert.instanceOf(reused, Idempotency.KeyReused)
          assert.include(reused.message, '"k-1"')
          assert.strictEqual((yield* send({ ...request, key: "k-2" }))._tag, "Done")
          assert.strictEqual((yield* send(yield* named()))._tag, "Done")
          assert.strictEqual(done, 3)
        })
      )

      it.effect(`carries out one of many at once (${mode}), whatever comes of those before`, () =>
        Effect.gen(function* () {
          const store = yield* IdempotencyStore
          const request = yield* named()
          let tries = 0
          const effect = Effect.gen(function* () {
            yield* Effect.yieldNow
            tries++
            if (tries === 1) return yield* Effect.die("a mistake")
            if (tries === 2) return yield* Effect.fail("refused")
            return tries
          })
          const judge = (tried: number): Idempotency.Verdict =>
            tried === 3 ? { _tag: "Undo" } : tried === 4 ? { _tag: "Release" } : keep(String(tried))
          const exits = yield* Effect.all(
            Array.from({ length: 20 }, () => Effect.exit(store[mode](request, effect, judge))),
            { concurrency: "unbounded" }
          )
          assert.strictEqual(tries, 5)
          assert.lengthOf(exits.filter(Exit.isFailure), 2)
          const values = exits.flatMap((exit) => (Exit.isSuccess(exit) ? [exit.value] : []))
          assert.sameMembers(
            values.flatMap((outcome) => (outcome._tag === "Done" ? [outcome.value] : [])),
            [3, 4, 5]
          )
          assert.lengthOf(
            values.filter((outcome) => outcome._tag === "Kept" && outcome.answer.body === "5"),
            15
          )
        })
      )
    }

    it.effect("frees a key whose request was interrupted", () =>
      Effect.gen(function* () {
        const store = yield* IdempotencyStore
        const request = yield* named()
        const begun = yield* Deferred.make<void>()
        const fiber = yield* Effect.forkChild(
          store.once(request, Effect.andThen(Deferred.succeed(begun, undefined), Effect.never), () => keep(""))
        )
        yield* Deferred.await(begun)
        yield* Fiber.interrupt(fiber)
        assert.deepStrictEqual(yield* store.once(request, Effect.succeed(1), () => keep("")), {
          _tag: "Done",
          value: 1
        })
      })
    )

    it.effect("forgets a key after a day, and sweeps it away", () =>
      Effect.gen(function* () {
        const store = yield* IdempotencyStore
        yield* TestClock.adjust("2 days")
        yield* store.sweep
        const [old, later] = [yield* named(), yield* named()]
        const send = (one: Idempotency.Named) => store.once(one, Effect.succeed(1), () => keep(""))
        yield* send(old)
        yield* TestClock.adjust("23 hours")
        yield* send(later)
        assert.strictEqual((yield* send({ ...old }))._tag, "Kept")
        yield* TestClock.adjust("1 hour")
        assert.deepStrictEqual(yield* send({ ...old, digest: "another" }), { _tag: "Done", value: 1 })
        assert.strictEqual(yield* store.sweep, 0)
        yield* TestClock.adjust("23 hours")
        assert.strictEqual(yield* store.sweep, 1)
        assert.strictEqual((yield* send(later))._tag, "Done")
      })
    )

    it.effect("keeps the effect and the answer together, or neither", () =>
      Effect.gen(function* () {
        const store = yield* IdempotencyStore
        const workspaces = yield* WorkspaceStore
        const request = yield* named()
        const exists = Effect.map(workspaces.list, (all) => all.length)
        const before = yield* exists
        yield* store.once(request, makeWorkspace(), () => ({ _tag: "Undo" }))
        yield* Effect.exit(
          store.once(request, Effect.andThen(makeWorkspace(), Effect.die("a mistake")), () => keep(""))
        )
        assert.strictEqual(yield* exists, undoes ? before : before + 2)
        const settled = yield* exists
        yield* store.once(request, makeWorkspace(), () => keep(""))
        assert.strictEqual(yield* exists, settled + 1)
      })
    )
  })

suite("memory", databases.memory[0], false)
suite("embedded", databases.embedded[0], true)
suite("PostgreSQL", databases.postgres[0], true)

it("a key is made of 1 to 255 visible characters", () => {
  for (const key of ["a", "!~", "x".repeat(255), "9f0c-…".slice(0, 5)]) {
    assert.strictEqual(Idempotency.checkKey(key)._tag, "Success", key)
  }
  for (const key of ["", " ", "a b", "ä", "x".repeat(256), "a\n"]) {
    assert.strictEqual(Idempotency.checkKey(key)._tag, "Failure", key)
  }
})
