/**
 * Appends the events of running attempts in PostgreSQL, and marks their progress. What several attempts of a process
 * report at the same time is written in one statement.
 */
import { Clock, Effect, Option } from "effect"
import type { SqlClient } from "effect/sql"
import { fileOf, type RunEvent } from "../../../core/event/RunEvent.ts"
import { LeaseLost, type Progress } from "../../../core/run/Run.ts"
import type { LeaseRef } from "../../../core/run/RunStore.ts"
import type { StoreUnavailable } from "../../../core/runtime/StoreUnavailable.ts"
import type { HeldRuns } from "../claim/HeldRuns.ts"
import * as GroupCommit from "../GroupCommit.ts"
import { withoutSqlErrors } from "../Transaction.ts"
import * as Events from "../tables/Events.ts"
import * as Table from "../tables/Table.ts"

interface Reported {
  readonly lease: LeaseRef
  readonly events: ReadonlyArray<RunEvent>
  readonly progress: Partial<Progress>
}

/** Reports as the port says. */
export const make = (sql: SqlClient.SqlClient, held: HeldRuns) => {
  const withOthers = GroupCommit.make(sql, {
    most: 64,
    groups: 2,
    all: (all: ReadonlyArray<Reported>) => Effect.map(write(sql, all), (owned) => owned.map(Option.some))
  })
  return (reported: Reported): Effect.Effect<void, LeaseLost | StoreUnavailable> =>
    Effect.gen(function* () {
      const { events, lease, progress } = reported
      if (Object.keys(progress).length > 0 || events.some((event) => fileOf(event).length > 0)) held.forget(lease)
      const answered = yield* withOthers(reported)
      const owned = Option.isSome(answered) ? answered.value : (yield* write(sql, [reported]))[0]
      const { fence, id } = lease
      if (owned !== true) return yield* new LeaseLost({ sessionId: id, fence })
    })
}

/** Writes reports, and answers for each whether its lease is still its own. Nothing of the others is written. */
const write = (sql: SqlClient.SqlClient, all: ReadonlyArray<Reported>) =>
  Effect.gen(function* () {
    const at = yield* Clock.currentTimeMillis
    const leases = all.map(({ lease, progress }, position) => ({
      ...lease,
      acted: progress.acted === true,
      committed: progress.committed === true,
      mark: progress.mark == null ? null : JSON.stringify(progress.mark),
      position
    }))
    const events = all
      .flatMap(({ events, lease }) =>
        events.map((event) => ({ ...Events.table.encode({ runId: lease.id, at, event }), fence: lease.fence }))
      )
      .map((event, position) => ({ ...event, position }))
    const owned = yield* sql<{ readonly id: string; readonly fence: bigint }>`
      with reported as materialized (
        select id, fence, bool_or(acted) as acted, bool_or(committed) as committed,
          (array_agg(mark order by position desc) filter (where mark is not null))[1] as mark
        from json_to_recordset(${JSON.stringify(leases)}::json) as reported (
          id uuid, fence bigint, acted boolean, committed boolean, mark text, position integer) group by id, fence
      ), owned as materialized (
        select runs.id, lease_fence as fence, reported.acted, reported.committed, reported.mark from runs
        join reported on reported.id = runs.id and reported.fence = runs.lease_fence
        order by runs.id for no key update of runs
      ), marked as (
        update runs set acted = runs.acted or owned.acted, committed = runs.committed or owned.committed,
          mark = coalesce(owned.mark, runs.mark)
        from owned where runs.id = owned.id
          and (owned.acted > runs.acted or owned.committed > runs.committed or owned.mark is not null)
      ), announced as (
        insert into run_events (tx, ${Table.names(sql, Events.table)})
        select place.tx, ${Table.names(sql, Events.table, "event")}
        from places_after((select array_agg(id) from owned)) place
        join ${Table.recordset(sql, Events.table, "event", events, { fence: "bigint", position: "integer" })}
          on event.run_id = place.run_id
        join owned on owned.id = event.run_id and owned.fence = event.fence order by event.position
      )
      select id, fence from owned`
    const kept = new Set(owned.map(({ fence, id }) => `${id} ${fence}`))
    return all.map(({ lease: { fence, id } }) => kept.has(`${id} ${fence}`))
  }).pipe(withoutSqlErrors)
