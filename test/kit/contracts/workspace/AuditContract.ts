/**
 * The promises of every implementation of the audit trail: `Audit`, on the data of the stores of workflows and gates.
 */
import { Effect, Result } from "effect"
import * as Gate from "../../../../core/gate/Gate.ts"
import * as GateAudit from "../../../../core/gate/GateAudit.ts"
import { GateStore } from "../../../../core/gate/GateStore.ts"
import type { WorkflowStore } from "../../../../core/workflow/WorkflowStore.ts"
import { Audit, type Draft } from "../../../../core/workspace/audit/Audit.ts"
import type { AuditAction } from "../../../../core/workspace/audit/AuditAction.ts"
import type { WorkspaceStore } from "../../../../core/workspace/WorkspaceStore.ts"
import * as assert from "../Assertions.ts"
import * as Contract from "../Contract.ts"
import { beside, daily, makeWorkflow, makeWorkspace } from "../Fixtures.ts"

/** The ports that the promises are about. */
export type Stores = Audit | GateStore | WorkflowStore | WorkspaceStore

const draft = (action: AuditAction, resourceId: string): Draft => ({
  action,
  resourceId,
  before: null,
  after: { action }
})

const promise = <A, E>(title: string, test: () => Effect.Effect<A, E, Stores>) =>
  Contract.promise(`the audit trail ${title}`, Effect.suspend(test))

/** What every implementation promises. */
export const promises: ReadonlyArray<Contract.ContractPromise<Stores>> = [
  promise("lists the entries of its own workspace, newest first, by each filter and page by page", () =>
    Effect.gen(function* () {
      const audit = yield* Audit
      const stranger = yield* makeWorkspace()
      const caller = { ...(yield* makeWorkspace()), keyId: beside(stranger.workspaceId) }
      const other = { ...caller, userId: (yield* makeWorkspace()).userId, keyId: beside(stranger.workspaceId) }
      const drafts = (["run_window.set", "run_window.remove", "key.create", "lift.start"] as const).map((one) =>
        draft(one, beside(stranger.workspaceId))
      )
      for (const one of drafts) yield* audit.record(one.action === "key.create" ? other : caller, one)
      yield* audit.record(stranger, draft("run_window.set", beside(stranger.workspaceId)))
      const actions = (filter: Partial<Parameters<Audit["Service"]["list"]>[1]>) =>
        Effect.map(audit.list(caller.workspaceId, { limit: 10, ...filter }), (all) => all.map(({ action }) => action))
      const all = yield* audit.list(caller.workspaceId, { limit: 10 })
      assert.deepStrictEqual(
        all.map(({ action, after, keyId, resourceId, userId }) => ({ action, after, keyId, resourceId, userId })),
        drafts.toReversed().map(({ action, after, resourceId }) => {
          const { keyId, userId } = action === "key.create" ? other : caller
          return { action, after, keyId, resourceId, userId }
        })
      )
      const page = yield* audit.list(caller.workspaceId, { limit: 2 })
      assert.deepStrictEqual(page, all.slice(0, 2))
      assert.deepStrictEqual(yield* actions({ before: page[1]?.position ?? 0 }), [
        "run_window.remove",
        "run_window.set"
      ])
      assert.deepStrictEqual(yield* actions({ actions: ["run_window"] }), ["run_window.remove", "run_window.set"])
      assert.deepStrictEqual(yield* actions({ actions: ["run_window.set", "key"] }), ["key.create", "run_window.set"])
      assert.deepStrictEqual(yield* actions({ resourceId: drafts[3]?.resourceId ?? "" }), ["lift.start"])
      assert.deepStrictEqual(yield* actions({ userId: other.userId }), ["key.create"])
      assert.deepStrictEqual(yield* actions({ keyId: other.keyId }), ["key.create"])
      const newest = all[0]?.at ?? 0
      assert.deepStrictEqual(yield* actions({ from: newest + 1 }), [])
      assert.lengthOf(yield* actions({ to: newest + 1 }), 4)
    })
  ),
  promise("holds an entry of each change that was made, and of none that was refused or undone", () =>
    Effect.gen(function* () {
      const [audit, gates] = [yield* Audit, yield* GateStore]
      const caller = yield* makeWorkspace()
      const { id, name } = (yield* makeWorkflow(caller)).workflow
      const set = (hour: number) =>
        audit.recording(
          caller,
          gates.change(caller.workspaceId, id, (gate, at) =>
            Result.succeed(Gate.setWindow(gate, daily(hour, hour + 1), { at, by: caller.userId }))
          ),
          GateAudit.ofWindow(id)
        )
      yield* Effect.all([1, 2, 3].map(set), { concurrency: "unbounded" })
      const refused = gates.change(caller.workspaceId, id, () => Result.fail("no"))
      assert.strictEqual(
        (yield* Effect.flip(audit.recording(caller, refused, () => [draft("run_window.set", id)]))) as string,
        "no"
      )
      const entries = (yield* audit.list(caller.workspaceId, { limit: 10 })).toReversed()
      assert.deepStrictEqual(
        entries.map(({ resourceName }) => resourceName),
        [name, name, name]
      )
      assert.deepStrictEqual(
        entries.map(({ after }) => (after as { readonly run_window_revision: number }).run_window_revision),
        [1, 2, 3]
      )
      // Each entry begins with the state in which the one before has left the gate.
      assert.deepStrictEqual(
        entries.map(({ before }) => before),
        [null, ...entries.slice(0, 2).map(({ after }) => after)]
      )
    })
  ),
  promise("keeps a long state as its length", () =>
    Effect.gen(function* () {
      const audit = yield* Audit
      const caller = yield* makeWorkspace()
      yield* audit.record(caller, {
        ...draft("settings.change", beside(caller.workspaceId)),
        after: "x".repeat(100_000)
      })
      const [entry] = yield* audit.list(caller.workspaceId, { limit: 1 })
      assert.deepStrictEqual(entry?.after, {
        left_out: "100002 characters of JSON: an entry keeps at most 65536"
      })
    })
  )
]
