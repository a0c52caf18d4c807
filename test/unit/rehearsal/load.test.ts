import { assert, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Load from "../../rehearsal/Load.ts"

it.effect("a load that is answered too slowly is one failure, and queues no more than ten seconds of it", () =>
  Effect.gen(function* () {
    const answer = yield* Deferred.make<null>()
    let sent = 0
    const submit = Effect.suspend(() => {
      sent++
      return Deferred.await(answer)
    })
    const { end, seen } = yield* Load.start(20, submit)
    yield* TestClock.adjust("30 seconds")
    assert.deepStrictEqual([sent, seen.accepted, seen.failures.length], [200, 0, 1])
    yield* Deferred.succeed(answer, null)
    yield* TestClock.adjust("1 second")
    const { accepted, failures, slowest } = yield* end
    assert.strictEqual(accepted, sent)
    assert.isAbove(sent, 200)
    assert.strictEqual(slowest, 30_000)
    assert.match(failures.join(), /^200 submissions wait for answers/)
  }).pipe(Effect.scoped)
)

it.effect("a load keeps its rate, and counts what was wrong", () =>
  Effect.gen(function* () {
    let sent = 0
    const submit = Effect.sync(() => (++sent % 10 === 0 ? "503" : null))
    const { end } = yield* Load.start(20, submit)
    yield* TestClock.adjust("10 seconds")
    const { accepted, failures } = yield* end
    assert.deepStrictEqual([accepted, failures.length], [181, 20])
  }).pipe(Effect.scoped)
)
