import { randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Effect, Exit, type Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import * as Gate from "../../core/gate/Gate.ts"
import * as GateAudit from "../../core/gate/GateAudit.ts"
import { GateStore } from "../../core/gate/GateStore.ts"
import type { WorkflowStore } from "../../core/workflow/WorkflowStore.ts"
import { Audit, type Draft } from "../../core/workspace/audit/Audit.ts"
import type { WorkspaceStore } from "../../core/workspace/WorkspaceStore.ts"
import * as databases from "../support/databases.ts"
import { daily, makeWorkflow, makeWorkspace } from "../support/fixtures.ts"

const draft = (action: string, resourceId = randomUUID()): Draft => ({
  action,
  resourceId,
  before: null,
  after: { action }
})

/** The promises of every implementation of the audit trail. */
const suite = <E>(name: string, layer: Layer.Layer<Audit | GateStore | WorkflowStore | WorkspaceStore, E>) =>
  it.layer(layer, { timeout: "60 seconds" })(`the audit trail (${name})`, (it) => {
    it.effect("lists the entries of its own workspace, newest first, by each filter and page by page", () =>
      Effect.gen(function* () {
        const audit = yield* Audit
        const caller = { ...(yield* makeWorkspace()), keyId: randomUUID() }
        const other = { ...caller, userId: (yield* makeWorkspace()).userId, keyId: randomUUID() }
        const stranger = yield* makeWorkspace()
        const drafts = ["run_window.set", "run_window.remove", "key.create", "lift.start"].map((one) => draft(one))
        for (const one of drafts) yield* audit.record(one.action === "key.create" ? other : caller, one)
        yield* audit.record(stranger, draft("run_window.set"))
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
    )

    it.effect("holds an entry of each change that was made, and of none that was refused or undone", () =>
      Effect.gen(function* () {
        const [audit, gates] = [yield* Audit, yield* GateStore]
        const caller = yield* makeWorkspace()
        const { id } = (yield* makeWorkflow(caller)).workflow
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
          (yield* Effect.flip(audit.recording(caller, refused, () => [draft("run_window.set")]))) as string,
          "no"
        )
        const entries = (yield* audit.list(caller.workspaceId, { limit: 10 })).toReversed()
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
    )

    it.effect("keeps a long state as its length", () =>
      Effect.gen(function* () {
        const audit = yield* Audit
        const caller = yield* makeWorkspace()
        yield* audit.record(caller, { ...draft("settings.change"), after: "x".repeat(100_000) })
        const [entry] = yield* audit.list(caller.workspaceId, { limit: 1 })
        assert.deepStrictEqual(entry?.after, {
          left_out: "100002 characters of JSON: an entry keeps at most 65536"
        })
      })
    )
  })

suite("memory", databases.memory[0])
suite("embedded", databases.embedded[0])
suite("postgres", databases.postgres[0])

it.live("the database refuses to change or delete an entry of the audit trail, and undoes one with its change", () =>
  Effect.gen(function* () {
    const [audit, gates, sql] = [yield* Audit, yield* GateStore, yield* SqlClient.SqlClient]
    const caller = yield* makeWorkspace()
    const { id } = (yield* makeWorkflow(caller)).workflow
    yield* audit.record(caller, draft("key.create"))
    for (const statement of ["update audit_entries set action = 'none'", "delete from audit_entries"]) {
      const exit = yield* Effect.exit(sql.unsafe(statement))
      assert.isTrue(Exit.isFailure(exit), statement)
    }
    // An entry that cannot be appended takes its change with it.
    const change = gates.change(caller.workspaceId, id, (gate, at) =>
      Result.succeed(Gate.pause(gate, { at, by: caller.userId }, { reason: "", until: null }))
    )
    const broken = { ...draft("pause.start"), resourceId: "\u0000" }
    assert.isTrue(Exit.isFailure(yield* Effect.exit(audit.recording(caller, change, () => [broken]))))
    assert.isNull((yield* gates.get(caller.workspaceId, id)).pause)
    assert.lengthOf(yield* audit.list(caller.workspaceId, { limit: 10 }), 1)
  }).pipe(Effect.provide(databases.embedded[0]), Effect.scoped)
)
