/**
 * The promises of every store of who may look at runs: `LiveStore`, on the data of the stores of runs and gates.
 *
 * They expect stores without runs that wait: give each promise new stores, or empty them before.
 */
import { Clock, Effect, Option, Result } from "effect"
import { type Admission, LiveStore } from "../../../../core/execution/live/LiveStore.ts"
import * as Gate from "../../../../core/gate/Gate.ts"
import { GateStore } from "../../../../core/gate/GateStore.ts"
import type { Status } from "../../../../core/run/Run.ts"
import { RunStore } from "../../../../core/run/RunStore.ts"
import * as Transition from "../../../../core/run/Transition.ts"
import type { WorkflowStore } from "../../../../core/workflow/WorkflowStore.ts"
import { UserId } from "../../../../core/workspace/Ids.ts"
import type { WorkspaceStore } from "../../../../core/workspace/WorkspaceStore.ts"
import * as SteppingClock from "../../clocks/SteppingClock.ts"
import * as assert from "../Assertions.ts"
import * as Contract from "../Contract.ts"
import { beside, makeWorkflow, makeWorkspace, submission } from "../Fixtures.ts"

/** The ports that the promises are about. */
export type Stores = GateStore | LiveStore | RunStore | WorkflowStore | WorkspaceStore

/** A promise that is tested on a separate clock, which begins at the epoch. */
const promise = <A, E>(title: string, test: (time: SteppingClock.SteppingClock) => Effect.Effect<A, E, Stores>) =>
  Contract.promise(
    `the viewers of runs ${title}`,
    Effect.suspend(() => {
      const time = SteppingClock.make(0)
      return Effect.provideService(test(time), Clock.Clock, time.clock)
    })
  )

/** What every implementation promises. */
export const promises: ReadonlyArray<Contract.ContractPromise<Stores>> = [
  promise("are let in once, and not after its expiry", (time) =>
    Effect.gen(function* () {
      const live = yield* LiveStore
      const { workspaceId } = yield* makeWorkspace()
      const workflow = yield* makeWorkflow({ ...(yield* makeWorkspace()), workspaceId })
      const sent = submission(workflow)
      yield* (yield* RunStore).submit(sent)
      const now = yield* Clock.currentTimeMillis
      const admission = (): Admission => ({
        hash: beside(sent.id),
        runId: sent.id,
        keyId: beside(sent.id),
        userId: UserId.make(beside(sent.id)),
        expiresAt: now + 60_000
      })
      const [once, late, contested] = [admission(), admission(), admission()]
      yield* Effect.forEach([once, late, contested], live.admit)
      assert.deepStrictEqual(yield* live.redeem(once.hash), Option.some(once))
      assert.isTrue(Option.isNone(yield* live.redeem(once.hash)))
      const taken = yield* Effect.all(
        Array.from({ length: 5 }, () => live.redeem(contested.hash)),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(taken.filter(Option.isSome), 1)
      yield* time.advance(60_000)
      assert.isTrue(Option.isNone(yield* live.redeem(late.hash)))
      assert.isTrue(Option.isNone(yield* live.redeem("never")))
    })
  ),
  promise("see how a run stands, as its record does", () =>
    Effect.gen(function* () {
      const [gates, live, runs] = [yield* GateStore, yield* LiveStore, yield* RunStore]
      const caller = yield* makeWorkspace()
      const { workspaceId } = caller
      const sent = submission(yield* makeWorkflow(caller))
      assert.isTrue(Option.isNone(yield* live.standing(sent.id)))
      yield* runs.submit(sent)
      const standsAs = Effect.fnUntraced(function* (status: Status) {
        assert.deepStrictEqual(yield* live.standing(sent.id), Option.some({ workspaceId, status }))
      })
      yield* standsAs("execution.queued")
      const change = (decide: (gate: Gate.Gate, at: number) => Gate.Gate) =>
        gates.change(workspaceId, sent.workflowId, (gate, at) => Result.succeed(decide(gate, at)))
      yield* change((gate, at) => Gate.pause(gate, { at, by: caller.userId }, { reason: "Holidays", until: null }))
      yield* standsAs("execution.paused")
      yield* change(Gate.unpause)
      yield* runs.claim({ worker: "w", limit: 1, leaseMillis: 30_000 })
      yield* standsAs("execution.start")
      yield* runs.change(workspaceId, sent.id, Transition.interrupt)
      yield* standsAs("execution.stopped")
    })
  ),
  promise("control it from one page at a time, as long as it keeps control", () =>
    Effect.gen(function* () {
      const live = yield* LiveStore
      const sent = submission(yield* makeWorkflow(yield* makeWorkspace()))
      yield* (yield* RunStore).submit(sent)
      const runId = sent.id
      const userId = UserId.make(beside(runId))
      const now = yield* Clock.currentTimeMillis
      const taking = (holder: string, millis: number) => live.take({ runId, holder, userId, until: now + millis })
      assert.isTrue(Option.isNone(yield* live.control(runId)))
      const taken = yield* Effect.all(
        ["a", "b", "c", "d"].map((holder) => taking(holder, 60_000)),
        { concurrency: "unbounded" }
      )
      const [winner] = [...new Set(taken.map(({ holder }) => holder))]
      assert.strictEqual(new Set(taken.map(({ holder }) => holder)).size, 1)
      const longer = yield* taking(winner ?? "", 90_000)
      assert.deepStrictEqual([longer.until, longer.since], [now + 90_000, taken[0]?.since])
      assert.deepStrictEqual(yield* live.control(runId), Option.some(longer))
      assert.isFalse(yield* live.renew(runId, "z", now + 95_000))
      assert.isTrue(yield* live.renew(runId, winner ?? "", now + 95_000))
      assert.deepStrictEqual(yield* live.control(runId), Option.some({ ...longer, until: now + 95_000 }))
      assert.isFalse(yield* live.release(runId, "z"))
      assert.isTrue(yield* live.release(runId, winner ?? ""))
      assert.isFalse(yield* live.renew(runId, winner ?? "", now + 95_000))
      assert.isFalse(yield* live.release(runId, winner ?? ""))
      yield* taking("late", 0)
      assert.isFalse(yield* live.renew(runId, "late", now + 60_000))
      assert.isTrue(Option.isNone(yield* live.control(runId)))
      assert.strictEqual((yield* taking("next", 60_000)).holder, "next")
    })
  )
]
