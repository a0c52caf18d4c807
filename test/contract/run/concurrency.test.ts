import { assert, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer, Ref } from "effect"
import * as Crypto from "../../../adapters/crypto/Crypto.ts"
import type { GateStore } from "../../../core/gate/GateStore.ts"
import { Gates } from "../../../core/gate/Gates.ts"
import { RunStore } from "../../../core/run/RunStore.ts"
import * as Transition from "../../../core/run/Transition.ts"
import type { Signals } from "../../../core/runtime/Signals.ts"
import type { WorkflowStore } from "../../../core/workflow/WorkflowStore.ts"
import type { Audit } from "../../../core/workspace/audit/Audit.ts"
import type { WorkspaceStore } from "../../../core/workspace/WorkspaceStore.ts"
import * as databases from "../../support/databases.ts"
import { daily, makeWorkflow, makeWorkspace, submission } from "../../support/fixtures.ts"

type Stores = Audit | GateStore | RunStore | WorkflowStore | WorkspaceStore | Signals

/** A window that is closed at this hour of the day, and for the hours around it. */
const closedNow = (now: number) => {
  const hour = (new Date(now).getUTCHours() + 6) % 23
  return daily(hour, hour + 1)
}

it.live("no run starts after the answer to the edit that closed its window", () =>
  Effect.gen(function* () {
    const [gates, runs] = [yield* Gates, yield* RunStore]
    const caller = yield* makeWorkspace()
    const workflows = yield* Effect.forEach([1, 2, 3], () => makeWorkflow(caller))
    const started = yield* Ref.make<
      ReadonlyArray<{ readonly id: string; readonly workflowId: string; readonly at: number }>
    >([])
    const done = yield* Ref.make(false)
    /** For each workflow, the stretches between the answer to a closing edit and the request of the next opening. */
    const closed: Array<{ readonly workflowId: string; readonly from: number; readonly to: number }> = []

    const claimant = (worker: string) =>
      Effect.gen(function* () {
        while (!(yield* Ref.get(done))) {
          for (const { run } of yield* runs.claim({ worker, limit: 5, leaseMillis: 60_000 })) {
            // The instant is the one that the claim wrote while it held the gate.
            const start = { id: run.id, workflowId: run.workflowId, at: run.startedAt ?? 0 }
            yield* Ref.update(started, (all) => [...all, start])
            const fence = run.lease?.fence ?? 0
            yield* runs.settle({ id: run.id, fence }, (gated, at) =>
              Transition.finish(gated, { _tag: "Success", data: {} }, at)
            )
          }
        }
      })

    const submitter = Effect.gen(function* () {
      while (!(yield* Ref.get(done))) {
        yield* Effect.forEach(workflows, (workflow) => runs.submit(submission(workflow)), { concurrency: 3 })
      }
    })

    const editor = (workflow: (typeof workflows)[number]) =>
      Effect.gen(function* () {
        for (let round = 0; round < 40 || (yield* Ref.get(started)).length <= 100; round++) {
          yield* gates.setWindow(caller, workflow.workflow.id, closedNow(yield* Clock.currentTimeMillis))
          const from = yield* Clock.currentTimeMillis
          yield* gates.window(caller, workflow.workflow.id)
          const to = yield* Clock.currentTimeMillis
          closed.push({ workflowId: workflow.workflow.id, from, to })
          yield* gates.removeWindow(caller, workflow.workflow.id)
        }
      })

    const busy = yield* Effect.forkChild(
      Effect.all([claimant("a"), claimant("b"), claimant("c"), submitter], { concurrency: "unbounded" })
    )
    yield* Effect.forEach(workflows, editor, { concurrency: "unbounded" })
    yield* Ref.set(done, true)
    yield* Fiber.join(busy)

    const starts = yield* Ref.get(started)
    assert.strictEqual(new Set(starts.map(({ id }) => id)).size, starts.length, "a run was started twice")
    const late = starts.filter(({ at, workflowId }) =>
      closed.some((stretch) => stretch.workflowId === workflowId && at > stretch.from && at < stretch.to)
    )
    assert.deepStrictEqual(late, [])

    // No submission was forgotten by the workers' way of finding work.
    while ((yield* drain(runs)) > 0);
    const { runs: waiting } = yield* runs.list(caller.workspaceId, {
      limit: 100_000,
      statuses: ["execution.queued", "execution.paused"]
    })
    assert.deepStrictEqual(waiting, [])
  }).pipe(
    Effect.provide(
      Layer.mergeAll(Gates.layer, Crypto.layer).pipe(
        Layer.provideMerge(databases.postgres[0] as Layer.Layer<Stores, unknown>)
      )
    )
  )
)

const drain = (runs: RunStore["Service"]) =>
  Effect.map(runs.claim({ worker: "d", limit: 200, leaseMillis: 60_000 }), (claimed) => claimed.length)
