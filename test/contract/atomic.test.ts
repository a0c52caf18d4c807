/** Changes of one thing at the same time: each store applies all of them, wherever the scheduler lets other fibers run. */
import { assert, it } from "@effect/vitest"
import { Effect, type Layer, References, Result } from "effect"
import { GateStore } from "../../core/gate/GateStore.ts"
import { RunStore } from "../../core/run/RunStore.ts"
import type { WorkflowStore } from "../../core/workflow/WorkflowStore.ts"
import type { WorkspaceStore } from "../../core/workspace/WorkspaceStore.ts"
import * as databases from "../support/databases.ts"
import { makeWorkflow, makeWorkspace, submission } from "../support/fixtures.ts"

type Stores = GateStore | RunStore | WorkflowStore | WorkspaceStore

const together = { concurrency: "unbounded" } as const

const suite = <E, R>(name: string, layer: Layer.Layer<Stores | R, E>) =>
  it.layer(layer)(`stores under a scheduler that yields (${name})`, (it) => {
    it.effect("run in fibers that give way after three steps", () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* References.MaxOpsBeforeYield, 3)
        let others = 0
        yield* Effect.forkChild(Effect.sync(() => others++))
        yield* Effect.forEach([1, 2, 3, 4, 5, 6], Effect.succeed)
        assert.strictEqual(others, 1)
      })
    )

    it.effect("apply each of 40 changes of a gate", () =>
      Effect.gen(function* () {
        const gates = yield* GateStore
        const { workflow } = yield* makeWorkflow(yield* makeWorkspace())
        const before = yield* gates.get(workflow.workspaceId, workflow.id)
        const change = gates.change(workflow.workspaceId, workflow.id, (gate) =>
          Result.succeed({ ...gate, revision: gate.revision + 1 })
        )
        yield* Effect.all(
          Array.from({ length: 40 }, () => change),
          together
        )
        const after = yield* gates.get(workflow.workspaceId, workflow.id)
        assert.strictEqual(after.revision - before.revision, 40)
      })
    )

    it.effect("give each of 20 runs to one of four workers that claim at the same time", () =>
      Effect.gen(function* () {
        const runs = yield* RunStore
        const made = yield* makeWorkflow(yield* makeWorkspace())
        yield* Effect.forEach(Array.from({ length: 20 }), () => runs.submit(submission(made)), together)
        const claims = ["a", "b", "c", "d"].map((worker) => runs.claim({ worker, limit: 20, leaseMillis: 30_000 }))
        const ids = (yield* Effect.all(claims, together)).flat().map(({ run }) => run.id)
        assert.lengthOf(ids, 20)
        assert.strictEqual(new Set(ids).size, 20)
      })
    )
  })

suite("memory", databases.memory[0])
suite("embedded", databases.embedded[0])
suite("PostgreSQL", databases.postgres[0])
