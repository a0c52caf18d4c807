import { assert, it } from "@effect/vitest"
import { Clock, Deferred, Duration, Effect, Fiber, Layer, Logger, Queue } from "effect"
import { TestClock } from "effect/testing"
import * as Crypto from "../../../adapters/crypto/Crypto.ts"
import * as Memory from "../../../adapters/memory/Memory.ts"
import { Gates } from "../../../core/gate/Gates.ts"
import { Executor, type Reporter } from "../../../core/run/Executor.ts"
import { statusAt } from "../../../core/run/Run.ts"
import { type ClaimedRun, RunStore } from "../../../core/run/RunStore.ts"
import * as Scheduler from "../../../core/run/Scheduler.ts"
import type { Outcome } from "../../../core/run/Transition.ts"
import * as Transition from "../../../core/run/Transition.ts"
import * as Worker from "../../../core/run/Worker.ts"
import { Signals } from "../../../core/runtime/Signals.ts"
import type { RunId, WorkspaceId } from "../../../core/workspace/Ids.ts"
import type { Caller } from "../../../core/workspace/Workspace.ts"
import { makeEntry, naming } from "../../kit/contracts/start/CredentialRuns.ts"
import { daily, makeWorkflow, makeWorkspace, submission } from "../../support/fixtures.ts"
import { until } from "../../support/waiting.ts"

const hour = 3_600_000
const options: Worker.Options = { name: "w", capacity: 2, leaseMillis: 30_000, graceMillis: 10_000 }
const success: Outcome = { _tag: "Success", data: {} }

/**
 * An executor whose attempts begin when they are taken from `begun`, and end on request. One that is interrupted
 * is reported in `interrupted`, and takes `lastMillis` to end.
 */
const executing = Effect.fnUntraced(function* (lastMillis: number) {
  const interrupted = yield* Queue.unbounded<ClaimedRun>()
  const begun = yield* Queue.unbounded<{
    readonly claimed: ClaimedRun
    readonly reporter: Reporter
    readonly end: Deferred.Deferred<Outcome>
  }>()
  const layer = Layer.succeed(
    Executor,
    Executor.of({
      execute: (claimed, reporter) =>
        Effect.gen(function* () {
          const end = yield* Deferred.make<Outcome>()
          yield* reporter.mark({ acted: true })
          yield* Queue.offer(begun, { claimed, end, reporter })
          return yield* Deferred.await(end).pipe(
            Effect.onInterrupt(() => Effect.andThen(Queue.offer(interrupted, claimed), Effect.sleep(lastMillis)))
          )
        })
    })
  )
  return { begun, interrupted, layer }
})

const byHand = executing(0)

/** Runs of a worker on a store that does some things in another way. */
const workingOn = (store: Partial<RunStore["Service"]>, executor: Layer.Layer<Executor>, graceMillis = 0) =>
  Effect.gen(function* () {
    const working = Worker.run({ ...options, graceMillis }).pipe(
      Effect.provideService(RunStore, RunStore.of({ ...(yield* RunStore), ...store })),
      Effect.provide([executor, Logger.layer([])])
    )
    const fiber = yield* Effect.forkChild(working)
    yield* Effect.yieldNow
    return fiber
  })

/** The decision of the scheduler about leases now. */
const reaped = Effect.gen(function* () {
  const all = yield* (yield* RunStore).reap(10, Transition.reap)
  return all.map(({ id }) => id)
})

const services = Layer.mergeAll(Gates.layer, Crypto.layer).pipe(Layer.provideMerge(Memory.layer))

const provided = <A, E>(test: Effect.Effect<A, E, RunStore | Signals | Gates | Layer.Success<typeof services>>) =>
  test.pipe(Effect.provide(Layer.fresh(services)))

const submitted = (caller: Caller, overrides: { readonly maxRetries?: number } = {}) =>
  Effect.gen(function* () {
    const sent = submission(yield* makeWorkflow(caller, overrides))
    yield* (yield* RunStore).submit(sent)
    yield* (yield* Signals).publish({ _tag: "work" })
    return sent
  })

const status = (id: RunId, workspaceId: WorkspaceId) =>
  Effect.gen(function* () {
    const { gate, run } = yield* (yield* RunStore).get(workspaceId, id)
    return statusAt(run, gate, 0)
  })

it.effect("a worker starts what is submitted at once, and no more than it has room for", () =>
  provided(
    Effect.gen(function* () {
      const { begun, layer } = yield* byHand
      const caller = yield* makeWorkspace()
      const worker = yield* Effect.forkChild(Worker.run(options).pipe(Effect.provide(layer)))
      yield* Effect.yieldNow
      const sent = [yield* submitted(caller), yield* submitted(caller), yield* submitted(caller)]
      const [first, second] = [yield* Queue.take(begun), yield* Queue.take(begun)]
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* Queue.size(begun), 0)
      yield* Deferred.succeed(first.end, success)
      const third = yield* Queue.take(begun)
      assert.deepStrictEqual(
        [first, second, third].map(({ claimed }) => claimed.run.id).sort(),
        sent.map(({ id }) => id).sort()
      )
      yield* Deferred.succeed(second.end, success)
      yield* Deferred.succeed(third.end, success)
      yield* Fiber.interrupt(worker)
      for (const { id } of sent) assert.strictEqual(yield* status(id, caller.workspaceId), "execution.success")
    })
  )
)

it.effect("a worker that ends waits for its runs, and then gives back what is left of them", () =>
  provided(
    Effect.gen(function* () {
      const { begun, layer } = yield* byHand
      const caller = yield* makeWorkspace()
      const worker = yield* Effect.forkChild(Worker.run(options).pipe(Effect.provide(layer)))
      yield* Effect.yieldNow
      const [quick, slow] = [yield* submitted(caller), yield* submitted(caller, { maxRetries: 1 })]
      const attempts = [yield* Queue.take(begun), yield* Queue.take(begun)]
      const ending = yield* Effect.forkChild(Fiber.interrupt(worker))
      yield* TestClock.adjust(9_000)
      for (const { claimed, end } of attempts) if (claimed.run.id === quick.id) yield* Deferred.succeed(end, success)
      yield* TestClock.adjust(1_000)
      yield* Fiber.join(ending)
      assert.strictEqual(yield* status(quick.id, caller.workspaceId), "execution.success")
      assert.strictEqual(yield* status(slow.id, caller.workspaceId), "execution.requeued")
    })
  )
)

it.effect("a worker keeps its lease while it works, and stops when a person interrupts the run", () =>
  provided(
    Effect.gen(function* () {
      const { begun, layer } = yield* byHand
      const [runs, signals] = [yield* RunStore, yield* Signals]
      const caller = yield* makeWorkspace()
      const worker = yield* Effect.forkChild(Worker.run(options).pipe(Effect.provide(layer)))
      yield* Effect.yieldNow
      const sent = yield* submitted(caller)
      yield* Queue.take(begun)
      for (let minute = 0; minute < 10; minute++) {
        yield* TestClock.adjust("20 seconds")
        const reaped = yield* runs.reap(10, Transition.reap)
        assert.deepStrictEqual(reaped, [])
      }
      yield* runs.change(caller.workspaceId, sent.id, Transition.interrupt)
      yield* signals.publish({ _tag: "ended", runId: sent.id })
      const next = yield* submitted(caller)
      const { claimed, end } = yield* Queue.take(begun)
      assert.strictEqual(claimed.run.id, next.id)
      yield* Deferred.succeed(end, success)
      yield* Fiber.interrupt(worker)
      assert.strictEqual(yield* status(sent.id, caller.workspaceId), "execution.stopped")
    })
  )
)

it.effect("the scheduler wakes the workers at the instant a window opens", () =>
  provided(
    Effect.gen(function* () {
      const { begun, layer } = yield* byHand
      const [gates, runs] = [yield* Gates, yield* RunStore]
      const caller = yield* makeWorkspace()
      const workflow = yield* makeWorkflow(caller)
      yield* gates.setWindow(caller, workflow.workflow.id, daily(9, 17))
      const scheduler = yield* Effect.forkChild(Scheduler.run())
      const worker = yield* Effect.forkChild(Worker.run(options).pipe(Effect.provide(layer)))
      yield* Effect.yieldNow
      const sent = submission(workflow)
      yield* runs.submit(sent)
      yield* (yield* Signals).publish({ _tag: "due" })
      yield* TestClock.setTime(9 * hour - 1)
      assert.strictEqual(yield* Queue.size(begun), 0)
      yield* TestClock.setTime(9 * hour)
      const { claimed, end } = yield* Queue.take(begun)
      assert.strictEqual(claimed.run.startedAt, 9 * hour)
      yield* Deferred.succeed(end, success)
      yield* Fiber.interrupt(worker)
      yield* Fiber.interrupt(scheduler)
    })
  )
)

it.effect("the scheduler never sleeps longer than its net, also after the clock was set back by weeks", () =>
  provided(
    Effect.gen(function* () {
      const day = 24 * hour
      const slept = yield* Queue.unbounded<number>()
      let now = 100 * day
      const machine = yield* Clock.Clock
      const clock: Clock.Clock = {
        currentTimeMillisUnsafe: () => now,
        currentTimeMillis: Effect.sync(() => now),
        currentTimeNanosUnsafe: () => BigInt(now) * 1_000_000n,
        currentTimeNanos: Effect.sync(() => BigInt(now) * 1_000_000n),
        monotonicTimeNanosUnsafe: () => machine.monotonicTimeNanosUnsafe(),
        monotonicTimeNanos: machine.monotonicTimeNanos,
        sleep: (duration) => Effect.andThen(Queue.offer(slept, Duration.toMillis(duration)), Effect.never)
      }
      const scheduler = yield* Effect.forkChild(Effect.provideService(Scheduler.run(), Clock.Clock, clock))
      const two = Effect.all([Queue.take(slept), Queue.take(slept)])
      assert.deepStrictEqual(yield* two, [30_000, 30_000])
      now = 70 * day
      yield* (yield* Signals).publish({ _tag: "due" })
      assert.deepStrictEqual(yield* two, [30_000, 30_000])
      assert.strictEqual(yield* Queue.size(slept), 0)
      yield* Fiber.interrupt(scheduler)
    })
  )
)

it.effect("a scheduler whose clock is ahead of the store's waits between its looks at what is not due there yet", () =>
  provided(
    Effect.gen(function* () {
      const store = yield* RunStore
      const machine = yield* Clock.Clock
      let looks = 0
      const ahead: Clock.Clock = {
        ...machine,
        currentTimeMillisUnsafe: () => machine.currentTimeMillisUnsafe() + 40_000,
        currentTimeMillis: Effect.map(machine.currentTimeMillis, (now) => now + 40_000),
        currentTimeNanosUnsafe: () => machine.currentTimeNanosUnsafe(),
        monotonicTimeNanosUnsafe: () => machine.monotonicTimeNanosUnsafe()
      }
      const storeOf = RunStore.of({
        ...store,
        reap: () => (++looks > 1_000 ? Effect.never : Effect.succeed([])),
        nextDue: () => Effect.succeed(30_000)
      })
      const scheduler = yield* Effect.forkChild(
        Scheduler.run().pipe(Effect.provideService(RunStore, storeOf), Effect.provideService(Clock.Clock, ahead))
      )
      yield* TestClock.adjust("10 seconds")
      assert.isAtMost(looks, 25)
      yield* Fiber.interrupt(scheduler)
    })
  )
)

it.effect("workers are woken when a credential comes free, and a failed login stops those that wait for it", () =>
  provided(
    Effect.gen(function* () {
      const { begun, layer } = yield* byHand
      const runs = yield* RunStore
      const caller = yield* makeWorkspace()
      const workflow = yield* makeWorkflow(caller)
      yield* makeEntry(caller, "a", {
        allow_multiple_sessions: true,
        max_concurrency: 2,
        prevent_concurrency_during_login: true
      })
      const sent = [1, 2, 3, 4].map(() => submission(workflow, { credentials: [naming("a")] }))
      yield* Effect.forEach(sent, runs.submit)
      const scheduler = yield* Effect.forkChild(Scheduler.run())
      const worker = yield* Effect.forkChild(Worker.run({ ...options, capacity: 4 }).pipe(Effect.provide(layer)))

      // No time passes: a start was woken.
      const first = yield* Queue.take(begun)
      assert.strictEqual(yield* Queue.size(begun), 0)
      yield* first.reporter.loggedIn("USER")
      const second = yield* Queue.take(begun)
      yield* Deferred.succeed(first.end, success)
      yield* second.reporter.loggedIn("USER")
      const third = yield* Queue.take(begun)
      yield* Deferred.succeed(third.end, { _tag: "Failed", data: {}, errors: [], failedLogin: "USER" })
      const last = sent[3]?.id as RunId
      yield* until("the stop of the last run", status(last, caller.workspaceId), (now) => now === "execution.stopped")
      assert.strictEqual(yield* Queue.size(begun), 0)
      assert.strictEqual(yield* status(second.claimed.run.id, caller.workspaceId), "execution.start")

      const late = submission(workflow, { credentials: [naming("a")] })
      yield* runs.submit(late)
      yield* (yield* Signals).publish({ _tag: "work" })
      assert.strictEqual((yield* Queue.take(begun)).claimed.run.id, late.id)
      yield* Fiber.interrupt(scheduler)
      yield* Effect.forkChild(Fiber.interrupt(worker))
      yield* TestClock.adjust(options.graceMillis)
    })
  )
)

it.effect("an attempt that takes long to end keeps the others neither from their leases nor from being ended", () =>
  provided(
    Effect.gen(function* () {
      const { begun, interrupted, layer } = yield* executing(60_000)
      const [runs, signals] = [yield* RunStore, yield* Signals]
      const caller = yield* makeWorkspace()
      const worker = yield* workingOn({}, layer)
      const [one, other] = [yield* submitted(caller), yield* submitted(caller)]
      yield* Queue.take(begun)
      yield* Queue.take(begun)
      const stop = (id: RunId) => runs.change(caller.workspaceId, id, Transition.interrupt)
      // There is no signal: the renewal of leases detects it.
      yield* stop(one.id)
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* Queue.take(interrupted)).run.id, one.id)
      for (let round = 0; round < 4; round++) {
        yield* TestClock.adjust("10 seconds")
        assert.deepStrictEqual(yield* reaped, [])
      }
      yield* stop(other.id)
      yield* signals.publish({ _tag: "ended", runId: other.id })
      assert.strictEqual((yield* Queue.take(interrupted)).run.id, other.id)
      yield* Effect.forkChild(Fiber.interrupt(worker))
      yield* TestClock.adjust("60 seconds")
    })
  )
)

it.effect("a worker that cannot renew a lease ends the attempt before another worker may begin one", () =>
  provided(
    Effect.gen(function* () {
      const { begun, interrupted, layer } = yield* byHand
      const caller = yield* makeWorkspace()
      let isAway = false
      const { renew } = yield* RunStore
      const worker = yield* workingOn(
        { renew: (...asked) => (isAway ? Effect.die(new Error("The database is away")) : renew(...asked)) },
        layer
      )
      const sent = yield* submitted(caller, { maxRetries: 1 })
      yield* Queue.take(begun)
      yield* TestClock.adjust("25 seconds")
      isAway = true
      yield* TestClock.adjust("20 seconds")
      assert.strictEqual(yield* Queue.size(interrupted), 0)
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(yield* Queue.size(interrupted), 1)
      assert.strictEqual(yield* status(sent.id, caller.workspaceId), "execution.requeued")
      yield* Fiber.interrupt(worker)
    })
  )
)

it.effect("a run that comes back to its worker keeps its new lease when the attempt before it ends", () =>
  provided(
    Effect.gen(function* () {
      const { begun, interrupted, layer } = yield* executing(60_000)
      const caller = yield* makeWorkspace()
      const { renew } = yield* RunStore
      let isDeaf = true
      // It renews nothing, and does not say so.
      const worker = yield* workingOn({ renew: (...asked) => (isDeaf ? Effect.succeed([]) : renew(...asked)) }, layer)
      const sent = yield* submitted(caller, { maxRetries: 1 })
      yield* Queue.take(begun)
      yield* TestClock.adjust("31 seconds")
      assert.deepStrictEqual(yield* reaped, [sent.id])
      yield* TestClock.adjust("20 seconds")
      const { claimed } = yield* Queue.take(begun)
      assert.deepInclude(claimed.run, { id: sent.id, attempts: 2 })
      isDeaf = false
      for (let round = 0; round < 12; round++) {
        yield* TestClock.adjust("10 seconds")
        assert.deepStrictEqual(yield* reaped, [])
      }
      assert.strictEqual(yield* Queue.size(interrupted), 1)
      assert.strictEqual(yield* status(sent.id, caller.workspaceId), "execution.start")
      yield* Effect.forkChild(Fiber.interrupt(worker))
      yield* TestClock.adjust("60 seconds")
    })
  )
)

it.effect("the reports of an attempt are kept once, and its result is kept, whatever ends at that moment", () =>
  provided(
    Effect.gen(function* () {
      const { begun, layer } = yield* byHand
      const caller = yield* makeWorkspace()
      const { events, report, settle } = yield* RunStore
      const [reported, settling] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const [answers, goOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const worker = yield* workingOn(
        {
          // The store has written, and its answer has not arrived yet.
          report: (held, told) =>
            Effect.tap(
              report(held, told),
              told.events.length === 0
                ? Effect.void
                : Effect.andThen(Deferred.succeed(reported, undefined), Deferred.await(answers))
            ),
          settle: (...asked) =>
            Deferred.succeed(settling, undefined).pipe(
              Effect.andThen(Deferred.await(goOn)),
              Effect.andThen(settle(...asked))
            )
        },
        layer
      )
      const sent = yield* submitted(caller)
      const { claimed, end, reporter } = yield* Queue.take(begun)
      const { id, workflowId } = claimed.run
      yield* reporter.event({
        event: "execution.step",
        runId: id,
        workflowId,
        step: "One",
        next: null
      })
      yield* Deferred.await(reported)
      yield* Deferred.succeed(end, success)
      yield* Effect.yieldNow
      yield* Deferred.succeed(answers, undefined)
      yield* Deferred.await(settling)
      const ending = yield* Effect.forkChild(Fiber.interrupt(worker))
      yield* TestClock.adjust("1 second")
      yield* Deferred.succeed(goOn, undefined)
      yield* Fiber.join(ending)
      assert.strictEqual(yield* status(sent.id, caller.workspaceId), "execution.success")
      const told = yield* events(sent.id, 0)
      assert.lengthOf(
        told.filter(({ event }) => event.event === "execution.step"),
        1
      )
    })
  )
)
