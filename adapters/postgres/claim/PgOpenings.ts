/** The held runs whose credentials are checked before their window opens. */
import { Clock, Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { isWaiting } from "../../../core/run/Run.ts"
import type { Opening } from "../../../core/run/RunStore.ts"
import { withoutSqlErrors } from "../Transaction.ts"
import * as Runs from "../tables/Runs.ts"
import * as PgQueues from "./PgQueues.ts"

/** How many workflows are looked at, and how many queues of each: the runs of one queue need the same credentials. */
const mostWorkflows = 500
const mostQueues = 256

const Checked = Schema.fromJsonString(Schema.Struct({ sign_in_check_minutes: Schema.Int }))
const minutesIn = Schema.decodeUnknownOption(Checked)

interface OpeningRow {
  readonly workflow_id: string
  readonly starts_at: Date
  readonly settings: string
}

export const opening = (sql: SqlClient.SqlClient, until: number) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const gates = yield* sql<OpeningRow>`
      select gates.workflow_id, gates.starts_at, latest.settings from gates
      join lateral (select settings from workflow_versions where workflow_versions.workflow_id = gates.workflow_id
        order by version_number desc limit 1) latest on true
      where waiting and slots and removed_at is null and starts_at > ${new Date(now)} and starts_at <= ${new Date(until)}
        and latest.settings like '%"sign_in_check_minutes"%'
      order by gates.starts_at, gates.workflow_id limit ${mostWorkflows}`
    const found: Array<Opening> = []
    for (const { settings, starts_at, workflow_id } of gates) {
      const read = minutesIn(settings)
      if (read._tag === "None") continue
      const rows = yield* sql<Runs.Row>`
        with ${PgQueues.queues(sql, workflow_id, " ")}
        select runs.* from (select queue from queues where queue is not null limit ${mostQueues}) as ahead
        cross join lateral ${PgQueues.oldestIn(sql, {
          workflowId: workflow_id,
          queue: sql`ahead.queue`,
          behind: 0n,
          limit: 1,
          condition: sql`true`
        })} as head join runs on runs.id = head.id order by head.queue`
      const leadMillis = read.value.sign_in_check_minutes * 60_000
      for (const run of rows.map(Runs.toRun).filter(isWaiting)) {
        found.push({ run, opensAt: starts_at.getTime(), leadMillis })
      }
    }
    return found
  }).pipe(withoutSqlErrors)
