/**
 * The promises of every store of runs and named limits about runs that draw on limits: `RunStore` and `NamedLimitStore`, on
 * the data of the stores of workflows, gates and the vault.
 *
 * Each promise makes a new workspace and has its own clock, which begins at the epoch. It expects stores without runs that
 * wait: give each promise new stores, or empty them before it.
 */
import { Effect, Result } from "effect"
import * as Gate from "../../../../core/gate/Gate.ts"
import { GateStore } from "../../../../core/gate/GateStore.ts"
import { type NamedLimit, NamedLimitStore } from "../../../../core/run/limit/NamedLimit.ts"
import { type ClaimedRun, RunStore } from "../../../../core/run/RunStore.ts"
import * as Transition from "../../../../core/run/Transition.ts"
import type { StoredWorkflow } from "../../../../core/workflow/WorkflowStore.ts"
import type { Caller } from "../../../../core/workspace/Workspace.ts"
import type * as SteppingClock from "../../clocks/SteppingClock.ts"
import * as assert from "../Assertions.ts"
import type * as Contract from "../Contract.ts"
import { beside, daily, makeWorkflow, makeWorkspace, submission } from "../Fixtures.ts"
import * as CredentialRuns from "./CredentialRuns.ts"
import { claim, finish, ids, makeEntry, naming, settle } from "./CredentialRuns.ts"

/** The ports that the promises are about. */
export type Stores = CredentialRuns.Stores | NamedLimitStore

const promise = <A, E>(
  title: string,
  test: (caller: Caller, workflow: StoredWorkflow, time: SteppingClock.SteppingClock) => Effect.Effect<A, E, Stores>
): Contract.ContractPromise<Stores> => CredentialRuns.promise<A, E, NamedLimitStore>(title, test)

/** A limit of a workspace, which nothing draws on but by these fields. */
export const limitOf = (caller: Caller, fields: Partial<NamedLimit>): NamedLimit => {
  const id = beside(caller.workspaceId)
  return {
    id,
    name: id,
    maxRunning: null,
    maxStartsPerMinute: null,
    workflowIds: [],
    credentialIds: [],
    tags: [],
    pause: null,
    override: null,
    createdAt: 0,
    createdBy: caller.userId,
    updatedAt: 0,
    ...fields
  }
}

const makeLimit = Effect.fnUntraced(function* (caller: Caller, fields: Partial<NamedLimit>) {
  const limit = limitOf(caller, fields)
  yield* (yield* NamedLimitStore).insert(caller.workspaceId, limit)
  return limit
})

const edit = ({ workspaceId }: Caller, { id }: NamedLimit, fields: Partial<NamedLimit>) =>
  Effect.flatMap(NamedLimitStore, (limits) =>
    limits.change(workspaceId, id, (before) => Result.succeed({ ...before, ...fields }))
  )

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

const awaited = (caller: Caller, id: Parameters<RunStore["Service"]["awaited"]>[1]) =>
  Effect.flatMap(RunStore, (runs) => runs.awaited(caller.workspaceId, id))

/** How many runs of a workspace are listed by a hold, and what the list says of their holds. */
const listed = (caller: Caller, hold: "credential" | "limit" | "capacity") =>
  Effect.flatMap(RunStore, (runs) =>
    Effect.map(runs.list(caller.workspaceId, { holds: [hold], limit: 100 }), (page) =>
      page.runs.map(({ holds, id }) => [id, ...holds])
    )
  )

const of =
  ({ workflow }: StoredWorkflow) =>
  (claimed: ReadonlyArray<ClaimedRun>) =>
    claimed.filter(({ run }) => run.workflowId === workflow.id).length

const tagged = (tag: string) => ({ tags: [tag] })

/** What every implementation promises. */
export const promises: ReadonlyArray<Contract.ContractPromise<Stores>> = [
  promise("no more runs than a limit allows are in progress, whatever their workflows are", (caller, workflow) =>
    Effect.gen(function* () {
      const other = yield* makeWorkflow(caller)
      const free = yield* makeWorkflow(caller)
      yield* makeLimit(caller, { maxRunning: 3, workflowIds: [workflow.workflow.id, other.workflow.id] })
      yield* several(workflow, 6)
      yield* several(other, 6)
      yield* several(free, 4)
      const started = yield* together(4)
      assert.strictEqual(of(workflow)(started) + of(other)(started), 3)
      assert.strictEqual(of(free)(started), 4)
      assert.lengthOf(yield* together(2), 0)
      yield* finish(started.find(({ run }) => run.workflowId !== free.workflow.id))
      const next = yield* together(3)
      assert.lengthOf(next, 1)
      // A run that is tried again is not in progress meanwhile.
      yield* settle(next[0], { _tag: "Failed", data: {}, errors: [], retry: { times: null, delayMillis: 60_000 } })
      assert.lengthOf(yield* together(2), 1)
    })
  ),
  promise("the workflows that share a limit take turns", (caller, workflow, time) =>
    Effect.gen(function* () {
      const others = [yield* makeWorkflow(caller), yield* makeWorkflow(caller)]
      const all = [workflow, ...others]
      yield* makeLimit(caller, { maxRunning: 1, workflowIds: all.map((one) => one.workflow.id) })
      for (const one of all) yield* several(one, 3)
      const served: Array<string> = []
      for (let turn = 0; turn < 6; turn++) {
        yield* time.set(turn)
        const [started, ...more] = yield* claim()
        assert.lengthOf(more, 0)
        served.push(started?.run.workflowId ?? "none")
        yield* finish(started)
      }
      assert.lengthOf([...new Set(served.slice(0, 3))], 3)
      assert.lengthOf([...new Set(served.slice(3))], 3)
    })
  ),
  promise("a limit starts no more a minute than it allows, each as soon as it may", (caller, workflow, time) =>
    Effect.gen(function* () {
      const gates = yield* GateStore
      const other = yield* makeWorkflow(caller)
      yield* makeLimit(caller, { maxStartsPerMinute: 60, workflowIds: [workflow.workflow.id, other.workflow.id] })
      yield* several(workflow, 2)
      yield* several(other, 2)
      const starts: Array<number> = []
      for (let at = 0; starts.length < 4; ) {
        const started = yield* together(3)
        starts.push(...started.map(() => at))
        if (starts.length === 4) break
        assert.lengthOf(yield* claim(), 0)
        const due = yield* gates.nextDue(at)
        assert.isTrue(due !== null && due > at)
        at = due ?? 0
        yield* time.set(at)
      }
      assert.deepStrictEqual(starts.slice(0, 3), [0, 755, 1_760])
    })
  ),
  promise("runs draw on a limit by a tag, and those behind them that do not are started", (caller, workflow) =>
    Effect.gen(function* () {
      const limit = yield* makeLimit(caller, { maxRunning: 2, tags: ["portal"] })
      const named = yield* several(workflow, 150, tagged("portal"))
      const others = yield* several(workflow, 2, tagged("another"))
      assert.deepStrictEqual(ids(yield* claim(4)), [...named.slice(0, 2), ...others])
      assert.lengthOf(yield* claim(4), 0)
      const late = yield* send(workflow)
      assert.deepStrictEqual(ids(yield* claim(4)), [late])
      assert.deepInclude(yield* awaited(caller, named[2] ?? late), { limit: limit.name })
      assert.isNull(yield* awaited(caller, late))
    })
  ),
  promise(
    "runs draw on a limit by the credential that they are given, and take another of a pool",
    (caller, workflow) =>
      Effect.gen(function* () {
        const fields = { allow_multiple_sessions: true, max_concurrency: 9 }
        const one = yield* makeEntry(caller, "one", fields)
        yield* makeEntry(caller, "two", fields)
        const limit = yield* makeLimit(caller, { maxRunning: 1, credentialIds: [one.id] })
        const alone = yield* several(workflow, 3, { credentials: [naming("one")] })
        const pooled = yield* several(workflow, 2, { credentials: [naming(["one", "two"])] })
        const started = yield* together(3)
        assert.lengthOf(started, 3)
        assert.includeMembers(ids(started), [...alone.slice(0, 1), ...pooled])
        const [, waiting] = alone
        if (waiting === undefined) throw new Error("Nothing was submitted")
        assert.deepStrictEqual(yield* awaited(caller, waiting), { limit: limit.name, until: null })
        assert.deepStrictEqual(
          yield* listed(caller, "limit"),
          alone
            .slice(1)
            .toReversed()
            .map((id) => [id, "limit"])
        )
        yield* finish(started.find(({ run }) => run.id === alone[0]))
        assert.deepStrictEqual(ids(yield* together(2)), alone.slice(1, 2))
      })
  ),
  promise(
    "a limit counts the runs that started before it, and one that is raised lets others start",
    (caller, workflow) =>
      Effect.gen(function* () {
        yield* several(workflow, 5)
        assert.lengthOf(yield* claim(2), 2)
        const limit = yield* makeLimit(caller, { maxRunning: 2, workflowIds: [workflow.workflow.id] })
        assert.lengthOf(yield* together(2), 0)
        yield* edit(caller, limit, { maxRunning: 3 })
        assert.lengthOf(yield* together(2), 1)
        const [used] = yield* (yield* NamedLimitStore).used(caller.workspaceId, limit.id)
        assert.strictEqual(used?.running, 3)
        yield* (yield* NamedLimitStore).remove(caller.workspaceId, limit.id)
        assert.lengthOf(yield* together(2), 2)
      })
  ),
  promise("a paused limit starts nothing until it is resumed, and says so", (caller, workflow) =>
    Effect.gen(function* () {
      const pause = { since: 0, by: caller.userId, reason: "Maintenance" }
      const limit = yield* makeLimit(caller, { maxRunning: 5, workflowIds: [workflow.workflow.id], pause })
      const [first, second] = yield* several(workflow, 2)
      const free = yield* send(yield* makeWorkflow(caller))
      assert.deepStrictEqual(ids(yield* claim()), [free])
      assert.lengthOf(yield* claim(), 0)
      if (first === undefined || second === undefined) throw new Error("Nothing was submitted")
      assert.deepStrictEqual(yield* awaited(caller, first), { limit: limit.name, until: null })
      assert.deepStrictEqual(yield* listed(caller, "limit"), [
        [second, "limit"],
        [first, "limit"]
      ])
      assert.deepStrictEqual(yield* listed(caller, "capacity"), [])
      assert.deepStrictEqual(yield* listed(caller, "credential"), [])
      yield* edit(caller, limit, { pause: null })
      assert.deepStrictEqual(yield* listed(caller, "limit"), [])
      assert.deepStrictEqual(ids(yield* claim()), [first, second])
    })
  ),
  promise("an override is in force until its end, at which claims look again", (caller, workflow, time) =>
    Effect.gen(function* () {
      const gates = yield* GateStore
      const override = { maxRunning: 1, maxStartsPerMinute: null, until: 3_000, by: caller.userId }
      yield* makeLimit(caller, { maxRunning: 3, workflowIds: [workflow.workflow.id], override })
      const [, second] = yield* several(workflow, 5)
      assert.lengthOf(yield* together(3), 1)
      assert.lengthOf(yield* claim(), 0)
      if (second === undefined) throw new Error("Nothing was submitted")
      assert.deepInclude(yield* awaited(caller, second), { until: 3_000 })
      assert.strictEqual(yield* gates.nextDue(0), 3_000)
      yield* time.set(2_999)
      assert.lengthOf(yield* claim(), 0)
      yield* time.set(3_000)
      assert.lengthOf(yield* together(3), 2)
    })
  ),
  promise("a limit holds no run of another workspace, and one of a workflow that is made later", (caller, workflow) =>
    Effect.gen(function* () {
      yield* makeLimit(caller, { maxRunning: 1, tags: ["portal"] })
      const stranger = yield* makeWorkspace()
      const foreign = yield* makeWorkflow(stranger)
      yield* several(foreign, 3, tagged("portal"))
      const later = yield* makeWorkflow(caller)
      yield* several(later, 2, tagged("portal"))
      yield* several(workflow, 2, tagged("portal"))
      const started = yield* together(3)
      assert.strictEqual(of(foreign)(started), 3)
      assert.lengthOf(started, 4)
    })
  ),
  promise("a run that is released past its window draws on limits", (caller, workflow) =>
    Effect.gen(function* () {
      const runs = yield* RunStore
      const limit = yield* makeLimit(caller, { maxRunning: 1, workflowIds: [workflow.workflow.id] })
      yield* (yield* GateStore).change(caller.workspaceId, workflow.workflow.id, (gate) =>
        Result.succeed(Gate.setWindow(gate, daily(9, 17), { at: 0, by: caller.userId }))
      )
      const all = yield* several(workflow, 3)
      yield* runs.changeAll(
        caller.workspaceId,
        all,
        (locked, at) => Transition.release(locked, { at, by: caller.userId }, false),
        { dryRun: false }
      )
      const started = yield* together(3)
      assert.deepStrictEqual(ids(started), all.slice(0, 1))
      assert.lengthOf(yield* claim(), 0)
      yield* finish(started[0])
      assert.deepStrictEqual(ids(yield* together(2)), all.slice(1, 2))
      yield* edit(caller, limit, { maxRunning: 9 })
      assert.deepStrictEqual(ids(yield* together(2)), all.slice(2))
    })
  )
]
