import { assert, it } from "@effect/vitest"
import { Data, Deferred, Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import * as Crypto from "../../../adapters/crypto/Crypto.ts"
import * as Memory from "../../../adapters/memory/Memory.ts"
import { Gates } from "../../../core/gate/Gates.ts"
import { Executor } from "../../../core/run/Executor.ts"
import { statusAt } from "../../../core/run/Run.ts"
import { RunStore } from "../../../core/run/RunStore.ts"
import * as Scheduler from "../../../core/run/Scheduler.ts"
import * as Worker from "../../../core/run/Worker.ts"
import { Signals } from "../../../core/runtime/Signals.ts"
import { makeWorkflow, makeWorkspace, submission } from "../../support/fixtures.ts"

/** The failure of a store that somebody else wrote, with a class of their own. */
class StoreUnavailable extends Data.TaggedError("StoreUnavailable")<{ readonly reason: string }> {
  override get message() {
    return this.reason
  }
}

/** A store of runs that fails in its own way while `isAway` says so. */
const failing = (inner: RunStore["Service"], isAway: () => boolean): RunStore["Service"] =>
  RunStore.of(
    new Proxy(inner, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name)
        if (typeof member !== "function") return member
        return (...given: ReadonlyArray<unknown>) =>
          Effect.suspend(() =>
            isAway() ? Effect.fail(new StoreUnavailable({ reason: "away" })) : Reflect.apply(member, target, given)
          )
      }
    })
  )

const services = Layer.mergeAll(Gates.layer, Crypto.layer).pipe(Layer.provideMerge(Memory.layer))

it.effect("an outage of three seconds of a store with errors of its own class repeats no run and loses none", () =>
  Effect.gen(function* () {
    let isAway = false
    let carriedOut = 0
    const outage = yield* Deferred.make<void>()
    const executor = Executor.of({
      execute: (_claimed, reporter) =>
        Effect.gen(function* () {
          carriedOut++
          yield* reporter.mark({ acted: true })
          isAway = true
          yield* Deferred.succeed(outage, undefined)
          return { _tag: "Success" as const, data: {} }
        })
    })
    const inner = yield* RunStore
    const outside = Effect.provideService(
      RunStore,
      failing(inner, () => isAway)
    )
    const options: Worker.Options = { name: "w", capacity: 1, leaseMillis: 30_000, graceMillis: 0 }
    yield* Worker.run(options).pipe(outside, Effect.provideService(Executor, executor), Effect.forkScoped)
    yield* Scheduler.run().pipe(outside, Effect.forkScoped)
    yield* Effect.yieldNow

    const caller = yield* makeWorkspace()
    const sent = submission(yield* makeWorkflow(caller, { maxRetries: 3 }))
    yield* inner.submit(sent)
    yield* (yield* Signals).publish({ _tag: "work" })
    yield* Deferred.await(outage)
    yield* TestClock.adjust("3 seconds")
    isAway = false
    yield* TestClock.adjust("5 minutes")

    const { gate, run } = yield* inner.get(caller.workspaceId, sent.id)
    assert.strictEqual(statusAt(run, gate, 0), "execution.success")
    assert.strictEqual(carriedOut, 1)
    assert.strictEqual(run.attempts, 1)
  }).pipe(Effect.scoped, Effect.provide([Layer.fresh(services), Logger.layer([])]))
)
