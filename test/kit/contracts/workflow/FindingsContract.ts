/**
 * The promises of every store of what runs find out about their workflows: `PatchStore` and `ElementMemory`, on the data of
 * the store of workflows.
 */
import { Effect, Option, Result } from "effect"
import { ElementMemory, type ElementRecord, mostRemembered } from "../../../../core/agent/recovery/ElementMemory.ts"
import { unknown } from "../../../../core/browser/element/Appearance.ts"
import { confirmed, keyOf, type Offer, type Patch } from "../../../../core/workflow/patch/Patch.ts"
import { PatchStore } from "../../../../core/workflow/patch/PatchStore.ts"
import { WorkflowStore } from "../../../../core/workflow/WorkflowStore.ts"
import { WorkflowId } from "../../../../core/workspace/Ids.ts"
import type { WorkspaceStore } from "../../../../core/workspace/WorkspaceStore.ts"
import * as assert from "../Assertions.ts"
import * as Contract from "../Contract.ts"
import { beside, makeWorkflow, makeWorkspace } from "../Fixtures.ts"

/** The ports that the promises are about. */
export type Stores = ElementMemory | PatchStore | WorkflowStore | WorkspaceStore

/** The offer to dismiss a pop-up. */
export const popupOffer = (xpath: string): Offer => ({
  kind: "popup_xpath",
  nodeId: null,
  nodeName: null,
  parameter: null,
  before: null,
  after: xpath,
  reason: "A pop-up lay in the way"
})

/** A patch of a workflow that dismisses a pop-up, and that no person has decided about. */
export const patchOf = (workflowId: string, overrides: Partial<Patch> = {}): Patch => {
  const id = beside(workflowId)
  return {
    ...popupOffer(`//button[@id="${id}"]`),
    id,
    workflowId: WorkflowId.make(workflowId),
    state: "offered",
    firstRunId: beside(workflowId),
    lastRunId: beside(workflowId),
    confirmations: 1,
    createdAt: 0,
    updatedAt: 0,
    decidedBy: null,
    appliedVersion: null,
    ...overrides
  }
}

const seen = (nodeId: string, seenAt: number, text = "Pay"): ElementRecord => ({
  nodeId,
  selector: "//button",
  appearance: { ...unknown, tag: "button", text, path: "html>body>button" },
  seenAt
})

const promise = <A, E>(title: string, test: () => Effect.Effect<A, E, Stores>) =>
  Contract.promise(title, Effect.suspend(test))

/** What every implementation promises. */
export const promises: ReadonlyArray<Contract.ContractPromise<Stores>> = [
  promise("patches are kept by workflow, in their order, and one change is kept once", () =>
    Effect.gen(function* () {
      const store = yield* PatchStore
      const caller = yield* makeWorkspace()
      const { workspaceId } = caller
      const [one, other] = [(yield* makeWorkflow(caller)).workflow.id, (yield* makeWorkflow(caller)).workflow.id]
      const first = patchOf(one, {
        kind: "wait_time",
        nodeId: "n",
        parameter: "wait_time",
        after: 30_000,
        before: 500
      })
      const second = patchOf(one)
      yield* store.insert(workspaceId, first)
      yield* store.insert(workspaceId, second)
      yield* store.insert(workspaceId, patchOf(other, { after: second.after }))
      assert.deepStrictEqual(yield* store.ofWorkflow(workspaceId, one), [first, second])
      assert.lengthOf(yield* store.ofWorkflow(workspaceId, other), 1)
      assert.deepStrictEqual(yield* store.ofWorkflow((yield* makeWorkspace()).workspaceId, one), [])
      const again = yield* Effect.flip(store.insert(workspaceId, patchOf(one, { after: second.after })))
      assert.tagged(again, "KeyTaken")
      assert.deepStrictEqual(yield* store.find(workspaceId, keyOf(one, first)), Option.some(first))
      yield* store.change(workspaceId, first.id, (before) => Result.succeed(confirmed(before, "run", 9)))
      const [changed] = yield* store.ofWorkflow(workspaceId, one)
      assert.deepInclude(changed, { confirmations: 2, lastRunId: "run", updatedAt: 9 })
      assert.lengthOf(yield* store.list(workspaceId), 3)
      const page = yield* store.page(workspaceId, null, 2)
      assert.lengthOf(page.values, 2)
      assert.strictEqual(yield* store.left(workspaceId, page.next), 1)
      assert.deepStrictEqual(yield* store.remove(workspaceId, second.id), Option.some(second))
      assert.deepStrictEqual(yield* store.ofWorkflow(workspaceId, one), [changed])
    })
  ),
  promise("elements are remembered by node: the one that was seen last, of this workflow only", () =>
    Effect.gen(function* () {
      const memory = yield* ElementMemory
      const caller = yield* makeWorkspace()
      const { workspaceId } = caller
      const id = (yield* makeWorkflow(caller)).workflow.id
      const other = (yield* makeWorkflow(caller)).workflow.id
      assert.deepStrictEqual(yield* memory.of(workspaceId, id), [])
      yield* memory.keep(workspaceId, id, [])
      yield* memory.keep(workspaceId, id, [seen("b", 10), seen("a", 10, "Zürich \u0000 ✓")])
      yield* memory.keep(workspaceId, id, [seen("b", 5, "older"), seen("a", 20, "newer")])
      const byNode = (yield* memory.of(workspaceId, id)).toSorted((one, two) => (one.nodeId < two.nodeId ? -1 : 1))
      assert.deepStrictEqual(byNode, [seen("a", 20, "newer"), seen("b", 10)])
      assert.deepStrictEqual(yield* memory.of(workspaceId, other), [])
      const stranger = (yield* makeWorkspace()).workspaceId
      assert.deepStrictEqual(yield* memory.of(stranger, id), [])
      yield* memory.keep(stranger, id, [seen("c", 30)])
      assert.lengthOf(yield* memory.of(workspaceId, id), 2)
    })
  ),
  promise("of very many elements those that were seen last are remembered", () =>
    Effect.gen(function* () {
      const memory = yield* ElementMemory
      const caller = yield* makeWorkspace()
      const id = (yield* makeWorkflow(caller)).workflow.id
      const many = Array.from({ length: mostRemembered }, (_, index) => seen(String(index).padStart(5, "0"), index + 1))
      yield* memory.keep(caller.workspaceId, id, many)
      yield* memory.keep(caller.workspaceId, id, [seen("late", 5_000), seen("later", 6_000)])
      const kept = yield* memory.of(caller.workspaceId, id)
      assert.lengthOf(kept, mostRemembered)
      assert.deepStrictEqual(
        kept.filter(({ seenAt }) => seenAt <= 2),
        []
      )
    })
  ),
  promise("patches and elements go with their workflow, and nothing is remembered of it any more", () =>
    Effect.gen(function* () {
      const [memory, patches, workflows] = [yield* ElementMemory, yield* PatchStore, yield* WorkflowStore]
      const caller = yield* makeWorkspace()
      const { workspaceId } = caller
      const [gone, kept] = [(yield* makeWorkflow(caller)).workflow.id, (yield* makeWorkflow(caller)).workflow.id]
      const [lost, left] = [patchOf(gone), patchOf(kept)]
      yield* patches.insert(workspaceId, lost)
      yield* patches.insert(workspaceId, left)
      for (const id of [gone, kept]) yield* memory.keep(workspaceId, id, [seen("a", 10)])
      yield* workflows.remove(workspaceId, gone)
      // An unfinished run learns of elements when it ends.
      yield* memory.keep(workspaceId, gone, [seen("b", 20)])
      assert.deepStrictEqual(yield* patches.ofWorkflow(workspaceId, gone), [])
      assert.deepStrictEqual(yield* patches.get(workspaceId, lost.id), Option.none())
      assert.deepStrictEqual(yield* patches.find(workspaceId, keyOf(gone, lost)), Option.none())
      assert.deepStrictEqual(yield* memory.of(workspaceId, gone), [])
      assert.deepStrictEqual(yield* patches.ofWorkflow(workspaceId, kept), [left])
      assert.deepStrictEqual(yield* memory.of(workspaceId, kept), [seen("a", 10)])
    })
  ),
  promise("elements that many runs learned at once are all remembered, and each run ends its wait", () =>
    Effect.gen(function* () {
      const memory = yield* ElementMemory
      const caller = yield* makeWorkspace()
      const id = (yield* makeWorkflow(caller)).workflow.id
      const nodes = Array.from({ length: 20 }, (_, index) => String(index))
      const learn = (at: number) => {
        const order = at % 2 === 0 ? nodes : nodes.toReversed()
        return memory.keep(
          caller.workspaceId,
          id,
          order.map((node) => seen(node, at))
        )
      }
      yield* Effect.all(
        Array.from({ length: 8 }, (_, index) => learn(index)),
        { concurrency: "unbounded" }
      )
      const found = yield* memory.of(caller.workspaceId, id)
      assert.lengthOf(found, nodes.length)
      assert.isTrue(found.every(({ seenAt }) => seenAt === 7))
    })
  )
]
