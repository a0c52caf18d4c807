/**
 * The instants at which API keys were last used. They are gathered in the process and written once a minute, in one
 * statement for all keys, so that requests write nothing.
 */
import { Clock, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { Caller } from "../../../core/workspace/Workspace.ts"
import { usesNotedMillis } from "../../../core/workspace/WorkspaceStore.ts"

/** Notes uses while the scope is open, and writes the last ones when it closes. */
export const make = Effect.fn("KeyUses.make")(function* (sql: SqlClient.SqlClient) {
  const uses = new Map<string, number>()
  const write = Effect.gen(function* () {
    if (uses.size === 0) return
    const rows = [...uses].map(([id, at]) => ({ id, at: new Date(at) }))
    uses.clear()
    yield* sql`
      update api_keys set last_used_at = greatest(last_used_at, used.at)
      from json_to_recordset(${JSON.stringify(rows)}::json) as used (id uuid, at timestamptz)
      where api_keys.id = used.id`
  }).pipe(Effect.ignore)
  yield* Effect.forkScoped(Effect.forever(Effect.delay(write, usesNotedMillis)))
  yield* Effect.addFinalizer(() => Effect.timeoutOption(write, "1 second"))
  return {
    note: ({ keyId }: Caller): Effect.Effect<void> =>
      keyId === undefined
        ? Effect.void
        : Effect.map(Clock.currentTimeMillis, (now) => {
            uses.set(keyId, now)
          })
  }
})
