/** Counts the waiting work of an installation in the database. One process of an installation runs this. */
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Backlog } from "../../../core/runtime/Gauges.ts"
import { withoutSqlErrors } from "../Transaction.ts"

interface Counted {
  readonly reason: string
  readonly count: number
  readonly longest: number
}

interface Others {
  readonly running: number
  readonly lost: number
  readonly overdue: number | null
  readonly deliveries: number
  readonly oldest: number | null
}

/** Counts what waits now. It reads an index of waiting runs, and takes longer the more of them there are. */
export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return Effect.gen(function* () {
    const now = new Date(yield* Clock.currentTimeMillis)
    const waiting = yield* sql<Counted>`
      select case
          when g.paused_at is not null and (g.paused_until is null or g.paused_until > ${now}) then 'manual_pause'
          when g.run_window is not null and (g.starts_at is null or g.starts_at > ${now}) then 'run_window'
          when r.not_before > ${now} then 'retry'
          when g.paced_until > ${now} then 'pace'
          when g.blocked_on is not null then 'credential'
          else 'worker' end as reason,
        count(*)::double precision as count,
        extract(epoch from ${now} - min(greatest(r.not_before, r.created_at, g.starts_at, g.paced_until)))::double precision as longest
      from runs r join gates g using (workflow_id)
      where r.status in ('execution.queued', 'execution.requeued') group by 1`
    const [others] = yield* sql<Others>`
      select
        (select count(*) from runs where lease_until is not null)::double precision as running,
        (select count(*) from runs where lease_until < ${now})::double precision as lost,
        (select extract(epoch from ${now} - min(review_at)) from gates where review_at is not null)::double precision
          as overdue,
        (select count(*) from webhook_deliveries where status = 'pending')::double precision as deliveries,
        (select extract(epoch from ${now} - min(since)) from webhook_deliveries where status = 'pending')
          ::double precision as oldest`
    const backlog: Backlog = {
      waiting: new Map(waiting.map(({ count, reason }) => [reason, count])),
      startable: Math.max(0, waiting.find(({ reason }) => reason === "worker")?.longest ?? 0),
      running: others?.running ?? 0,
      lost: others?.lost ?? 0,
      reviewOverdue: Math.max(0, others?.overdue ?? 0),
      deliveries: others?.deliveries ?? 0,
      oldestDelivery: Math.max(0, others?.oldest ?? 0)
    }
    return backlog
  }).pipe(withoutSqlErrors)
})
