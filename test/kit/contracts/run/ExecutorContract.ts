/**
 * The promises of every implementation of `Executor`: what a worker relies on. Each needs runs that the executor can carry
 * out, which are yours to make. Promises wait by the clock in their context: give them that of the machine.
 */
import { Cause, Context, Effect, Exit, Fiber, Option } from "effect"
import type { RunEvent } from "../../../../core/event/RunEvent.ts"
import { Executor, type Reporter } from "../../../../core/run/Executor.ts"
import { LeaseLost, type Progress } from "../../../../core/run/Run.ts"
import type { ClaimedRun } from "../../../../core/run/RunStore.ts"
import type { Outcome } from "../../../../core/run/Transition.ts"
import { StoreUnavailable } from "../../../../core/runtime/StoreUnavailable.ts"
import * as assert from "../Assertions.ts"
import * as Contract from "../Contract.ts"

/** A run that was claimed, and what its attempts do outside. */
export interface Attempted {
  readonly claimed: ClaimedRun
  /** How often attempts of it have changed something outside. */
  readonly changes: Effect.Effect<number>
}

/** Runs for the executor under test. Each is a new one every time. */
export class Attempts extends Context.Service<
  Attempts,
  {
    /** A run whose attempt changes something outside, and succeeds. */
    readonly succeeding: Effect.Effect<Attempted, unknown>
    /** A run whose attempt fails. */
    readonly failing: Effect.Effect<Attempted, unknown>
    /** A run whose attempt goes on until it is interrupted. `begun` ends when it is under way. */
    readonly endless: Effect.Effect<Attempted & { readonly begun: Effect.Effect<void> }, unknown>
  }
>()("sluice/test/kit/contracts/run/ExecutorContract") {}

/** What the promises are about. */
export type Stores = Attempts | Executor

/** What an attempt reported: its events, and its marks with how often it had changed something by then. */
interface Reported {
  readonly events: Array<RunEvent>
  readonly marks: Array<{ readonly progress: Partial<Progress>; readonly changes: number }>
  readonly logins: Array<string>
}

/** A reporter that takes note of everything. Each mark takes a few turns, and fails with `failure` where that is given. */
const noting = (changes: Effect.Effect<number>, failure?: LeaseLost | StoreUnavailable) => {
  const reported: Reported = { events: [], marks: [], logins: [] }
  const stored = Effect.repeat(Effect.yieldNow, { times: 5 })
  const reporter: Reporter = {
    event: (event) => Effect.sync(() => void reported.events.push(event)),
    mark: (progress) =>
      Effect.gen(function* () {
        yield* stored
        reported.marks.push({ progress, changes: yield* changes })
        if (failure !== undefined) return yield* failure
      }),
    loggedIn: (alias) =>
      Effect.gen(function* () {
        yield* stored
        reported.logins.push(alias)
        if (failure !== undefined) return yield* failure
      })
  }
  return { reporter, reported }
}

const countOf = ({ events, logins, marks }: Reported): number => events.length + logins.length + marks.length

const promise = <A, E>(
  title: string,
  test: (executor: Executor["Service"], attempts: Attempts["Service"]) => Effect.Effect<A, E>
) =>
  Contract.promise(
    `an executor ${title}`,
    Effect.gen(function* () {
      return yield* test(yield* Executor, yield* Attempts)
    })
  )

/** Expects data as a store keeps them. */
const isJson = ({ data }: Outcome): void => assert.deepStrictEqual(JSON.parse(JSON.stringify(data)), data)

const areOf = ({ run }: ClaimedRun, events: ReadonlyArray<RunEvent>): void => {
  for (const { runId, workflowId } of events) {
    assert.deepStrictEqual([runId, workflowId], [run.id, run.workflowId])
  }
}

/** Expects that an attempt whose marks fail ends with that failure, and did nothing and reported nothing more. */
const stopsOn = (
  failure: (claimed: ClaimedRun) => LeaseLost | StoreUnavailable,
  executor: Executor["Service"],
  attempts: Attempts["Service"]
) =>
  Effect.gen(function* () {
    const { changes, claimed } = yield* attempts.succeeding
    const expected = failure(claimed)
    const { reported, reporter } = noting(changes, expected)
    const exit = yield* Effect.exit(executor.execute(claimed, reporter))
    const error = Exit.isFailure(exit) ? Option.getOrUndefined(Cause.findErrorOption(exit.cause)) : undefined
    assert.strictEqual(error, expected)
    assert.strictEqual(yield* changes, 0)
    const reports = countOf(reported)
    yield* Effect.repeat(Effect.yieldNow, { times: 100 })
    assert.strictEqual(countOf(reported), reports)
    assert.lengthOf(reported.marks, 1)
  })

/** What every implementation promises, of which one has so many milliseconds to end an attempt that is interrupted. */
export const promisesWithin = (millis: number): ReadonlyArray<Contract.ContractPromise<Stores>> => [
  promise("answers a success with its data, and reports events of its run", (executor, attempts) =>
    Effect.gen(function* () {
      const { changes, claimed } = yield* attempts.succeeding
      const { reported, reporter } = noting(changes)
      const outcome = yield* executor.execute(claimed, reporter)
      assert.strictEqual(outcome._tag, "Success")
      isJson(outcome)
      areOf(claimed, reported.events)
    })
  ),
  promise("has marked that it acts before it changes anything", (executor, attempts) =>
    Effect.gen(function* () {
      const { changes, claimed } = yield* attempts.succeeding
      const { reported, reporter } = noting(changes)
      yield* executor.execute(claimed, reporter)
      assert.isAbove(yield* changes, 0)
      const acting = reported.marks.find(({ progress }) => progress.acted === true)
      assert.strictEqual(acting?.changes, 0, "changes before the first mark that it acts")
    })
  ),
  promise("answers a failure as an outcome that says why", (executor, attempts) =>
    Effect.gen(function* () {
      const { changes, claimed } = yield* attempts.failing
      const { reported, reporter } = noting(changes)
      const outcome = yield* executor.execute(claimed, reporter)
      assert.strictEqual(outcome._tag, "Failed")
      isJson(outcome)
      areOf(claimed, reported.events)
      const errors = outcome._tag === "Failed" ? outcome.errors : []
      assert.isAbove(errors.length, 0)
      for (const { message } of errors) assert.isAbove(message.length, 0)
    })
  ),
  promise("changes nothing once its lease is lost, and fails with that", (executor, attempts) =>
    stopsOn(({ run }) => new LeaseLost({ sessionId: run.id, fence: 1 }), executor, attempts)
  ),
  promise("changes nothing when its mark cannot be stored, and fails with that", (executor, attempts) =>
    stopsOn(() => new StoreUnavailable({ reason: "away" }), executor, attempts)
  ),
  promise("ends promptly when it is interrupted, and reports nothing more", (executor, attempts) =>
    Effect.gen(function* () {
      const { begun, changes, claimed } = yield* attempts.endless
      const { reported, reporter } = noting(changes)
      const attempt = yield* Effect.forkDetach(executor.execute(claimed, reporter))
      yield* begun
      const ending = yield* Effect.forkDetach(Fiber.interrupt(attempt))
      const ended = yield* Effect.timeoutOption(Fiber.join(ending), millis)
      assert.isTrue(Option.isSome(ended), `ended within ${millis} ms`)
      const before = [yield* changes, countOf(reported)]
      yield* Effect.repeat(Effect.yieldNow, { times: 100 })
      assert.deepStrictEqual([yield* changes, countOf(reported)], before)
    })
  ),
  promise("carries out several runs at once, each for itself", (executor, attempts) =>
    Effect.gen(function* () {
      const given = [yield* attempts.succeeding, yield* attempts.failing, yield* attempts.succeeding]
      const outcomes = yield* Effect.forEach(
        given,
        ({ changes, claimed }) => {
          const { reported, reporter } = noting(changes)
          return Effect.map(executor.execute(claimed, reporter), ({ _tag }) => {
            areOf(claimed, reported.events)
            return _tag
          })
        },
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(outcomes, ["Success", "Failed", "Success"])
    })
  )
]

/** What every implementation promises. */
export const promises = promisesWithin(5_000)
