/**
 * The promises of every store of components: `ComponentStore`, on the data of the store of workflows.
 */
import { Clock, Effect, Result } from "effect"
import { ComponentId } from "../../../../core/workflow/component/Component.ts"
import {
  ComponentStore,
  type StoredComponent,
  type UpdateWorkflow
} from "../../../../core/workflow/component/ComponentStore.ts"
import * as FieldLimit from "../../../../core/workflow/FieldLimit.ts"
import { InvalidWorkflow } from "../../../../core/workflow/Workflow.ts"
import { type StoredWorkflow, WorkflowStore } from "../../../../core/workflow/WorkflowStore.ts"
import { VersionId } from "../../../../core/workspace/Ids.ts"
import type { Caller } from "../../../../core/workspace/Workspace.ts"
import type { WorkspaceStore } from "../../../../core/workspace/WorkspaceStore.ts"
import * as SteppingClock from "../../clocks/SteppingClock.ts"
import * as assert from "../Assertions.ts"
import * as Contract from "../Contract.ts"
import { beside, componentData, makeWorkflow, makeWorkspace, stored } from "../Fixtures.ts"

/** The ports that the promises are about. */
export type Stores = ComponentStore | WorkflowStore | WorkspaceStore

const any = () => Result.void

/** A workflow whose latest version holds a component. */
const holder = (caller: Caller, component: ComponentId): StoredWorkflow => {
  const made = stored(caller)
  const { content } = made.version
  const nodes = [
    ...(Array.isArray(content.nodes) ? content.nodes : []),
    ...componentData().nodes.map(({ workflowNode }) => ({ ...workflowNode, source_component_instance_id: component }))
  ]
  return { ...made, version: { ...made.version, content: { ...content, nodes } } }
}

const component = (caller: Caller): StoredComponent => {
  const id = ComponentId.make(beside(caller.workspaceId))
  const made = { createdAt: 0, createdBy: caller.userId }
  return {
    component: { id, workspaceId: caller.workspaceId, name: "Login", updatedAt: 0, ...made },
    version: {
      id: beside(caller.workspaceId),
      componentId: id,
      versionNumber: 1,
      data: componentData(),
      versionNote: null,
      ...made
    }
  }
}

const next = (before: StoredComponent, at: number): StoredComponent => ({
  component: { ...before.component, updatedAt: at },
  version: {
    ...before.version,
    id: beside(before.version.id),
    versionNumber: before.version.versionNumber + 1,
    createdAt: at
  }
})

/** Gives a workflow a next version under another name, without its component. */
const follow =
  (name: string): UpdateWorkflow =>
  (before, at) =>
    Effect.succeed({
      ...before,
      workflow: { ...before.workflow, name, updatedAt: at },
      version: {
        ...before.version,
        versionId: VersionId.make(beside(before.version.versionId)),
        versionNumber: before.version.versionNumber + 1,
        content: { ...before.version.content, nodes: [] }
      }
    })

const sorted = (...ids: ReadonlyArray<string | undefined>) => ids.flatMap((id) => id ?? []).toSorted()

/** A promise that is tested on a separate clock, which begins at the epoch. */
const promise = <A, E>(title: string, test: (time: SteppingClock.SteppingClock) => Effect.Effect<A, E, Stores>) =>
  Contract.promise(
    `components ${title}`,
    Effect.suspend(() => {
      const time = SteppingClock.make(0)
      return Effect.provideService(test(time), Clock.Clock, time.clock)
    })
  )

/** What every implementation promises. */
export const promises: ReadonlyArray<Contract.ContractPromise<Stores>> = [
  promise("are kept with their versions for their own workspace", (time) =>
    Effect.gen(function* () {
      const components = yield* ComponentStore
      const [caller, stranger] = [yield* makeWorkspace(), yield* makeWorkspace()]
      const [one, other] = [component(caller), component(caller)]
      yield* components.create(one)
      yield* components.create(other)
      const { id } = one.component
      assert.deepStrictEqual(yield* components.get(caller.workspaceId, id), one)
      assert.deepStrictEqual(yield* components.list(caller.workspaceId), [one.component, other.component])
      yield* time.advance(5_000)
      const renamed = yield* components.rename(caller.workspaceId, id, "Sign in")
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
      const missing: ReadonlyArray<Effect.Effect<unknown, { readonly _tag: string }>> = [
        components.get(stranger.workspaceId, id),
        components.versions(stranger.workspaceId, id),
        components.usage(stranger.workspaceId, id),
        components.rename(stranger.workspaceId, id, "Mine"),
        components.save(stranger.workspaceId, id, (before, at) => ({ after: next(before, at), carry: null }), any),
        components.remove(stranger.workspaceId, id, follow("x"))
      ]
      for (const one of missing) assert.tagged(yield* Effect.flip(one), "ComponentNotFound", { componentId: id })
      assert.deepStrictEqual(yield* components.list(stranger.workspaceId), [])
    })
  ),
  promise("are carried into each workflow that holds them, and those that cannot follow are reported", () =>
    Effect.gen(function* () {
      const [components, workflows] = [yield* ComponentStore, yield* WorkflowStore]
      const [caller, stranger] = [yield* makeWorkspace(), yield* makeWorkspace()]
      const one = component(caller)
      const { id } = one.component
      yield* components.create(one)
      const holders = [holder(caller, id), holder(caller, id), holder(caller, id), holder(caller, id)]
      const ids = holders.map(({ workflow }) => workflow.id)
      const [follower, refusing, large, source] = ids
      const foreign = holder(stranger, id)
      for (const each of [...holders, foreign]) yield* workflows.create(each, any)
      yield* makeWorkflow(caller)
      const used = (yield* components.usage(caller.workspaceId, id)).map((workflow) => workflow.id)
      assert.deepStrictEqual(used.toSorted(), ids.toSorted())
      let asked = 0
      const invalid = new InvalidWorkflow({ problems: [{ path: "nodes", message: "no" }] })
      const tooLarge = new FieldLimit.FieldsTooLarge({ fields: [{ code: "X", field: "nodes", message: "large" }] })
      const carry: UpdateWorkflow = (workflow, now) =>
        workflow.workflow.id === refusing
          ? Effect.fail(invalid)
          : Effect.map(follow("Carried")(workflow, now), (after) =>
              workflow.workflow.id === large
                ? {
                    ...after,
                    version: { ...after.version, content: { ...after.version.content, nodes: "x".repeat(500) } }
                  }
                : after
            )
      const saved = yield* components.save(
        caller.workspaceId,
        id,
        (before, at) => ({ after: next(before, at), carry: { except: source ?? null, to: carry } }),
        (sizes) => {
          asked++
          return sizes.nodes > 400 ? Result.fail(tooLarge) : Result.void
        }
      )
      assert.deepStrictEqual(saved.propagated, [follower])
      assert.deepStrictEqual(
        new Map(saved.skipped.map(({ reason, workflowId }) => [workflowId, reason._tag] as const)),
        new Map(
          saved.skipped.map(
            ({ workflowId }) => [workflowId, (workflowId === refusing ? invalid : tooLarge)._tag] as const
          )
        )
      )
      assert.deepStrictEqual(saved.skipped.map(({ workflowId }) => workflowId).toSorted(), sorted(refusing, large))
      assert.strictEqual(asked, 2)
      const numbers = yield* Effect.forEach(ids, (one) =>
        Effect.map(workflows.get(caller.workspaceId, one), ({ version }) => version.versionNumber)
      )
      assert.deepStrictEqual(numbers, [2, 1, 1, 1])
      assert.strictEqual((yield* workflows.get(stranger.workspaceId, foreign.workflow.id)).version.versionNumber, 1)
      // The one that followed holds it no more, and is not asked again.
      const removed = yield* components.remove(caller.workspaceId, id, follow("Let go"))
      assert.deepStrictEqual(removed.propagated.toSorted(), sorted(refusing, large, source))
      assert.tagged(yield* Effect.flip(components.get(caller.workspaceId, id)), "ComponentNotFound", {
        componentId: id
      })
    })
  )
]
