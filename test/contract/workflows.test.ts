import { randomBytes } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Effect, type Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import { GateStore } from "../../core/gate/GateStore.ts"
import { RunStore } from "../../core/run/RunStore.ts"
import * as Transition from "../../core/run/Transition.ts"
import * as FieldLimit from "../../core/workflow/FieldLimit.ts"
import { NameShared, WorkflowExists } from "../../core/workflow/Workflow.ts"
import { type StoredWorkflow, WorkflowStore } from "../../core/workflow/WorkflowStore.ts"
import { WorkflowNotFound } from "../../core/workspace/Ids.ts"
import type { Caller } from "../../core/workspace/Workspace.ts"
import type { WorkspaceStore } from "../../core/workspace/WorkspaceStore.ts"
import * as ComponentContract from "../kit/contracts/workflow/ComponentContract.ts"
import * as databases from "../support/databases.ts"
import { makeWorkflow, makeWorkspace, stored, submission } from "../support/fixtures.ts"
import { isAll } from "../support/scale.ts"

type Stores = ComponentContract.Stores | GateStore | RunStore | WorkflowStore | WorkspaceStore

const claim = { worker: "w", limit: 10, leaseMillis: 30_000 }
const any = () => Result.void

const named = (caller: Caller, name: string, folder?: string): StoredWorkflow => {
  const made = stored(caller)
  const settings = folder === undefined ? {} : { folder_path: folder }
  return {
    ...made,
    workflow: { ...made.workflow, name },
    version: { ...made.version, content: { ...made.version.content, settings } }
  }
}

const suite = <E, R>(name: string, layer: Layer.Layer<Stores | R, E>, empty: Effect.Effect<unknown, never, R>) =>
  it.layer(layer)(`the stores of workflows and components (${name})`, (it) => {
    const promise = <A, F>(title: string, test: () => Effect.Effect<A, F, Stores>) =>
      it.effect(title, () => Effect.andThen(empty, test()))

    promise("know nothing more of a deleted workflow, but keep its runs", () =>
      Effect.gen(function* () {
        const [gates, runs, workflows] = [yield* GateStore, yield* RunStore, yield* WorkflowStore]
        const caller = yield* makeWorkspace()
        const made = yield* makeWorkflow(caller)
        const id = made.workflow.id
        const [running, waiting] = [submission(made), submission(made)]
        yield* runs.submit(running)
        const [claimed] = yield* runs.claim({ ...claim, limit: 1 })
        yield* runs.submit(waiting)
        assert.instanceOf(
          yield* Effect.flip(workflows.remove((yield* makeWorkspace()).workspaceId, id)),
          WorkflowNotFound
        )
        yield* TestClock.setTime(1_000)
        yield* workflows.remove(caller.workspaceId, id)

        const gone: ReadonlyArray<Effect.Effect<unknown, { readonly _tag: string }>> = [
          workflows.get(caller.workspaceId, id),
          workflows.version(caller.workspaceId, id, 1),
          workflows.versions(caller.workspaceId, id),
          workflows.remove(caller.workspaceId, id),
          workflows.save(caller.workspaceId, id, (before) => Result.succeed(before), any),
          gates.get(caller.workspaceId, id),
          gates.change(caller.workspaceId, id, (gate) => Result.succeed(gate)),
          runs.submit(submission(made))
        ]
        for (const one of gone) assert.instanceOf(yield* Effect.flip(one), WorkflowNotFound)
        assert.deepStrictEqual(yield* workflows.list(caller.workspaceId), [])

        assert.deepStrictEqual(yield* runs.claim(claim), [])
        assert.strictEqual(yield* runs.nextDue(1_000), 1_000)
        const stopped = yield* runs.reap(10, Transition.reap)
        assert.deepStrictEqual(
          stopped.map((run) => [run.id, run.status, run.errors[0]?.code]),
          [[waiting.id, "execution.stopped", "WORKFLOW_DELETED"]]
        )
        const fence = claimed?.run.lease?.fence ?? 0
        yield* runs.settle({ id: running.id, fence }, (locked, at) =>
          Transition.finish(locked, { _tag: "Success", data: {} }, at)
        )
        assert.strictEqual((yield* runs.get(caller.workspaceId, running.id)).run.status, "execution.success")
        assert.isNull(yield* runs.nextDue(1_000))
        assert.lengthOf((yield* runs.list(caller.workspaceId, { limit: 10, workflowIds: [id] })).runs, 2)
      })
    )

    promise("stop a run of a deleted workflow that its worker gave back", () =>
      Effect.gen(function* () {
        const [runs, workflows] = [yield* RunStore, yield* WorkflowStore]
        const caller = yield* makeWorkspace()
        const made = yield* makeWorkflow(caller)
        const sent = submission(made)
        yield* runs.submit(sent)
        const [claimed] = yield* runs.claim(claim)
        const fence = claimed?.run.lease?.fence ?? 0
        yield* workflows.remove(caller.workspaceId, made.workflow.id)
        const reap = runs.reap(10, Transition.reap)
        assert.deepStrictEqual(yield* reap, [])
        yield* runs.settle({ id: sent.id, fence }, Transition.abandon)
        assert.deepStrictEqual(yield* runs.claim(claim), [])
        assert.deepStrictEqual(
          (yield* reap).map((run) => run.status),
          ["execution.stopped"]
        )
      })
    )

    promise("create a workflow under an id once, and under a name and folder once where that is asked", () =>
      Effect.gen(function* () {
        const workflows = yield* WorkflowStore
        const caller = yield* makeWorkspace()
        const made = yield* makeWorkflow(caller)
        const again = yield* Effect.flip(workflows.create(made, any))
        assert.deepStrictEqual(again, new WorkflowExists({ workflowId: made.workflow.id }))

        const once = { uniquelyNamed: true }
        const results = yield* Effect.all(
          Array.from({ length: 6 }, () => Effect.result(workflows.create(named(caller, "Same", "a/b"), any, once))),
          { concurrency: "unbounded" }
        )
        assert.lengthOf(results.filter(Result.isSuccess), 1)
        const [first] = (yield* workflows.list(caller.workspaceId)).filter(({ workflow }) => workflow.name === "Same")
        assert.deepStrictEqual(first?.settings, { folder_path: "a/b" })
        for (const result of results.filter(Result.isFailure)) {
          assert.deepStrictEqual(result.failure, new WorkflowExists({ workflowId: first?.workflow.id as never }))
        }
        yield* workflows.create(named(caller, "Same"), any, once)
        yield* workflows.create(named(caller, "Same", "a"), any, once)
        const second = named(caller, "Same", "a/b")
        yield* workflows.create(second, any)
        const shared = yield* Effect.flip(workflows.create(named(caller, "Same", "a/b"), any, once))
        assert.instanceOf(shared, NameShared)
        assert.sameMembers([...shared.workflowIds], [first?.workflow.id as never, second.workflow.id])
        yield* workflows.create(named(yield* makeWorkspace(), "Same", "a/b"), any, once)
        yield* workflows.remove(caller.workspaceId, made.workflow.id)
        assert.instanceOf(yield* Effect.flip(workflows.create(made, any)), WorkflowExists)
      })
    )

    promise("give back a run's added output as it was sent", () =>
      Effect.gen(function* () {
        const runs = yield* RunStore
        const made = yield* makeWorkflow(yield* makeWorkspace())
        for (const options of [
          { dryRun: { enabled: true, addToOutput: { a: [1, "\u0000", null] } }, debug: true },
          { dryRun: { enabled: false } },
          {}
        ]) {
          const sent = submission(made, { options })
          yield* runs.submit(sent)
          assert.deepStrictEqual((yield* runs.get(sent.workspaceId, sent.id)).run.options, options)
        }
      })
    )

    for (const { keeps, title } of ComponentContract.promises) it.effect(title, () => Effect.andThen(empty, keeps))
  })

suite("memory", ...databases.memory)
if (isAll) suite("embedded", ...databases.embedded)
suite("PostgreSQL", ...databases.postgres)

it.layer(databases.postgres[0])("sizes in PostgreSQL", (it) => {
  const withNodes = (caller: Caller, nodes: string): StoredWorkflow => {
    const made = stored(caller)
    return { ...made, version: { ...made.version, content: { ...made.version.content, nodes: [nodes] } } }
  }
  const judge = (sizes: Parameters<typeof FieldLimit.overBytes>[0]) => FieldLimit.refuse(FieldLimit.overBytes(sizes))

  it.effect("are those of the text as it is compressed: 3 MB that shrink are kept", () =>
    Effect.gen(function* () {
      const workflows = yield* WorkflowStore
      const caller = yield* makeWorkspace()
      const made = withNodes(caller, "click the button, ".repeat(180_000))
      yield* workflows.create(made, judge)
      const kept = yield* workflows.get(caller.workspaceId, made.workflow.id)
      assert.deepStrictEqual(kept.version.content.nodes, made.version.content.nodes)
    })
  )

  it.effect("refuse 2 MB that do not shrink, and say which field is over which limit", () =>
    Effect.gen(function* () {
      const workflows = yield* WorkflowStore
      const caller = yield* makeWorkspace()
      const made = withNodes(caller, randomBytes(1_700_000).toString("base64"))
      const refused = yield* Effect.flip(workflows.create(made, judge))
      assert.instanceOf(refused, FieldLimit.FieldsTooLarge)
      assert.deepInclude((refused as FieldLimit.FieldsTooLarge).fields[0], {
        code: "WORKFLOW_NODES_TOO_LARGE",
        field: "nodes",
        limit_bytes: 2_097_152
      })
      assert.deepStrictEqual(yield* workflows.list(caller.workspaceId), [])
    })
  )

  it.effect("of an added output count as it is compressed", () =>
    Effect.gen(function* () {
      const runs = yield* RunStore
      const made = yield* makeWorkflow(yield* makeWorkspace())
      const sent = submission(made, { options: { dryRun: { enabled: true, addToOutput: "y".repeat(20_000) } } })
      yield* runs.submit(sent)
      assert.deepStrictEqual((yield* runs.get(sent.workspaceId, sent.id)).run.options, sent.options)
    })
  )
})
