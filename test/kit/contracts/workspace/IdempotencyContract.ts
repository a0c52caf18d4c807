/**
 * The promises of every store of answers to requests with an idempotency key: `IdempotencyStore`, beside the store of
 * workspaces, in which the requests of the promises have their effects.
 */
import { Clock, Deferred, Effect, Exit, Fiber } from "effect"
import * as Idempotency from "../../../../core/workspace/request/Idempotency.ts"
import { WorkspaceStore } from "../../../../core/workspace/WorkspaceStore.ts"
import * as SteppingClock from "../../clocks/SteppingClock.ts"
import * as assert from "../Assertions.ts"
import * as Contract from "../Contract.ts"
import { makeWorkspace } from "../Fixtures.ts"

const { IdempotencyStore } = Idempotency

/** The ports that the promises are about. */
export type Stores = Idempotency.IdempotencyStore | WorkspaceStore

const hour = 3_600_000

const keep = (body: string): Idempotency.Verdict => ({
  _tag: "Keep",
  answer: { status: 201, contentType: "application/json", body }
})

const named = Effect.fn(function* (key = "k-1", digest = "d") {
  const { workspaceId } = yield* makeWorkspace()
  return { workspaceId, key, digest } satisfies Idempotency.NamedRequest
})

/** A promise that is tested at the epoch: keys are remembered for a day by the clock. */
const promise = <A, E>(title: string, test: (time: SteppingClock.SteppingClock) => Effect.Effect<A, E, Stores>) =>
  Contract.promise(
    `a store of answers ${title}`,
    Effect.suspend(() => {
      const time = SteppingClock.make(0)
      return Effect.provideService(test(time), Clock.Clock, time.clock)
    })
  )

const inMode = (mode: "once" | "reserved") => [
  promise(`carries out a request ${mode}, and answers it again from what was kept`, () =>
    Effect.gen(function* () {
      const store = yield* IdempotencyStore
      const request = yield* named()
      let done = 0
      const send = (one: Idempotency.NamedRequest) =>
        store[mode](
          one,
          Effect.sync(() => ++done),
          (count) => keep(`${count} é "\\u0000"`)
        )
      assert.deepStrictEqual(yield* send(request), { _tag: "Done", value: 1 })
      const kept = { status: 201, contentType: "application/json", body: '1 é "\\u0000"' }
      assert.deepStrictEqual(yield* send(request), { _tag: "Kept", answer: kept })
      const reused = yield* Effect.flip(send({ ...request, digest: "another" }))
      assert.tagged(reused, "KeyReused", { key: "k-1" })
      assert.include(reused.message, '"k-1"')
      assert.strictEqual((yield* send({ ...request, key: "k-2" }))._tag, "Done")
      assert.strictEqual((yield* send(yield* named()))._tag, "Done")
      assert.strictEqual(done, 3)
    })
  ),
  promise(`carries out one of many at once (${mode}), whatever comes of those before`, () =>
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
      assert.deepStrictEqual(
        values.flatMap((outcome) => (outcome._tag === "Done" ? [outcome.value] : [])).toSorted(),
        [3, 4, 5]
      )
      assert.lengthOf(
        values.filter((outcome) => outcome._tag === "Kept" && outcome.answer.body === "5"),
        15
      )
    })
  )
]

/** What every implementation promises. */
export const promises: ReadonlyArray<Contract.ContractPromise<Stores>> = [
  ...inMode("once"),
  ...inMode("reserved"),
  promise("frees a key whose request was interrupted", () =>
    Effect.gen(function* () {
      const store = yield* IdempotencyStore
      const request = yield* named()
      const begun = yield* Deferred.make<void>()
      const fiber = yield* Effect.forkChild(
        store.once(request, Effect.andThen(Deferred.succeed(begun, undefined), Effect.never), () => keep(""))
      )
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(yield* store.once(request, Effect.succeed(1), () => keep("")), { _tag: "Done", value: 1 })
    })
  ),
  promise("forgets a key after a day, and sweeps it away", (time) =>
    Effect.gen(function* () {
      const store = yield* IdempotencyStore
      // What other promises have left is swept away first.
      yield* time.advance(48 * hour)
      yield* store.sweep
      const [old, later] = [yield* named(), yield* named()]
      const send = (one: Idempotency.NamedRequest) => store.once(one, Effect.succeed(1), () => keep(""))
      yield* send(old)
      yield* time.advance(23 * hour)
      yield* send(later)
      assert.strictEqual((yield* send({ ...old }))._tag, "Kept")
      yield* time.advance(hour)
      assert.deepStrictEqual(yield* send({ ...old, digest: "another" }), { _tag: "Done", value: 1 })
      assert.strictEqual(yield* store.sweep, 0)
      yield* time.advance(23 * hour)
      assert.strictEqual(yield* store.sweep, 1)
      assert.strictEqual((yield* send(later))._tag, "Done")
    })
  ),
  promise("keeps the effect of a request whose answer is kept", () =>
    Effect.gen(function* () {
      const count = Effect.map((yield* WorkspaceStore).list, (all) => all.length)
      const request = yield* named()
      const before = yield* count
      yield* (yield* IdempotencyStore).once(request, makeWorkspace(), () => keep(""))
      assert.strictEqual(yield* count, before + 1)
    })
  )
]

/** What implementations promise beside that keep answers in the same database as the effects of requests. */
export const undoing: ReadonlyArray<Contract.ContractPromise<Stores>> = [
  promise("takes back the effect of a request that is undone or fails", () =>
    Effect.gen(function* () {
      const store = yield* IdempotencyStore
      const count = Effect.map((yield* WorkspaceStore).list, (all) => all.length)
      const request = yield* named()
      const before = yield* count
      yield* store.once(request, makeWorkspace(), () => ({ _tag: "Undo" }))
      yield* Effect.exit(store.once(request, Effect.andThen(makeWorkspace(), Effect.die("a mistake")), () => keep("")))
      assert.strictEqual(yield* count, before)
    })
  )
]
