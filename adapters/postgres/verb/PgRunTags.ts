/** Edits the tags of runs in PostgreSQL, in pieces. A run that has ended has nothing else that may change. */
import { Clock, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import * as Run from "../../../core/run/Run.ts"
import type { RunStore } from "../../../core/run/RunStore.ts"
import { transaction } from "../Transaction.ts"
import * as Gates from "../tables/Gates.ts"
import * as Runs from "../tables/Runs.ts"

type Row = Runs.HeldRow & Gates.Row & { readonly id: string; readonly tags: ReadonlyArray<string> }

/** How many runs one transaction reads and writes. */
const piece = 500

export const make =
  (sql: SqlClient.SqlClient): RunStore["Service"]["changeTags"] =>
  (workspaceId, ids, decide, { dryRun }) =>
    Effect.gen(function* () {
      const found = new Map<string, { readonly status: Run.Status; readonly before: ReadonlyArray<string> }>()
      const sorted = [...new Set<string>(ids)].sort()
      for (let from = 0; from < sorted.length; from += piece) {
        const some = sorted.slice(from, from + piece)
        yield* transaction(
          sql,
          Effect.gen(function* () {
            const rows = yield* sql<Row>`
              select gates.*, runs.id, runs.tags, runs.status, runs.released_at, runs.released_by, runs.released_pause
              from runs join gates on gates.workflow_id = runs.workflow_id
              where ${sql.in("runs.id", some)} and runs.workspace_id = ${workspaceId}
              order by runs.id ${dryRun ? sql`` : sql`for no key update of runs`}`
            const now = yield* Clock.currentTimeMillis
            const changed = rows.flatMap((row) => {
              const after = decide(row.tags)
              found.set(row.id, { status: Run.statusAt(Runs.heldOf(row), Gates.toGate(row), now), before: row.tags })
              return after === null || dryRun ? [] : [{ id: row.id, tags: after }]
            })
            if (changed.length === 0) return
            yield* sql`
              update runs set tags = array(select json_array_elements_text(new.tags))
              from json_to_recordset(${JSON.stringify(changed)}::json) as new (id uuid, tags json)
              where runs.id = new.id`
          })
        )
      }
      return ids.map((id) => found.get(id) ?? null)
    })
