/**
 * The promises of every store of what removes runs and their parts: `RunRemovalStore` and `RetentionStore`, on the data of
 * the stores of all that belongs to runs.
 *
 * They expect stores without deliveries that wait: give each promise new stores, or empty them before.
 */
import { Effect } from "effect"
import { consumers, type Entry, EventLog } from "../../../../core/event/EventLog.ts"
import { Deliveries } from "../../../../core/event/webhook/Deliveries.ts"
import { ArtifactStore } from "../../../../core/run/artifact/ArtifactStore.ts"
import type { Decision } from "../../../../core/run/evidence/Decision.ts"
import { DecisionStore } from "../../../../core/run/evidence/DecisionStore.ts"
import { RunStore } from "../../../../core/run/RunStore.ts"
import { RetentionStore } from "../../../../core/run/retention/RetentionStore.ts"
import { RunRemovalStore } from "../../../../core/run/retention/RunRemovalStore.ts"
import { StartLedger } from "../../../../core/run/start/StartLedger.ts"
import * as Transition from "../../../../core/run/Transition.ts"
import type { WorkflowStore } from "../../../../core/workflow/WorkflowStore.ts"
import type { RunId } from "../../../../core/workspace/Ids.ts"
import { Kind } from "../../../../core/workspace/retention/RetentionDays.ts"
import type { WorkspaceStore } from "../../../../core/workspace/WorkspaceStore.ts"
import * as assert from "../Assertions.ts"
import * as Contract from "../Contract.ts"
import { makeDead, makePending } from "../event/DeliveryContract.ts"
import { beside, makeWorkflow, makeWorkspace, newId, submission } from "../Fixtures.ts"

/** The ports that the promises are about. */
export type Stores =
  | ArtifactStore
  | DecisionStore
  | Deliveries
  | EventLog
  | RetentionStore
  | RunRemovalStore
  | RunStore
  | StartLedger
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
  const artifact = beside(removed)
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

const future = 4_102_444_800_000

const decision: Decision = {
  node: { id: "n", name: "Read", action: "READ" },
  purpose: "read",
  model: null,
  prompt: "?",
  hasPicture: false,
  answer: "!",
  decision: null,
  refusal: null,
  inputTokens: 1,
  outputTokens: 1,
  durationMillis: 1,
  at: 0
}

const promise = <A, E>(title: string, test: () => Effect.Effect<A, E, Stores>) =>
  Contract.promise(`the removal of runs ${title}`, Effect.suspend(test))

/** What every implementation promises. */
export const promises: ReadonlyArray<Contract.ContractPromise<Stores>> = [
  promise("takes a run that has ended with everything of it, and nothing else", () =>
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
      const consumer = yield* newId
      while (yield* log.consume(consumer, 100, (entries) => Effect.sync(() => void seen.push(...entries))));
      const left = seen.filter(({ workspaceId }) => workspaceId === caller.workspaceId).map(({ runId }) => runId)
      assert.deepStrictEqual(left.toSorted(), [kept, waiting, kept].toSorted())
    })
  ),

  promise("and a retry or a tag at the same time agree about a run: it is there, or it is gone", () =>
    Effect.gen(function* () {
      const [removal, runs] = [yield* RunRemovalStore, yield* RunStore]
      const caller = yield* makeWorkspace()
      const { workspaceId } = caller
      const workflow = yield* makeWorkflow(caller)
      const all = yield* Effect.forEach(Array.from({ length: 12 }), () =>
        Effect.map(runs.submit(submission(workflow)), ({ run }) => run.id)
      )
      for (const id of all) yield* runs.change(workspaceId, id, Transition.interrupt)
      const retry = (of: RunId) =>
        runs.retry({ ...submission(workflow), retry: { of, by: caller.userId, reason: null } }, { isLatest: true })
      const [retries, , tagged] = yield* Effect.all(
        [
          Effect.forEach(all, (id) => Effect.result(retry(id)), { concurrency: "unbounded" }),
          Effect.forEach(all, (id) => removal.remove([id]), { concurrency: "unbounded" }),
          runs.changeTags(workspaceId, all, (before) => [...before, "seen"], { dryRun: false })
        ],
        { concurrency: "unbounded" }
      )
      for (const [index, id] of all.entries()) {
        const [retried, read] = [retries[index], yield* Effect.result(runs.get(workspaceId, id))]
        const made = (yield* runs.retriesOf([id])).map((one) => one.retry)
        // A removal does not take the retry with it, which still names its run.
        assert.deepStrictEqual(made, retried?._tag === "Success" ? [retried.success.run.id] : [])
        if (retried?._tag === "Failure") {
          assert.strictEqual(retried.failure._tag, "RunNotFound")
          assert.strictEqual(read._tag, "Failure")
        }
        if (read._tag === "Success")
          assert.deepStrictEqual(read.success.run.tags, tagged[index] === null ? [] : ["seen"])
      }
      assert.isAtMost(yield* removal.remove(all), all.length)
      assert.deepStrictEqual(
        yield* runs.changeTags(workspaceId, all, () => ["late"], { dryRun: false }),
        all.map(() => null)
      )
      const [last] = all
      if (last === undefined) throw new Error("There is none")
      assert.strictEqual((yield* Effect.flip(retry(last)))._tag, "RunNotFound")
    })
  ),

  promise("finds the runs of a workspace that ended before an instant", () =>
    Effect.gen(function* () {
      const removal = yield* RunRemovalStore
      const { caller, kept, removed } = yield* prepared
      const found = yield* removal.ended(caller.workspaceId, future, 10)
      assert.deepStrictEqual(found.toSorted(), [removed, kept].toSorted())
      assert.lengthOf(yield* removal.ended(caller.workspaceId, future, 1), 1)
      assert.deepStrictEqual(yield* removal.ended(caller.workspaceId, -1, 10), [])
    })
  ),

  promise("takes parts of ended runs behind those that were passed, and leaves the runs and pending deliveries", () =>
    Effect.gen(function* () {
      const [parts, runs, ledger] = [yield* RetentionStore, yield* RunStore, yield* StartLedger]
      const { artifact, caller, dead, kept, removed, waiting } = yield* prepared
      const { workspaceId } = caller
      const pending = yield* makePending(kept)
      const counts = Effect.forEach(Kind.literals, (kind) =>
        Effect.map(parts.count(workspaceId, kind, future, null), (count) => [kind, count] as const)
      ).pipe(Effect.map(Object.fromEntries))
      yield* (yield* DecisionStore).keep(removed, decision)
      const before = { runs: 2, events: 2, deliveries: 1, errors: 2, decisions: 1, artifacts: 1, starts: 0 }
      assert.deepStrictEqual(yield* counts, before)
      assert.strictEqual(yield* parts.count(workspaceId, "artifacts", 0, 1), 1)
      assert.deepStrictEqual(yield* parts.expired(workspaceId, "events", -1, 10), [])
      const order = yield* parts.expired(workspaceId, "events", future, 10)
      assert.deepStrictEqual(order.toSorted(), [removed, kept].toSorted())
      const [first, last] = order
      if (first === undefined || last === undefined) throw new Error("Two runs have ended")
      yield* parts.passed(workspaceId, "events", first)
      assert.deepStrictEqual(yield* parts.expired(workspaceId, "events", future, 10), [last])
      yield* parts.passed(workspaceId, "events", last)
      yield* parts.passed(workspaceId, "events", first)
      assert.deepStrictEqual(yield* parts.expired(workspaceId, "events", future, 10), [])
      assert.lengthOf(yield* parts.expired(workspaceId, "errors", future, 10), 2)

      for (const [kind, count] of [
        ["deliveries", 1],
        ["events", 2],
        ["decisions", 1],
        ["starts", 0],
        ["errors", 2],
        ["artifacts", 0]
      ] as const) {
        assert.strictEqual(yield* parts.remove(kind, order), count, kind)
      }
      assert.deepStrictEqual(yield* counts, { ...before, events: 0, deliveries: 0, errors: 0, decisions: 0 })
      assert.strictEqual((yield* runs.get(workspaceId, removed)).run.status, "execution.stopped")
      assert.deepStrictEqual(yield* runs.events(removed, 0), [])
      assert.lengthOf(yield* runs.events(kept, 0), 2)
      assert.lengthOf(yield* runs.events(waiting, 0), 1)
      assert.deepStrictEqual(yield* (yield* RunRemovalStore).artifactsOf([removed]), [artifact])
      const deliveries = yield* Deliveries
      assert.strictEqual((yield* deliveries.get(workspaceId, pending.id)).status, "pending")
      assert.strictEqual((yield* Effect.flip(deliveries.get(workspaceId, dead.id)))._tag, "DeliveryNotFound")
      assert.deepStrictEqual(yield* ledger.ofRun(workspaceId, removed), [])
    })
  ),

  promise("keeps a run and its events until webhooks and notifications have read them", () =>
    Effect.gen(function* () {
      const [parts, removal, runs, log] = [
        yield* RetentionStore,
        yield* RunRemovalStore,
        yield* RunStore,
        yield* EventLog
      ]
      const { webhooks, notifications } = consumers
      const readAll = Effect.fnUntraced(function* (consumer: string) {
        while (yield* log.consume(consumer, 100, () => Effect.void));
      })
      yield* readAll(webhooks)
      yield* readAll(notifications)
      const caller = yield* makeWorkspace()
      const { workspaceId } = caller
      const state = Effect.all({
        expired: parts.expired(workspaceId, "events", future, 10),
        ended: removal.ended(workspaceId, future, 10),
        unread: parts.unread(workspaceId, future, 10),
        runs: parts.count(workspaceId, "runs", future, null),
        events: parts.count(workspaceId, "events", future, null)
      })
      const workflow = yield* makeWorkflow(caller)
      const busy = yield* makeWorkflow(caller)
      const end = Effect.fnUntraced(function* (of: typeof workflow) {
        const one = submission(of)
        yield* runs.submit(one)
        yield* runs.change(workspaceId, one.id, Transition.interrupt)
        return one.id
      })
      const first = yield* end(workflow)
      const none = { expired: [], ended: [], unread: 1, runs: 0, events: 0 }
      assert.deepStrictEqual(yield* state, none)
      yield* readAll(webhooks)
      assert.deepStrictEqual(yield* state, none)
      yield* readAll(notifications)
      assert.deepStrictEqual(yield* state, { expired: [first], ended: [first], unread: 0, runs: 1, events: 2 })

      // The others of a workflow with many events at once are put off: they are behind the place, and not read.
      yield* Effect.forEach(Array.from({ length: 20 }), () => end(busy))
      yield* readAll(notifications)
      yield* log.consume(webhooks, 8, () => Effect.void, Effect.succeed(0))
      const late = yield* state
      assert.isAbove(late.unread, 0)
      assert.strictEqual(late.runs, 21 - (yield* parts.unread(workspaceId, future, 100)))
      assert.isBelow(late.expired.length, 10)
      yield* readAll(webhooks)
      assert.strictEqual(yield* parts.unread(workspaceId, future, 100), 0)
      assert.strictEqual(yield* parts.count(workspaceId, "runs", future, null), 21)
    })
  )
]
