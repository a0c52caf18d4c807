/**
 * The promises of every store of runs and gates about workflows that have a pace, about priorities and about runs that must
 * start by an instant: `RunStore` and `GateStore`, on the data of the stores of workflows and of the vault.
 *
 * Each promise makes a new workspace and has its own clock, which begins at the epoch. It expects stores without runs that
 * wait: give each promise new stores, or empty them before it.
 */
import { Effect, Result } from "effect"
import * as Gate from "../../../../core/gate/Gate.ts"
import { GateStore } from "../../../../core/gate/GateStore.ts"
import type * as Pace from "../../../../core/gate/Pace.ts"
import { RunStore } from "../../../../core/run/RunStore.ts"
import * as Transition from "../../../../core/run/Transition.ts"
import type { StoredWorkflow } from "../../../../core/workflow/WorkflowStore.ts"
import type { Caller } from "../../../../core/workspace/Workspace.ts"
import * as assert from "../Assertions.ts"
import type * as Contract from "../Contract.ts"
import { daily, makeWorkflow, makeWorkspace, submission } from "../Fixtures.ts"
import { claim, finish, ids, makeEntry, naming, promise, type Stores, settle } from "./CredentialRuns.ts"

const edit = (workflow: StoredWorkflow, change: (gate: Gate.Gate) => Gate.Gate) =>
  Effect.flatMap(GateStore, (gates) =>
    gates.change(workflow.workflow.workspaceId, workflow.workflow.id, (gate) => Result.succeed(change(gate)))
  )

const setPace = (workflow: StoredWorkflow, pace: Pace.Pace | null) => edit(workflow, (gate) => Gate.setPace(gate, pace))

/** Closes the window of a workflow: the clock of these tests stands at the epoch. */
const hold = (workflow: StoredWorkflow) =>
  edit(workflow, (gate) => Gate.setWindow(gate, daily(9, 17), { at: 0, by: workflow.workflow.createdBy }))

const send = (workflow: StoredWorkflow, overrides: Partial<Transition.Submission> = {}) =>
  Effect.flatMap(RunStore, (runs) => Effect.map(runs.submit(submission(workflow, overrides)), ({ run }) => run.id))

const several = (workflow: StoredWorkflow, count: number, overrides: Partial<Transition.Submission> = {}) =>
  Effect.forEach(Array.from({ length: count }), () => send(workflow, overrides))

/** What several workers claim at the same time. */
const together = (workers: number, limit = 10) =>
  Effect.map(
    Effect.all(
      Array.from({ length: workers }, () => claim(limit)),
      { concurrency: "unbounded" }
    ),
    (all) => all.flat()
  )

const stateOf = (caller: Caller, id: Parameters<RunStore["Service"]["get"]>[1]) =>
  Effect.flatMap(RunStore, (runs) =>
    Effect.map(runs.get(caller.workspaceId, id), ({ run }) => [run.status, run.errors[0]?.code ?? null])
  )

const reap = Effect.flatMap(RunStore, (runs) => runs.reap(100, Transition.reap))

/** The ports that the promises are about. */
export type { Stores }

/** What every implementation promises. */
export const promises: ReadonlyArray<Contract.ContractPromise<Stores>> = [
  promise(
    "workers that claim together start no more a minute than allowed, each as soon as it may",
    (_, workflow, time) =>
      Effect.gen(function* () {
        const gates = yield* GateStore
        yield* setPace(workflow, { maxStartsPerMinute: 60, maxRunning: null })
        yield* several(workflow, 8)
        const starts: Array<number> = []
        for (let at = 0; starts.length < 8; ) {
          const started = yield* together(3)
          starts.push(...started.map(() => at))
          assert.lengthOf(started, 1)
          assert.lengthOf(yield* claim(), 0)
          const due = yield* gates.nextDue(at)
          if (starts.length === 8) break
          assert.strictEqual(started[0]?.pacedUntil, due)
          yield* time.set((due ?? 0) - 1)
          assert.lengthOf(yield* claim(), 0)
          at = due ?? 0
          yield* time.set(at)
        }
        assert.deepStrictEqual(starts.slice(0, 3), [0, 755, 1_760])
      })
  ),
  promise("no more runs are in progress than allowed, and the end of one lets the next start", (caller, workflow) =>
    Effect.gen(function* () {
      const runs = yield* RunStore
      yield* setPace(workflow, { maxStartsPerMinute: null, maxRunning: 2 })
      const all = yield* several(workflow, 6)
      const [first, second, ...others] = yield* together(4)
      assert.lengthOf(others, 0)
      assert.lengthOf(yield* together(2), 0)
      yield* finish(first)
      const [third, ...more] = yield* together(3)
      assert.lengthOf(more, 0)
      assert.lengthOf(yield* claim(), 0)
      // A run that is tried again is not in progress meanwhile.
      const retry = { times: null, delayMillis: 60_000 }
      yield* settle(second, { _tag: "Failed", data: {}, errors: [], retry })
      assert.lengthOf(yield* together(2), 1)
      if (third === undefined) throw new Error("Nothing was claimed")
      yield* runs.changeAll(
        caller.workspaceId,
        [third.run.id],
        (locked, at) => ({ change: Result.getOrThrow(Transition.interrupt(locked, at)) }),
        { dryRun: false }
      )
      assert.deepStrictEqual(ids(yield* together(2)), all.slice(4, 5))
    })
  ),
  promise("a paced workflow leaves its share of a claim to others", (caller, workflow) =>
    Effect.gen(function* () {
      const other = yield* makeWorkflow(caller)
      yield* setPace(workflow, { maxStartsPerMinute: 600, maxRunning: null })
      yield* several(workflow, 6)
      yield* several(other, 9)
      const started = yield* claim(10)
      const ofOther = started.filter(({ run }) => run.workflowId === other.workflow.id)
      assert.deepStrictEqual([started.length, ofOther.length], [10, 7])
      // The one that may start none does not hide the other either.
      assert.deepStrictEqual(
        (yield* claim(1)).map(({ run }) => run.workflowId),
        [other.workflow.id]
      )
    })
  ),
  promise("runs that need credentials and runs that were released keep to the pace", (caller, workflow) =>
    Effect.gen(function* () {
      const runs = yield* RunStore
      yield* makeEntry(caller, "shared", { allow_multiple_sessions: true, max_concurrency: 5 })
      yield* setPace(workflow, { maxStartsPerMinute: null, maxRunning: 2 })
      yield* several(workflow, 4, { credentials: [naming("shared")] })
      assert.lengthOf(yield* together(3), 2)
      const held = yield* makeWorkflow(caller)
      yield* setPace(held, { maxStartsPerMinute: 1, maxRunning: null })
      yield* hold(held)
      const all = yield* several(held, 3)
      yield* runs.changeAll(
        caller.workspaceId,
        all,
        (locked, at) => Transition.release(locked, { at, by: caller.userId }, false),
        { dryRun: false }
      )
      assert.deepStrictEqual(ids(yield* together(3)), all.slice(0, 1))
    })
  ),
  promise("a new pace is in force at once, and without one all runs may start", (_, workflow) =>
    Effect.gen(function* () {
      yield* setPace(workflow, { maxStartsPerMinute: 1, maxRunning: null })
      yield* several(workflow, 6)
      assert.lengthOf(yield* claim(), 1)
      assert.lengthOf(yield* claim(), 0)
      yield* setPace(workflow, { maxStartsPerMinute: null, maxRunning: 3 })
      assert.lengthOf(yield* claim(), 2)
      assert.lengthOf(yield* claim(), 0)
      yield* setPace(workflow, null)
      assert.lengthOf(yield* claim(), 3)
    })
  ),
  promise("a higher priority starts first, and of equal ones the earlier submission", (caller, workflow) =>
    Effect.gen(function* () {
      const sent = yield* Effect.forEach([0, -10, 10, 0, 10], (priority) => send(workflow, { priority }))
      const order = [2, 4, 0, 3, 1].map((index) => sent[index])
      const started = [...(yield* claim(2)), ...(yield* claim(2)), ...(yield* claim(2))]
      assert.deepStrictEqual(ids(started), order)
      yield* makeEntry(caller, "one")
      const credentials = [naming("one")]
      const named = yield* Effect.forEach([-1, 3, 1], (priority) => send(workflow, { priority, credentials }))
      const inTurn: Array<string | undefined> = []
      for (const _ of named) {
        const [one] = yield* claim(5)
        if (one !== undefined) inTurn.push(one.run.id)
        yield* finish(one)
      }
      assert.deepStrictEqual(
        inTurn,
        [1, 2, 0].map((index) => named[index])
      )
    })
  ),
  promise(
    "its queue is counted from one of its runs, with what has started and how long runs took",
    (caller, workflow, time) =>
      Effect.gen(function* () {
        const gates = yield* GateStore
        const { id } = workflow.workflow
        assert.deepStrictEqual(yield* gates.paced(caller.workspaceId, undefined, 5), [])
        yield* setPace(workflow, { maxStartsPerMinute: 60, maxRunning: 3 })
        const all = yield* Effect.forEach([0, 0, 1, 0, 0], (priority) => send(workflow, { priority }))
        const empty = {
          waiting: 5,
          atLeast: false,
          ahead: 0,
          running: 0,
          takenUntil: 0,
          durationMillis: null,
          deadlines: []
        }
        assert.deepStrictEqual(yield* gates.queue(id), empty)
        const started = yield* claim()
        assert.deepStrictEqual(ids(started), all.slice(2, 3))
        yield* time.set(500)
        yield* finish(started[0])
        yield* time.set(1_000)
        yield* claim()
        assert.deepStrictEqual(yield* gates.queue(id, all[4]), {
          waiting: 3,
          atLeast: false,
          ahead: 2,
          running: 1,
          takenUntil: 2_010,
          durationMillis: 500,
          deadlines: []
        })
        yield* send(workflow, { startBy: 9_000, priority: 2 })
        yield* send(workflow, { startBy: 7_000 })
        const { deadlines } = yield* gates.queue(id)
        assert.deepStrictEqual(deadlines, [
          { place: 1, at: 9_000 },
          { place: 5, at: 7_000 }
        ])
        const other = yield* makeWorkflow(caller)
        for (const [asked, found] of [
          [undefined, [id]],
          [[id], [id]],
          [[other.workflow.id], []]
        ] as const) {
          const paced = yield* gates.paced(caller.workspaceId, asked, 5)
          assert.deepStrictEqual(
            paced.map(({ workflowId }) => workflowId),
            [...found]
          )
        }
        yield* setPace(other, { maxStartsPerMinute: null, maxRunning: 1 })
        const found = yield* gates.paced(caller.workspaceId, undefined, 5)
        assert.deepStrictEqual(
          found.map(({ gate, workflowId }) => [workflowId, gate.pace]),
          [[id, { maxStartsPerMinute: 60, maxRunning: 3 }]]
        )
        yield* several(other, 2)
        assert.lengthOf(yield* gates.paced(caller.workspaceId, undefined, 5), 2)
        assert.lengthOf(yield* gates.paced(caller.workspaceId, undefined, 1), 1)
        const stranger = yield* makeWorkspace()
        assert.deepStrictEqual(yield* gates.paced(stranger.workspaceId, undefined, 5), [])
        assert.deepInclude(yield* gates.queue(other.workflow.id), { waiting: 2, ahead: 0, running: 0 })
      })
  ),
  promise(
    "a run that has not started in time fails with its code, held or not, and is never started",
    (caller, workflow, time) =>
      Effect.gen(function* () {
        const runs = yield* RunStore
        const held = yield* makeWorkflow(caller)
        yield* hold(held)
        const late = yield* send(workflow, { startBy: 1_000 })
        const ofHeld = yield* send(held, { startBy: 1_000 })
        const named = yield* send(workflow, { startBy: 1_000, credentials: [naming("none")] })
        const inTime = yield* send(workflow, { startBy: 1_001, priority: -1 })
        assert.strictEqual(yield* runs.nextDue(0), 1_000)
        assert.deepStrictEqual(yield* reap, [])
        yield* time.set(1_000)
        const started = yield* claim()
        assert.deepStrictEqual(ids(started), [inTime])
        assert.lengthOf(yield* reap, 3)
        for (const id of [late, ofHeld, named]) {
          assert.deepStrictEqual(yield* stateOf(caller, id), ["execution.failed", "EXPIRED-E0002"])
        }
        // A run that has started once is on time, however often it is tried again.
        const retry = { times: null, delayMillis: 60_000 }
        yield* settle(started[0], { _tag: "Failed", data: {}, errors: [], retry })
        assert.deepStrictEqual(yield* reap, [])
        yield* time.set(61_000)
        assert.deepStrictEqual(ids(yield* claim()), [inTime])
      })
  )
]
