/**
 * The promises of every store of what runs leave behind beside their events: `EvidenceStore`, and `ErrorReports` on the
 * data of the stores of runs.
 *
 * They expect stores without runs that wait: give each promise new stores, or empty them before.
 */
import { Effect, Option } from "effect"
import type { RecordedExchange } from "../../../../core/browser/Exchange.ts"
import * as RunFailure from "../../../../core/event/RunFailure.ts"
import { ErrorReports } from "../../../../core/run/evidence/ErrorReports.ts"
import { bounds, EvidenceStore } from "../../../../core/run/evidence/EvidenceStore.ts"
import type { Run } from "../../../../core/run/Run.ts"
import { RunStore } from "../../../../core/run/RunStore.ts"
import * as Transition from "../../../../core/run/Transition.ts"
import type { StoredWorkflow, WorkflowStore } from "../../../../core/workflow/WorkflowStore.ts"
import type { WorkspaceStore } from "../../../../core/workspace/WorkspaceStore.ts"
import * as assert from "../Assertions.ts"
import * as Contract from "../Contract.ts"
import { beside, makeWorkflow, makeWorkspace, submission } from "../Fixtures.ts"

/** The ports that the promises are about. */
export type Stores = ErrorReports | EvidenceStore | RunStore | WorkflowStore | WorkspaceStore

/** A request of a network log that began at an instant. */
export const recordedOf = (id: string, at: number, body: string | null = null): RecordedExchange => ({
  id,
  method: "GET",
  url: "https://shop.example/\u0000\ud800",
  status: 200,
  resourceType: "xhr",
  startedAt: at,
  durationMillis: 1,
  failure: null,
  requestHeaders: {},
  responseHeaders: {},
  responseBody: body,
  responseBodyTruncated: false
})

/** A run of a workflow that has failed with errors of these codes, each at its instant. */
const failingRun = Effect.fn(function* (
  made: StoredWorkflow,
  failures: ReadonlyArray<readonly [string | null, number]>
) {
  const runs = yield* RunStore
  const errors = failures.map(
    ([code, at]): RunFailure.RunFailure => ({
      ...RunFailure.of({ code, message: `It failed \u0000 \ud800 at ${at}` }),
      id: beside(made.workflow.workspaceId),
      at
    })
  )
  yield* runs.submit(submission(made))
  const [claimed] = yield* runs.claim({ worker: "w", limit: 1, leaseMillis: 30_000 })
  const fence = claimed?.run.lease?.fence ?? 0
  const { run } = yield* runs.settle({ id: claimed?.run.id as Run["id"], fence }, (locked, at) =>
    Transition.finish(locked, { _tag: "Failed", data: {}, errors }, at)
  )
  return run
})

const promise = <A, E>(title: string, test: () => Effect.Effect<A, E, Stores>) =>
  Contract.promise(`what runs leave behind ${title}`, Effect.suspend(test))

/** What every implementation promises. */
export const promises: ReadonlyArray<Contract.ContractPromise<Stores>> = [
  promise("keeps the last snapshot of each node", () =>
    Effect.gen(function* () {
      const store = yield* EvidenceStore
      const sent = submission(yield* makeWorkflow(yield* makeWorkspace()))
      yield* (yield* RunStore).submit(sent)
      const snapshot = { runId: sent.id, nodeId: "a", artifactId: beside(sent.id), at: 1 }
      assert.isTrue(Option.isNone(yield* store.snapshot(sent.id, "a")))
      yield* store.keepSnapshot({ ...snapshot, artifactId: beside(sent.id), at: 0 })
      yield* store.keepSnapshot(snapshot)
      yield* store.keepSnapshot({ ...snapshot, nodeId: "b", artifactId: beside(sent.id) })
      assert.deepStrictEqual(yield* store.snapshot(sent.id, "a"), Option.some(snapshot))
    })
  ),
  promise("loses what is older than an instant, and says so in the log", () =>
    Effect.gen(function* () {
      const store = yield* EvidenceStore
      const sent = submission(yield* makeWorkflow(yield* makeWorkspace()))
      yield* (yield* RunStore).submit(sent)
      const snapshot = (nodeId: string, at: number) => ({ runId: sent.id, nodeId, artifactId: beside(sent.id), at })
      const young = snapshot("young", 2_000)
      yield* store.keepSnapshot(snapshot("old", 1_000))
      yield* store.keepSnapshot(young)
      yield* store.openLog(sent.id)
      yield* store.log(sent.id, [recordedOf("1-1", 1_000), recordedOf("1-2", 2_000)])
      yield* store.closeLog(sent.id, false)
      while ((yield* store.expire(2_000, 10)) > 0);
      assert.isTrue(Option.isNone(yield* store.snapshot(sent.id, "old")))
      assert.deepStrictEqual(yield* store.snapshot(sent.id, "young"), Option.some(young))
      assert.deepStrictEqual(
        yield* store.network(sent.id),
        Option.some({ events: [recordedOf("1-2", 2_000)], open: false, truncated: true })
      )
    })
  ),
  promise("keeps a network log over several attempts, in order, within its bounds", () =>
    Effect.gen(function* () {
      const store = yield* EvidenceStore
      const { id } = submission(yield* makeWorkflow(yield* makeWorkspace()))
      const sent = submission(yield* makeWorkflow(yield* makeWorkspace()), { id })
      yield* (yield* RunStore).submit(sent)
      assert.isTrue(Option.isNone(yield* store.network(id)))
      assert.deepStrictEqual(yield* store.openLog(id), bounds)
      const [late, early] = [recordedOf("1-2", 2_000, "x".repeat(10)), recordedOf("1-1", 1_000)]
      yield* store.log(id, [late])
      yield* store.log(id, [])
      yield* store.log(id, [early])
      assert.deepStrictEqual(
        yield* store.network(id),
        Option.some({ events: [early, late], open: true, truncated: false })
      )
      yield* store.closeLog(id, false)
      assert.deepStrictEqual(yield* store.openLog(id), {
        events: bounds.events - 2,
        bodyCharacters: bounds.bodyCharacters - 10
      })
      yield* store.closeLog(id, false)
      assert.deepInclude(Option.getOrThrow(yield* store.network(id)), { open: false, truncated: false })
    })
  ),
  promise("marks a network log as truncated when its worker was lost, or left something out", () =>
    Effect.gen(function* () {
      const store = yield* EvidenceStore
      const workflow = yield* makeWorkflow(yield* makeWorkspace())
      const [lost, over] = [submission(workflow), submission(workflow)]
      yield* Effect.forEach([lost, over], (yield* RunStore).submit)
      yield* store.openLog(lost.id)
      yield* store.openLog(lost.id)
      yield* store.closeLog(lost.id, false)
      assert.deepInclude(Option.getOrThrow(yield* store.network(lost.id)), { open: false, truncated: true })
      yield* store.openLog(over.id)
      yield* store.closeLog(over.id, true)
      assert.deepInclude(Option.getOrThrow(yield* store.network(over.id)), { open: false, truncated: true })
    })
  ),
  promise("counts all failures within a frame by their code, and shows the newest", () =>
    Effect.gen(function* () {
      const reports = yield* ErrorReports
      const caller = yield* makeWorkspace()
      const [workflow, other] = [yield* makeWorkflow(caller), yield* makeWorkflow(caller)]
      const odd = "odd \u0000 code"
      const first = yield* failingRun(workflow, [
        ["A", 1_000],
        [odd, 2_000]
      ])
      const second = yield* failingRun(workflow, [
        ["A", 3_000],
        [null, 9_000]
      ])
      const third = yield* failingRun(workflow, [["A", 4_000]])
      yield* failingRun(other, [["A", 3_000]])
      const id = workflow.workflow.id
      const all = { from: 1_000, to: 9_000, limit: 1_000 }
      assert.deepStrictEqual(yield* reports.report(caller.workspaceId, { ...all, workflowIds: [id] }), [
        {
          code: "A",
          count: 3,
          errors: [
            { runId: third.id, error: third.errors[0] as RunFailure.RunFailure },
            { runId: second.id, error: second.errors[0] as RunFailure.RunFailure },
            { runId: first.id, error: first.errors[0] as RunFailure.RunFailure }
          ]
        },
        {
          code: "UNKNOWN",
          count: 1,
          errors: [{ runId: second.id, error: second.errors[1] as RunFailure.RunFailure }]
        },
        { code: odd, count: 1, errors: [{ runId: first.id, error: first.errors[1] as RunFailure.RunFailure }] }
      ])
      const everywhere = yield* reports.report(caller.workspaceId, { ...all, codes: ["A", odd] })
      assert.deepStrictEqual(
        everywhere.map(({ code, count }) => [code, count]),
        [
          ["A", 4],
          [odd, 1]
        ]
      )
      const some = yield* reports.report(caller.workspaceId, { workflowIds: [id], from: 1_001, to: 4_000, limit: 1 })
      assert.deepStrictEqual(
        some.map(({ code, count, errors }) => [code, count, errors.map(({ runId }) => runId)]),
        [
          ["A", 2, [third.id]],
          [odd, 1, []]
        ]
      )
      assert.deepStrictEqual(
        yield* reports.report((yield* makeWorkspace()).workspaceId, { ...all, workflowIds: [id] }),
        []
      )
    })
  )
]
