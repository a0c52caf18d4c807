import { randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Effect, type Layer, Option, Result } from "effect"
import { ElementMemory, type ElementRecord, mostRemembered } from "../../core/agent/recovery/ElementMemory.ts"
import { unknown } from "../../core/browser/element/Appearance.ts"
import { confirmed, keyOf } from "../../core/workflow/patch/Patch.ts"
import { PatchStore } from "../../core/workflow/patch/PatchStore.ts"
import { WorkflowStore } from "../../core/workflow/WorkflowStore.ts"
import type { WorkspaceStore } from "../../core/workspace/WorkspaceStore.ts"
import * as databases from "../support/databases.ts"
import { makeWorkflow, makeWorkspace } from "../support/fixtures.ts"
import { patchOf } from "../support/patches.ts"

const seen = (nodeId: string, seenAt: number, text = "Pay"): ElementRecord => ({
  nodeId,
  selector: "//button",
  appearance: { ...unknown, tag: "button", text, path: "html>body>button" },
  seenAt
})

/** Findings of runs are kept by workflow, in every store. */
const suite = <E>(name: string, layer: Layer.Layer<ElementMemory | PatchStore | WorkflowStore | WorkspaceStore, E>) =>
  it.layer(layer, { timeout: "60 seconds" })(`what runs find out (${name})`, (it) => {
    it.effect("patches are kept by workflow, in their order, and one change is kept once", () =>
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
        const again = yield* Effect.result(store.insert(workspaceId, patchOf(one, { after: second.after })))
        assert.isTrue(Result.isFailure(again))
        assert.deepStrictEqual(yield* store.find(workspaceId, keyOf(one, first)), Option.some(first))
        yield* store.change(workspaceId, first.id, (before) => Result.succeed(confirmed(before, "run", 9)))
        const [changed] = yield* store.ofWorkflow(workspaceId, one)
        assert.deepInclude(changed, { confirmations: 2, lastRunId: "run", updatedAt: 9 })
      })
    )

    it.effect("elements are remembered by node: the one that was seen last, of this workflow only", () =>
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
        assert.deepStrictEqual(yield* memory.of(workspaceId, id), [seen("a", 20, "newer"), seen("b", 10)])
        assert.deepStrictEqual(yield* memory.of(workspaceId, other), [])
        const stranger = (yield* makeWorkspace()).workspaceId
        assert.deepStrictEqual(yield* memory.of(stranger, id), [])
        yield* memory.keep(stranger, id, [seen("c", 30)])
        assert.lengthOf(yield* memory.of(workspaceId, id), 2)
      })
    )

    it.effect("of very many elements those that were seen last are remembered", () =>
      Effect.gen(function* () {
        const memory = yield* ElementMemory
        const caller = yield* makeWorkspace()
        const id = (yield* makeWorkflow(caller)).workflow.id
        const many = Array.from({ length: mostRemembered }, (_, index) =>
          seen(String(index).padStart(5, "0"), index + 1)
        )
        yield* memory.keep(caller.workspaceId, id, many)
        yield* memory.keep(caller.workspaceId, id, [seen(randomUUID(), 5_000), seen(randomUUID(), 6_000)])
        const kept = yield* memory.of(caller.workspaceId, id)
        assert.lengthOf(kept, mostRemembered)
        assert.deepStrictEqual(
          kept.filter(({ seenAt }) => seenAt <= 2),
          []
        )
      })
    )

    it.effect("both go with their workflow, and nothing is remembered of it any more", () =>
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
    )

    it.effect("runs that end at once and learned the same do not deadlock", () =>
      Effect.gen(function* () {
        const memory = yield* ElementMemory
        const caller = yield* makeWorkspace()
        const id = (yield* makeWorkflow(caller)).workflow.id
        const nodes = Array.from({ length: 20 }, (_, index) => String(index))
        yield* Effect.forEach(
          Array.from({ length: 8 }, (_, index) => index),
          (at) =>
            memory.keep(
              caller.workspaceId,
              id,
              (at % 2 === 0 ? nodes : nodes.toReversed()).map((node) => seen(node, at))
            ),
          { concurrency: "unbounded", discard: true }
        )
        assert.isTrue((yield* memory.of(caller.workspaceId, id)).every(({ seenAt }) => seenAt === 7))
      })
    )
  })

suite("memory", databases.memory[0])
suite("embedded", databases.embedded[0])
suite("PostgreSQL", databases.postgres[0])
