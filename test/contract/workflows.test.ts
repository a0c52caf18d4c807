import { randomBytes, randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Effect, type Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import { GateStore } from "../../core/gate/GateStore.ts"
import { RunStore } from "../../core/run/RunStore.ts"
import * as Transition from "../../core/run/Transition.ts"
import { ComponentId, ComponentNotFound } from "../../core/workflow/component/Component.ts"
import { type Carry, ComponentStore, type StoredComponent } from "../../core/workflow/component/ComponentStore.ts"
import * as FieldLimit from "../../core/workflow/FieldLimit.ts"
import { InvalidWorkflow, NameShared, WorkflowExists } from "../../core/workflow/Workflow.ts"
import { type StoredWorkflow, WorkflowStore } from "../../core/workflow/WorkflowStore.ts"
import { VersionId, WorkflowNotFound } from "../../core/workspace/Ids.ts"
import type { Caller } from "../../core/workspace/Workspace.ts"
import type { WorkspaceStore } from "../../core/workspace/WorkspaceStore.ts"
import * as databases from "../support/databases.ts"
import { componentData, graph, makeWorkflow, makeWorkspace, stored, submission } from "../support/fixtures.ts"

type Stores = ComponentStore | GateStore | RunStore | WorkflowStore | WorkspaceStore

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

/** A workflow whose latest version holds a component. */
const holder = (caller: Caller, component: ComponentId): StoredWorkflow => {
  const made = stored(caller)
  const [node] = componentData().nodes
  const nodes = [...graph().nodes, { ...node?.workflowNode, source_component_instance_id: component }]
  return { ...made, version: { ...made.version, content: { ...made.version.content, nodes } } }
}

const component = (caller: Caller): StoredComponent => {
  const id = ComponentId.make(randomUUID())
  const made = { createdAt: 0, createdBy: caller.userId }
  return {
    component: { id, workspaceId: caller.workspaceId, name: "Login", updatedAt: 0, ...made },
    version: { id: randomUUID(), componentId: id, versionNumber: 1, data: componentData(), versionNote: null, ...made }
  }
}

const next = (before: StoredComponent, at: number): StoredComponent => ({
  component: { ...before.component, updatedAt: at },
  version: { ...before.version, id: randomUUID(), versionNumber: before.version.versionNumber + 1, createdAt: at }
})

/** Gives a workflow a next version under another name. */
const follow =
  (name: string): Carry =>
  (before, at) =>
    Effect.succeed({
      ...before,
      workflow: { ...before.workflow, name, updatedAt: at },
      version: {
        ...before.version,
        versionId: VersionId.make(randomUUID()),
        versionNumber: before.version.versionNumber + 1,
        content: { ...before.version.content, nodes: graph().nodes }
      }
    })

const suite = <E, R>(name: string, layer: Layer.Layer<Stores | R, E>, empty: Effect.Effect<unknown, never, R>) =>
  it.layer(layer, { timeout: "60 seconds" })(`the stores of workflows and components (${name})`, (it) => {
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

    promise("number the versions of a workflow, and keep each as it was", () =>
      Effect.gen(function* () {
        const workflows = yield* WorkflowStore
        const caller = yield* makeWorkspace()
        const first = yield* makeWorkflow(caller)
        const id = first.workflow.id
        const versionId = VersionId.make(stored(caller).version.versionId)
        yield* workflows.save(
          caller.workspaceId,
          id,
          (before, at) =>
            Result.succeed({
              workflow: { ...before.workflow, name: "Renamed", updatedAt: at },
              version: {
                ...before.version,
                versionId,
                versionNumber: before.version.versionNumber + 1,
                versionNote: "second"
              },
              gate: before.gate
            }),
          () => Result.void
        )
        assert.strictEqual((yield* workflows.get(caller.workspaceId, id)).workflow.name, "Renamed")
        assert.deepStrictEqual(
          (yield* workflows.versions(caller.workspaceId, id)).map((version) => [
            version.versionNumber,
            version.versionNote
          ]),
          [
            [2, "second"],
            [1, null]
          ]
        )
        assert.deepStrictEqual((yield* workflows.version(caller.workspaceId, id, 1)).version, first.version)
        assert.instanceOf(yield* Effect.flip(workflows.version(caller.workspaceId, id, 3)), WorkflowNotFound)
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

    promise("refuse an added output that is too large however it is kept, and keep nothing of its run", () =>
      Effect.gen(function* () {
        const runs = yield* RunStore
        const made = yield* makeWorkflow(yield* makeWorkspace())
        const sent = submission(made, {
          options: { dryRun: { enabled: true, addToOutput: randomBytes(6_000).toString("base64") } }
        })
        assert.instanceOf(yield* Effect.flip(runs.submit(sent)), FieldLimit.FieldsTooLarge)
        assert.deepStrictEqual(
          (yield* runs.weigh(sent)).map(({ field }) => field),
          ["dry_run.add_to_output"]
        )
        assert.deepStrictEqual(yield* runs.weigh({ ...sent, options: {} }), [])
        assert.deepStrictEqual((yield* runs.list(sent.workspaceId, { limit: 10 })).runs, [])
      })
    )

    promise("keep components with their versions for their own workspace", () =>
      Effect.gen(function* () {
        const components = yield* ComponentStore
        const [caller, stranger] = [yield* makeWorkspace(), yield* makeWorkspace()]
        const [one, other] = [component(caller), component(caller)]
        yield* components.create(one)
        yield* components.create(other)
        const { id } = one.component
        assert.deepStrictEqual(yield* components.get(caller.workspaceId, id), one)
        assert.deepStrictEqual(yield* components.list(caller.workspaceId), [one.component, other.component])
        const renamed = yield* TestClock.setTime(5_000).pipe(
          Effect.andThen(components.rename(caller.workspaceId, id, "Sign in"))
        )
        assert.deepStrictEqual(renamed.component, { ...one.component, name: "Sign in", updatedAt: 5_000 })
        const { propagated, skipped, ...saved } = yield* components.save(
          caller.workspaceId,
          id,
          (before, at) => ({ after: next(before, at), carry: null }),
          any
        )
        assert.deepStrictEqual([propagated, skipped], [[], []])
        assert.deepStrictEqual(yield* components.get(caller.workspaceId, id), saved)
        assert.deepStrictEqual(yield* components.versions(caller.workspaceId, id), [saved.version, one.version])
        const missing = [
          components.get(stranger.workspaceId, id),
          components.versions(stranger.workspaceId, id),
          components.usage(stranger.workspaceId, id),
          components.rename(stranger.workspaceId, id, "Mine"),
          components.save(stranger.workspaceId, id, (before, at) => ({ after: next(before, at), carry: null }), any),
          components.remove(stranger.workspaceId, id, follow("x"))
        ]
        for (const one of missing) {
          assert.instanceOf(yield* Effect.flip(one as Effect.Effect<unknown, ComponentNotFound>), ComponentNotFound)
        }
        assert.deepStrictEqual(yield* components.list(stranger.workspaceId), [])
      })
    )

    promise("carry a component into each workflow that holds it, and report those that cannot follow", () =>
      Effect.gen(function* () {
        const [components, workflows] = [yield* ComponentStore, yield* WorkflowStore]
        const [caller, stranger] = [yield* makeWorkspace(), yield* makeWorkspace()]
        const one = component(caller)
        const { id } = one.component
        yield* components.create(one)
        const holders = [holder(caller, id), holder(caller, id), holder(caller, id), holder(caller, id)]
        const [follower, refusing, large, source] = holders.map(({ workflow }) => workflow.id)
        const foreign = holder(stranger, id)
        for (const each of [...holders, foreign]) yield* workflows.create(each, any)
        yield* makeWorkflow(caller)
        assert.sameMembers(
          (yield* components.usage(caller.workspaceId, id)).map((workflow) => workflow.id),
          holders.map(({ workflow }) => workflow.id)
        )
        let asked = 0
        const invalid = new InvalidWorkflow({ problems: [{ path: "nodes", message: "no" }] })
        const tooLarge = new FieldLimit.FieldsTooLarge({ fields: [{ code: "X", field: "nodes", message: "large" }] })
        const saved = yield* components.save(
          caller.workspaceId,
          id,
          (before, at) => ({
            after: next(before, at),
            carry: {
              except: source ?? null,
              to: (workflow, now) =>
                workflow.workflow.id === refusing
                  ? Effect.fail(invalid)
                  : Effect.map(follow("Carried")(workflow, now), (after) =>
                      workflow.workflow.id === large
                        ? {
                            ...after,
                            version: {
                              ...after.version,
                              content: { ...after.version.content, max_retries: 7, nodes: "x".repeat(500) }
                            }
                          }
                        : after
                    )
            }
          }),
          (sizes) => {
            asked++
            return sizes.nodes > 400 ? Result.fail(tooLarge) : Result.void
          }
        )
        assert.deepStrictEqual<ReadonlyArray<unknown>>(saved.propagated, [follower])
        assert.sameDeepMembers([...saved.skipped], [
          { workflowId: refusing, reason: invalid },
          { workflowId: large, reason: tooLarge }
        ] as never)
        assert.strictEqual(asked, 2)
        const numbers = yield* Effect.forEach(holders, ({ workflow }) =>
          Effect.map(workflows.get(caller.workspaceId, workflow.id), ({ version }) => version.versionNumber)
        )
        assert.deepStrictEqual(numbers, [2, 1, 1, 1])
        assert.strictEqual((yield* workflows.get(stranger.workspaceId, foreign.workflow.id)).version.versionNumber, 1)
        // The one that followed holds it no more, and is not asked again.
        const removed = yield* components.remove(caller.workspaceId, id, follow("Let go"))
        assert.sameMembers([...removed.propagated], [refusing, large, source] as never)
        assert.instanceOf(yield* Effect.flip(components.get(caller.workspaceId, id)), ComponentNotFound)
      })
    )
  })

suite("memory", ...databases.memory)
suite("embedded", ...databases.embedded)
suite("PostgreSQL", ...databases.postgres)

it.layer(databases.postgres[0], { timeout: "60 seconds" })("sizes in PostgreSQL", (it) => {
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
