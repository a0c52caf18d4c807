/**
 * The promises of `CanaryStore`, and of the stores of workflows and runs about canaries: who gets which version, and what a
 * rollback does to waiting runs.
 */
import { Effect, Result } from "effect"
import type { EventLog } from "../../../../core/event/EventLog.ts"
import * as RunFailure from "../../../../core/event/RunFailure.ts"
import { CanaryStore } from "../../../../core/run/canary/CanaryStore.ts"
import { RunStore } from "../../../../core/run/RunStore.ts"
import * as Transition from "../../../../core/run/Transition.ts"
import * as Canary from "../../../../core/workflow/canary/Canary.ts"
import { type StoredWorkflow, WorkflowStore } from "../../../../core/workflow/WorkflowStore.ts"
import { RunId, VersionId } from "../../../../core/workspace/Ids.ts"
import type { Caller } from "../../../../core/workspace/Workspace.ts"
import type { WorkspaceStore } from "../../../../core/workspace/WorkspaceStore.ts"
import * as assert from "../Assertions.ts"
import * as Contract from "../Contract.ts"
import { beside, makeWorkflow, makeWorkspace, submission } from "../Fixtures.ts"

/** The ports that the promises are about. */
export type Stores = CanaryStore | EventLog | RunStore | WorkflowStore | WorkspaceStore

const terms = { share: 0.5, runs: 20, max_failures: 5 }

/** Saves the next version of a workflow, with a canary or without. */
const saveNext = (caller: Caller, id: StoredWorkflow["workflow"]["id"], withCanary: boolean) =>
  Effect.gen(function* () {
    const versionId = VersionId.make(beside(id))
    const save = (before: StoredWorkflow, at: number) => {
      const version = { ...before.version, versionId, versionNumber: before.version.versionNumber + 1, createdAt: at }
      const canary = withCanary
        ? Canary.start(before, version, terms, { at, by: caller.userId })
        : Result.succeed(before.canary)
      return Result.map(canary, (canary) => ({ ...before, version, canary }))
    }
    return yield* (yield* WorkflowStore).save(caller.workspaceId, id, save, () => Result.void)
  })

const setUp = Effect.gen(function* () {
  const caller = yield* makeWorkspace()
  const base = yield* makeWorkflow(caller)
  const candidate = yield* saveNext(caller, base.workflow.id, true)
  return { caller, base, candidate }
})

/** The id of a run of the new version, or of the one before. */
const idOf = (caller: Caller, arm: Canary.Arm) =>
  RunId.make(
    `${beside(caller.workspaceId).slice(0, -8)}${arm === "candidate" ? "0" : "f"}${beside(caller.workspaceId).slice(-7)}`
  )

const submit = (caller: Caller, workflow: StoredWorkflow, arm: Canary.Arm) =>
  Effect.gen(function* () {
    const sent = { ...submission(workflow), id: idOf(caller, arm), versionId: workflow.version.versionId }
    return (yield* (yield* RunStore).submit(sent)).run
  })

const claim = Effect.flatMap(RunStore, (runs) => runs.claim({ worker: "w", limit: 1, leaseMillis: 60_000 }))

/** Ends the run that is claimed next. */
const finish = (isFailed: boolean) =>
  Effect.gen(function* () {
    const [claimed] = yield* claim
    if (claimed === undefined) return yield* Effect.die("No run may start")
    const { id, lease } = claimed.run
    yield* (yield* RunStore).settle({ id, fence: lease.fence }, (locked, at) =>
      Transition.settle(
        locked,
        isFailed
          ? {
              _tag: "Failed",
              data: {},
              errors: [{ ...RunFailure.of({ code: "X", message: "x" }), id: beside(id), at }]
            }
          : { _tag: "Success", data: {} },
        at
      )
    )
    return id
  })

const promise = <A, E>(title: string, test: () => Effect.Effect<A, E, Stores>) =>
  Contract.promise(title, Effect.suspend(test))

export const promises: ReadonlyArray<Contract.ContractPromise<Stores>> = [
  promise("accept a run by the version that its id gets, and no other", () =>
    Effect.gen(function* () {
      const { base, caller, candidate } = yield* setUp
      assert.strictEqual((yield* submit(caller, candidate, "candidate")).versionId, candidate.version.versionId)
      assert.strictEqual((yield* submit(caller, base, "base")).versionId, base.version.versionId)
      for (const [workflow, arm] of [
        [base, "candidate"],
        [candidate, "base"]
      ] as const) {
        assert.strictEqual((yield* Effect.flip(submit(caller, workflow, arm)))._tag, "VersionOutdated")
      }
      const found = yield* (yield* WorkflowStore).get(caller.workspaceId, base.workflow.id)
      assert.deepStrictEqual(found.canary, candidate.canary)
      const recent = yield* (yield* WorkflowStore).recentTerms(caller.workspaceId, base.workflow.id)
      assert.deepStrictEqual(recent.canary, candidate.canary)
    })
  ),

  promise("count the ended runs of both versions since it began, and name one of its version that ended", () =>
    Effect.gen(function* () {
      const caller = yield* makeWorkspace()
      const base = yield* makeWorkflow(caller)
      yield* submit(caller, base, "base")
      const early = yield* finish(true)
      const runs = yield* RunStore
      const { run } = yield* runs.get(caller.workspaceId, early)
      const { canary } = yield* saveNext(caller, base.workflow.id, true)
      const candidate = yield* (yield* WorkflowStore).get(caller.workspaceId, base.workflow.id)
      const store = yield* CanaryStore
      // A canary that began after the early run.
      const since = { ...(canary ?? (yield* Effect.die("no canary"))), startedAt: run.createdAt + 1 }
      const nobody = { succeeded: 0, failed: 0 }
      assert.deepStrictEqual(yield* store.evidence(base.workflow.id, since), {
        evidence: { base: nobody, candidate: nobody },
        last: null
      })
      yield* submit(caller, candidate, "candidate")
      const first = yield* finish(true)
      yield* submit(caller, candidate, "candidate")
      const second = yield* finish(false)
      yield* submit(caller, base, "base")
      yield* finish(false)
      yield* submit(caller, candidate, "candidate")
      const now = { ...since, startedAt: run.createdAt }
      const { evidence, last } = yield* store.evidence(base.workflow.id, now)
      assert.deepStrictEqual(evidence, {
        base: { succeeded: 1, failed: 1 },
        candidate: { succeeded: 1, failed: 1 }
      })
      // Both may have ended in the same millisecond.
      assert.strictEqual(last !== null && [first, second].includes(last), true)
    })
  ),

  promise("give the restored version to runs that wait for their first start, and to no others", () =>
    Effect.gen(function* () {
      const { base, caller, candidate } = yield* setUp
      const runs = yield* RunStore
      const started = yield* submit(caller, candidate, "candidate")
      yield* claim
      const waiting = yield* submit(caller, candidate, "candidate")
      const other = yield* submit(caller, base, "base")
      const versionId = VersionId.make(beside(caller.workspaceId))
      const rollBack = (before: StoredWorkflow, at: number) => {
        const version = { ...base.version, versionId, versionNumber: before.version.versionNumber + 1, createdAt: at }
        const canary = before.canary === null ? null : ({ ...before.canary, state: "stopped" } as const)
        return Result.succeed({ ...before, version, canary })
      }
      yield* (yield* WorkflowStore).save(caller.workspaceId, base.workflow.id, rollBack, () => Result.void)
      const versionOf = (id: RunId) => Effect.map(runs.get(caller.workspaceId, id), ({ run }) => run.versionId)
      assert.strictEqual(yield* versionOf(waiting.id), versionId)
      assert.strictEqual(yield* versionOf(started.id), candidate.version.versionId)
      assert.strictEqual(yield* versionOf(other.id), base.version.versionId)
      const again = { ...base, version: { ...base.version, versionId } }
      assert.strictEqual((yield* submit(caller, again, "candidate")).versionId, versionId)
      assert.strictEqual((yield* submit(caller, again, "base")).versionId, versionId)
    })
  ),

  promise("end a canary when another version is saved, and list only those that are running", () =>
    Effect.gen(function* () {
      const { base, caller, candidate } = yield* setUp
      const running = Effect.map(
        Effect.flatMap(CanaryStore, ({ running }) => running),
        (all) => all.filter(({ workflowId }) => workflowId === base.workflow.id)
      )
      assert.deepStrictEqual(yield* running, [
        { workspaceId: caller.workspaceId, workflowId: base.workflow.id, canary: candidate.canary }
      ])
      const saved = yield* saveNext(caller, base.workflow.id, false)
      assert.deepStrictEqual(yield* running, [])
      const found = yield* (yield* WorkflowStore).get(caller.workspaceId, base.workflow.id)
      assert.strictEqual(found.canary?.state, "replaced")
      assert.strictEqual((yield* submit(caller, saved, "base")).versionId, saved.version.versionId)
      const next = yield* saveNext(caller, base.workflow.id, true)
      assert.strictEqual(next.canary?.base.versionNumber, saved.version.versionNumber)
      assert.strictEqual((yield* running).length, 1)
      yield* (yield* WorkflowStore).remove(caller.workspaceId, base.workflow.id)
      assert.deepStrictEqual(yield* running, [])
    })
  ),

  promise("append the event of its end to the log of an ended run", () =>
    Effect.gen(function* () {
      const { base, caller, candidate } = yield* setUp
      yield* submit(caller, candidate, "candidate")
      const runId = yield* finish(false)
      const event = {
        event: "workflow.canary",
        runId,
        workflowId: base.workflow.id,
        state: "stopped",
        reason: "It failed",
        version: 2,
        base: 1,
        restored: 3
      } as const
      yield* (yield* CanaryStore).announce(event)
      const events = yield* (yield* RunStore).events(runId, 0)
      assert.deepStrictEqual(events.at(-1)?.event, event)
    })
  )
]
