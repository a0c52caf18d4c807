/**
 * The promises of every store of starts: `StartLedger`, on the data of the stores of runs, gates, audit and retention.
 *
 * They expect stores without runs that wait: give each promise new stores, or empty them before.
 */
import { Clock, Effect, Result } from "effect"
import * as Gate from "../../../../core/gate/Gate.ts"
import * as GateAudit from "../../../../core/gate/GateAudit.ts"
import { GateStore } from "../../../../core/gate/GateStore.ts"
import { RunStore } from "../../../../core/run/RunStore.ts"
import { RetentionStore } from "../../../../core/run/retention/RetentionStore.ts"
import { reasonOf } from "../../../../core/run/start/Start.ts"
import { judge, judgeAll, StartLedger } from "../../../../core/run/start/StartLedger.ts"
import * as Transition from "../../../../core/run/Transition.ts"
import type { ValidRunWindow } from "../../../../core/window/RunWindow.ts"
import type { StoredWorkflow, WorkflowStore } from "../../../../core/workflow/WorkflowStore.ts"
import { Audit } from "../../../../core/workspace/audit/Audit.ts"
import type { RunId } from "../../../../core/workspace/Ids.ts"
import type { Caller } from "../../../../core/workspace/Workspace.ts"
import type { WorkspaceStore } from "../../../../core/workspace/WorkspaceStore.ts"
import * as SteppingClock from "../../clocks/SteppingClock.ts"
import * as assert from "../Assertions.ts"
import * as Contract from "../Contract.ts"
import { daily, makeWorkflow, makeWorkspace, submission } from "../Fixtures.ts"

/** The ports that the promises are about. */
export type Stores = Audit | GateStore | RetentionStore | RunStore | StartLedger | WorkflowStore | WorkspaceStore

/** All instants there are, as a range of starts. */
export const always = { from: 0, to: Number.MAX_SAFE_INTEGER / 2 }

/** Changes the gate of a workflow, and keeps an entry of it in the audit trail. */
export const change = Effect.fnUntraced(function* (
  caller: Caller,
  { workflow }: StoredWorkflow,
  decide: (gate: Gate.Gate, actor: Gate.Actor) => Gate.Gate
) {
  const [audit, gates] = [yield* Audit, yield* GateStore]
  yield* audit.recording(
    caller,
    gates.change(caller.workspaceId, workflow.id, (gate, at) =>
      Result.succeed(decide(gate, { at, by: caller.userId }))
    ),
    (changed) => [...GateAudit.ofWindow(workflow.id)(changed), ...GateAudit.ofLift(workflow.id)(changed)]
  )
})

/** Gives a workflow a window, as `change` takes it. */
export const set = (window: ValidRunWindow) => (gate: Gate.Gate, actor: Gate.Actor) =>
  Gate.setWindow(gate, window, actor)

/** Submits a run, does something with it, starts it, and answers its starts. */
export const startOne = Effect.fnUntraced(function* <R = never>(
  workflow: StoredWorkflow,
  before: (id: RunId) => Effect.Effect<unknown, unknown, R> = () => Effect.void
) {
  const [runs, ledger] = [yield* RunStore, yield* StartLedger]
  const { run } = yield* runs.submit(submission(workflow))
  yield* Effect.orDie(before(run.id))
  const claimed = yield* runs.claim({ worker: "w", limit: 1, leaseMillis: 60_000 })
  assert.deepStrictEqual(
    claimed.map(({ run: { id } }) => id),
    [run.id]
  )
  return yield* ledger.ofRun(run.workspaceId, run.id)
})

/** The time of every promise, and windows that are closed and open then. */
const now = Date.parse("2026-01-12T10:00:00Z")
const [closed, open] = [daily(18, 19), daily(0, 23)]

const promise = <A, E>(title: string, test: () => Effect.Effect<A, E, Stores>) =>
  Contract.promise(
    `the ledger of starts ${title}`,
    Effect.suspend(() => Effect.provideService(test(), Clock.Clock, SteppingClock.make(now).clock))
  )

/** What every implementation promises. */
export const promises: ReadonlyArray<Contract.ContractPromise<Stores>> = [
  promise("says for each start what let it start, and holds when it is judged", () =>
    Effect.gen(function* () {
      const [gates, runs] = [yield* GateStore, yield* RunStore]
      const caller = yield* makeWorkspace()
      const workflow = yield* makeWorkflow(caller)
      const [free] = yield* startOne(workflow)
      yield* change(caller, workflow, set(open))
      const [opened] = yield* startOne(workflow)
      yield* change(caller, workflow, set(closed))
      yield* change(caller, workflow, (gate, actor) => Result.getOrThrow(Gate.liftWindow(gate, actor)))
      const [lifted] = yield* startOne(workflow)
      yield* change(caller, workflow, Gate.removeWindow)
      const [removed] = yield* startOne(workflow)
      yield* change(caller, workflow, set(closed))
      const release = (locked: Parameters<typeof Transition.release>[0], at: number) =>
        Transition.release(locked, { at, by: caller.userId }, false)
      const [released] = yield* startOne(workflow, (run) =>
        runs.changeAll(caller.workspaceId, [run], release, { dryRun: false })
      )
      const starts = [free, opened, lifted, removed, released].flatMap((start) => start ?? [])
      assert.deepStrictEqual(starts.map(reasonOf), [
        "no_run_window",
        "run_window_open",
        "lift",
        "no_run_window",
        "release"
      ])
      assert.deepStrictEqual(
        starts.map(({ at, attempt, windowRevision, worker }) => [at, attempt, windowRevision, worker]),
        [0, 1, 2, 3, 4].map((revision) => [now, 1, revision, "w"])
      )
      assert.strictEqual(lifted?.lift?.by, caller.userId)
      // They name one version of the time zone data: that which decided.
      assert.strictEqual(new Set(starts.map(({ zoneData }) => zoneData)).size, 1)
      assert.notStrictEqual(opened?.zoneData, "")
      assert.deepStrictEqual(
        (yield* judge(caller.workspaceId, starts)).flatMap(({ problems }) => problems),
        []
      )
      const page = (before: number, limit: number) =>
        Effect.map(gates.windows(caller.workspaceId, workflow.workflow.id, { before, limit }), (all) =>
          all.map(({ revision, setBy, window }) => [revision, setBy, window])
        )
      assert.deepStrictEqual(yield* page(1_000, 3), [
        [4, caller.userId, closed],
        [3, caller.userId, null],
        [2, caller.userId, closed]
      ])
      assert.deepStrictEqual(yield* page(2, 3), [[1, caller.userId, open]])
    })
  ),
  promise("is read page by page by its own workspace, and misses a start that was taken out", () =>
    Effect.gen(function* () {
      const [ledger, parts] = [yield* StartLedger, yield* RetentionStore]
      const caller = yield* makeWorkspace()
      const { workspaceId } = caller
      const workflow = yield* makeWorkflow(caller)
      const starts = [...(yield* startOne(workflow)), ...(yield* startOne(workflow)), ...(yield* startOne(workflow))]
      const first = yield* ledger.page(workspaceId, { ...always, after: null, limit: 2 })
      const rest = yield* ledger.page(workspaceId, { ...always, after: first[1] ?? null, limit: 2 })
      const runsOf = (all: typeof starts) => all.map(({ runId }) => runId).toSorted()
      assert.deepStrictEqual([first.length, rest.length], [2, 1])
      assert.deepStrictEqual(runsOf([...first, ...rest]), runsOf(starts))
      assert.deepStrictEqual(yield* ledger.page(workspaceId, { from: 0, to: now, after: null, limit: 2 }), [])
      assert.deepStrictEqual(yield* judgeAll(workspaceId, always), { starts: 3, wrong: 0, examples: [], missing: [] })
      const stranger = yield* makeWorkspace()
      const [id] = runsOf(starts)
      if (id === undefined) throw new Error("Nothing has started")
      assert.deepStrictEqual(yield* ledger.ofRun(stranger.workspaceId, id), [])
      assert.strictEqual((yield* judgeAll(stranger.workspaceId, always)).starts, 0)
      // A start that retention removed is missed until its run is known to be passed.
      yield* (yield* RunStore).change(workspaceId, id, Transition.interrupt)
      assert.strictEqual(yield* parts.remove("starts", [id]), 1)
      assert.deepStrictEqual((yield* judgeAll(workspaceId, always)).missing, [id])
      yield* parts.passed(workspaceId, "starts", id)
      assert.deepStrictEqual((yield* judgeAll(workspaceId, always)).missing, [])
    })
  )
]
