import { randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { type Entry, EventLog } from "../../core/event/EventLog.ts"
import { Deliveries } from "../../core/event/webhook/Deliveries.ts"
import type { WebhookStore } from "../../core/event/webhook/Webhook.ts"
import type { GateStore } from "../../core/gate/GateStore.ts"
import { ArtifactStore } from "../../core/run/artifact/ArtifactStore.ts"
import { RunStore } from "../../core/run/RunStore.ts"
import { RunRemovalStore } from "../../core/run/retention/RunRemovalStore.ts"
import * as Transition from "../../core/run/Transition.ts"
import type { WorkflowStore } from "../../core/workflow/WorkflowStore.ts"
import type { WorkspaceStore } from "../../core/workspace/WorkspaceStore.ts"
import * as databases from "../support/databases.ts"
import { makeWorkflow, makeWorkspace, submission } from "../support/fixtures.ts"
import { makeDead } from "../support/webhooks.ts"

type Needed =
  | ArtifactStore
  | Deliveries
  | EventLog
  | GateStore
  | RunRemovalStore
  | RunStore
  | WebhookStore
  | WorkflowStore
  | WorkspaceStore

/** A workflow with a run that ended and left an artifact and a delivery, another that ended, and one that waits. */
const prepared = Effect.gen(function* () {
  const runs = yield* RunStore
  const caller = yield* makeWorkspace()
  const workflow = yield* makeWorkflow(caller)
  const all = [submission(workflow), submission(workflow), submission(workflow)] as const
  yield* Effect.forEach(all, runs.submit)
  const [removed, kept, waiting] = all.map(({ id }) => id)
  if (removed === undefined || kept === undefined || waiting === undefined) throw new Error("Nothing was submitted")
  for (const id of [removed, kept]) yield* runs.change(caller.workspaceId, id, Transition.interrupt)
  const artifact = randomUUID()
  yield* (yield* ArtifactStore).begin({
    id: artifact,
    runId: removed,
    workflowId: workflow.workflow.id,
    kind: "file",
    at: 0
  })
  const dead = yield* makeDead(caller, removed)
  return { caller, removed, kept, waiting, artifact, dead }
})

/** The promises of every store about runs that are removed. */
const suite = <E, R>(name: string, layer: Layer.Layer<Needed | R, E>) =>
  it.layer(layer, { timeout: "60 seconds" })(`the removal of runs (${name})`, (it) => {
    it.effect("takes a run that has ended with everything of it, and nothing else", () =>
      Effect.gen(function* () {
        const [removal, runs, log] = [yield* RunRemovalStore, yield* RunStore, yield* EventLog]
        const { artifact, caller, dead, kept, removed, waiting } = yield* prepared
        assert.deepStrictEqual(yield* removal.artifactsOf([removed, kept]), [artifact])
        assert.strictEqual(yield* removal.remove([removed, waiting]), 1)
        assert.strictEqual(yield* removal.remove([removed]), 0)
        const gone = yield* Effect.flip(runs.get(caller.workspaceId, removed))
        assert.strictEqual(gone._tag, "RunNotFound")
        assert.deepStrictEqual(yield* runs.events(removed, 0), [])
        assert.deepStrictEqual(yield* removal.artifactsOf([removed]), [])
        const lost = yield* Effect.flip((yield* Deliveries).get(caller.workspaceId, dead.id))
        assert.strictEqual(lost._tag, "DeliveryNotFound")
        assert.lengthOf(yield* runs.events(kept, 0), 2)
        assert.strictEqual((yield* runs.get(caller.workspaceId, waiting)).run.status, "execution.queued")
        const seen: Array<Entry> = []
        const consumer = randomUUID()
        while (yield* log.consume(consumer, 100, (entries) => Effect.sync(() => void seen.push(...entries))));
        const left = seen.filter(({ workspaceId }) => workspaceId === caller.workspaceId).map(({ runId }) => runId)
        assert.sameMembers(left, [kept, waiting, kept])
      })
    )

    it.effect("finds the runs that ended before an instant, of one workspace or of all", () =>
      Effect.gen(function* () {
        const removal = yield* RunRemovalStore
        const { caller, kept, removed } = yield* prepared
        const future = 4_102_444_800_000
        const found = yield* removal.ended(future, 10, caller.workspaceId)
        assert.sameMembers([...found], [removed, kept])
        assert.lengthOf(yield* removal.ended(future, 1, caller.workspaceId), 1)
        assert.deepStrictEqual(yield* removal.ended(-1, 10, null), [])
        assert.strictEqual((yield* removal.countEnded(future)).get(caller.workspaceId), 2)
      })
    )
  })

suite("memory", databases.memory[0])
suite("embedded", databases.embedded[0])
suite("PostgreSQL", databases.postgres[0])
