/** A database with very many runs, for what is measured over long lists. */
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { asValue, labelOf } from "../../adapters/postgres/list/PgLabels.ts"
import * as RunFailure from "../../core/event/RunFailure.ts"
import type { StoredWorkflow } from "../../core/workflow/WorkflowStore.ts"
import type { Caller } from "../../core/workspace/Workspace.ts"
import { daily } from "../support/fixtures.ts"

/** Over how many days the runs are spread. */
export const days = 30

/**
 * Fills the tables in a few statements: 2 % of the runs wait, a fifth of those for a closed gate and a fifth for a pause;
 * 8 % failed with one of 20 codes, 1 % were stopped, and one in ten has one of 50 tags.
 */
const fill = Effect.fnUntraced(function* (caller: Caller, made: ReadonlyArray<StoredWorkflow>, runs: number) {
  const sql = yield* SqlClient.SqlClient
  const ids = JSON.stringify(
    made.map(({ version, workflow }, place) => ({ place, w: workflow.id, v: version.versionId }))
  )
  const failure = JSON.stringify([{ ...RunFailure.of({ code: "CODE", message: "No" }), id: "1", at: 0 }])
  // Triggers write one row at a time.
  yield* sql`set local session_replication_role = replica`
  yield* sql`
    insert into runs (id, workspace_id, workflow_id, version_id, status, input, options, created_at, started_at, ended_at,
      attempts, retries, max_retries, not_before, acted, committed, data, errors, trigger, tags)
    select gen_random_uuid(), ${caller.workspaceId}, w, v, status,
      '{"name":"Person ' || n || '","note":"' || repeat('x', 300) || '"}', '{}', at,
      case when status in ('execution.success', 'execution.failed') then at end,
      case when status not like '%queued' then at + interval '40 seconds' end, 1, 0, 0, at, false, false,
      '{"city":"Bern ' || n || '"}',
      case when status = 'execution.failed' then replace(${failure}::text, 'CODE', 'SITE-' || n % 20) else '[]' end,
      (array['api', 'api', 'api', 'schedule', 'retry'])[1 + n % 5],
      case when n % 10 = 3 then array['tag-' || (n / 10) % 50] else '{}' end
    from (select n, ids.w, ids.v,
        now() - interval '${sql.literal(String(days))} days' * (1 - n::float8 / ${runs}) as at,
        case when (n::bigint * 31) % 100 < 2 then 'execution.queued' when (n::bigint * 31) % 100 < 10 then 'execution.failed'
          when (n::bigint * 31) % 100 < 11 then 'execution.stopped' else 'execution.success' end as status
      from generate_series(1, ${runs}::int) n
      join json_to_recordset(${ids}::json) as ids (place int, w uuid, v uuid)
        on ids.place = (n::bigint * 7919) % ${made.length}) made order by n`
  yield* sql`
    insert into run_errors (run_id, position, workspace_id, workflow_id, at, error_code, body)
    select id, 1, workspace_id, workflow_id, ended_at, '"' || (errors::json -> 0 ->> 'code') || '"', errors
    from runs where status = 'execution.failed'`
  yield* sql`
    insert into run_labels select workspace_id, run_label('tag', tags[1]), created_at, sequence, id,
      workflow_id, trigger from runs where tags <> '{}'`
  yield* sql`
    insert into run_labels select workspace_id, run_label('error', '"' || (errors::json -> 0 ->> 'code') || '"'), created_at,
      sequence, id, workflow_id, trigger from runs where status = 'execution.failed'`
  const user = labelOf("credential", asValue("u-1"))
  yield* sql`
    insert into run_labels select workspace_id, ${user}::uuid, created_at, sequence, id, workflow_id, trigger
    from runs where sequence % 25 = 0`
  yield* sql`update gates set waiting = true`
  const gates = made.map(({ workflow }) => workflow.id)
  yield* sql`update gates set starts_at = null, paused_at = now() where ${sql.in("workflow_id", gates.slice(0, 40))}`
  yield* sql`
    update gates set starts_at = now() + interval '1 day', stops_at = now() + interval '2 days',
      run_window = ${JSON.stringify(daily(8, 9))}
    where ${sql.in("workflow_id", gates.slice(40, 80))}`
  return gates
})

/** Fills a database with runs of workflows, over the last 30 days, by a client whose statements take as long as they do. */
export const filled = Effect.fnUntraced(
  function* (_url: string, caller: Caller, made: ReadonlyArray<StoredWorkflow>, runs: number) {
    const sql = yield* SqlClient.SqlClient
    const ids = yield* sql.withTransaction(fill(caller, made, runs))
    for (const table of ["runs", "run_labels", "run_errors", "gates"]) yield* sql`vacuum analyze ${sql(table)}`
    return ids
  },
  (effect, url) => Effect.provide(effect, PgClient.layer({ url: Redacted.make(url) }))
)
