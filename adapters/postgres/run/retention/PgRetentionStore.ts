/** Removing parts of runs in PostgreSQL. */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { type Part, RetentionStore } from "../../../../core/run/retention/RetentionStore.ts"
import type { RunId, WorkspaceId } from "../../../../core/workspace/Ids.ts"
import { transaction, withoutSqlErrors } from "../../Transaction.ts"
import { isUnread } from "./UnreadRuns.ts"

/** The table whose rows a part is counted by. */
const countedIn: Readonly<Record<Part, string>> = {
  events: "run_events",
  deliveries: "webhook_deliveries",
  errors: "run_errors",
  decisions: "run_decisions",
  artifacts: "artifacts",
  starts: "run_starts"
}

export const layer = Layer.effect(
  RetentionStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    /** Runs that ended before an instant, behind the place of a part. */
    const behind = (workspaceId: WorkspaceId, part: string, before: number) => {
      const place = sql`from retention_places where workspace_id = ${workspaceId} and part = ${part}`
      return sql`runs.workspace_id = ${workspaceId} and runs.ended_at < ${new Date(before)}
        and (runs.ended_at, runs.id) > (coalesce((select ended_at ${place}), '-infinity'),
          coalesce((select run_id ${place}), '00000000-0000-0000-0000-000000000000'))`
    }

    const settled = sql`status <> 'pending'`
    const withoutPending = sql`
      run_id not in (select run_id from webhook_deliveries pending where pending.status = 'pending')`

    const rowsOf = (part: Part, ids: ReadonlyArray<RunId>) => {
      const of = sql.in("run_id", ids)
      switch (part) {
        case "events":
          return sql`
            delete from run_events where ${of} and run_id not in
              (select run_id from webhook_deliveries where ${of} and not (${settled})) returning 1`
        case "deliveries":
          return sql`delete from webhook_deliveries where ${of} and ${settled} returning 1`
        case "errors":
          return sql`delete from run_errors where ${of} returning 1`
        case "decisions":
          return sql`delete from run_decisions where ${of} returning 1`
        case "starts":
          return sql`delete from run_starts where ${of} returning 1`
        case "artifacts":
          return Effect.gen(function* () {
            const snapshots = yield* sql`delete from run_snapshots where ${of} returning 1`
            const exchanges = yield* sql<{ readonly run_id: string }>`
              delete from network_events where ${of} returning run_id`
            const runs = [...new Set(exchanges.map(({ run_id }) => run_id))]
            if (runs.length > 0) yield* sql`update network_logs set truncated = true where ${sql.in("run_id", runs)}`
            return [...snapshots, ...exchanges]
          })
      }
    }

    return RetentionStore.of({
      expired: Effect.fn("RetentionStore.expired")((workspaceId, part, before, limit) =>
        sql<{ readonly id: RunId; readonly unread: boolean }>`
          select id, ${part === "events" ? isUnread(sql) : sql`false`} as unread
          from runs where ${behind(workspaceId, part, before)} order by ended_at, id limit ${limit}`.pipe(
          Effect.map((rows) => {
            const first = rows.findIndex(({ unread }) => unread)
            return (first === -1 ? rows : rows.slice(0, first)).map(({ id }) => id)
          }),
          withoutSqlErrors
        )
      ),
      unread: Effect.fn("RetentionStore.unread")((workspaceId, before, limit) =>
        sql<{ readonly n: bigint }>`
          select count(*) as n from (
            select from runs where ${behind(workspaceId, "events", before)} and ${isUnread(sql)} limit ${limit}) held`.pipe(
          Effect.map(([row]) => Number(row?.n ?? 0)),
          withoutSqlErrors
        )
      ),
      remove: Effect.fn("RetentionStore.remove")((part, ids) =>
        ids.length === 0
          ? Effect.succeed(0)
          : transaction(
              sql,
              Effect.gen(function* () {
                // Says to the triggers that these rows may go, until the transaction ends.
                yield* sql`select set_config('sluice.removal', 'on', true)`
                const { length } = yield* rowsOf(part, ids)
                yield* sql`select set_config('sluice.removal', 'off', true)`
                return length
              })
            )
      ),
      passed: Effect.fn("RetentionStore.passed")((workspaceId, part, last) =>
        // A run that has been removed since is no place: the next round begins at the former one.
        sql`
          insert into retention_places as place (workspace_id, part, ended_at, run_id)
          select ${workspaceId}, ${part}, ended_at, id from runs where id = ${last} and ended_at is not null
          on conflict (workspace_id, part) do update set ended_at = excluded.ended_at, run_id = excluded.run_id
          where (place.ended_at, place.run_id) < (excluded.ended_at, excluded.run_id)`.pipe(
          Effect.asVoid,
          withoutSqlErrors
        )
      ),
      count: Effect.fn("RetentionStore.count")((workspaceId, kind, before, older) => {
        const counted =
          kind === "runs"
            ? sql<{ readonly n: bigint }>`
                select count(*) as n from runs where workspace_id = ${workspaceId} and ended_at < ${new Date(before)}
                  and not ${isUnread(sql)}`
            : sql<{ readonly n: bigint }>`
                select count(*) as n from ${sql(countedIn[kind])} one join runs on runs.id = one.run_id
                where runs.workspace_id = ${workspaceId}
                  and ((${behind(workspaceId, kind, before)})
                    ${older === null ? sql`` : sql`or one.at < ${new Date(older)}`})
                  ${kind === "deliveries" ? sql`and one.${settled}` : sql``}
                  ${kind === "events" ? sql`and one.${withoutPending} and not ${isUnread(sql)}` : sql``}`
        return counted.pipe(
          Effect.map(([row]) => Number(row?.n ?? 0)),
          withoutSqlErrors
        )
      })
    })
  })
)
