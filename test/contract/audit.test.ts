import { randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Effect, Exit, type Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import * as Gate from "../../core/gate/Gate.ts"
import { GateStore } from "../../core/gate/GateStore.ts"
import { Audit, type Draft } from "../../core/workspace/audit/Audit.ts"
import type { AuditAction } from "../../core/workspace/audit/AuditAction.ts"
import * as AuditContract from "../kit/contracts/workspace/AuditContract.ts"
import * as databases from "../support/databases.ts"
import { makeWorkflow, makeWorkspace } from "../support/fixtures.ts"
import { isAll } from "../support/scale.ts"

const draft = (action: AuditAction, resourceId = randomUUID()): Draft => ({
  action,
  resourceId,
  before: null,
  after: { action }
})

/** The contract, kept by one implementation. */
const suite = <E, R>(name: string, layer: Layer.Layer<AuditContract.Stores | R, E>) =>
  it.layer(layer)(`the audit trail (${name})`, (it) => {
    for (const { keeps, title } of AuditContract.promises) it.effect(title, () => keeps)
  })

suite("memory", databases.memory[0])
if (isAll) suite("embedded", databases.embedded[0])
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
