/** Admissions to watched runs, and control of them, in PostgreSQL. */
import { Clock, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { type Admission, type Control, LiveStore } from "../../../core/execution/live/LiveStore.ts"
import type { Status } from "../../../core/run/Run.ts"
import type { UserId, WorkspaceId } from "../../../core/workspace/Ids.ts"
import { transaction, withoutSqlErrors } from "../Transaction.ts"
import * as Runs from "../tables/Runs.ts"

interface Row {
  readonly hash: string
  readonly run_id: string
  readonly key_id: string | null
  readonly user_id: string | null
  readonly expires_at: Date
}

interface ControlRow {
  readonly run_id: string
  readonly holder: string
  readonly user_id: string
  readonly since: Date
  readonly until: Date
}

const controlOf = (row: ControlRow): Control => ({
  // Rows are written with ids of this type.
  runId: row.run_id as Control["runId"],
  holder: row.holder,
  // As above.
  userId: row.user_id as UserId,
  since: row.since.getTime(),
  until: row.until.getTime()
})

export const layer = Layer.effect(
  LiveStore,
  Effect.map(SqlClient.SqlClient, (sql) =>
    LiveStore.of({
      admit: Effect.fn("LiveStore.admit")(({ expiresAt, hash, keyId, runId, userId }) =>
        Effect.gen(function* () {
          const now = new Date(yield* Clock.currentTimeMillis)
          yield* sql`delete from live_admissions where expires_at <= ${now}`
          yield* sql`insert into live_admissions ${sql.insert({
            hash,
            run_id: runId,
            key_id: keyId,
            user_id: userId,
            expires_at: new Date(expiresAt)
          })}`
        }).pipe(withoutSqlErrors)
      ),
      redeem: Effect.fn("LiveStore.redeem")((hash) =>
        Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const [row] = yield* sql<Row>`delete from live_admissions where hash = ${hash} returning *`
          if (row === undefined || row.expires_at.getTime() <= now) return Option.none()
          return Option.some({
            hash,
            // Rows are written with ids of this type.
            runId: row.run_id as Admission["runId"],
            keyId: row.key_id,
            // As above.
            userId: row.user_id as UserId | null,
            expiresAt: row.expires_at.getTime()
          })
        }).pipe(withoutSqlErrors)
      ),
      standing: Effect.fn("LiveStore.standing")((runId) =>
        Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const [row] = yield* sql<{ readonly workspace_id: WorkspaceId; readonly status: Status }>`
            select runs.workspace_id, ${Runs.statusAt(sql, now)} as status
            from runs join gates using (workflow_id) where runs.id = ${runId}`
          return Option.map(Option.fromUndefinedOr(row), ({ status, workspace_id }) => ({
            workspaceId: workspace_id,
            status
          }))
        }).pipe(withoutSqlErrors)
      ),
      take: Effect.fn("LiveStore.take")(({ holder, runId, until, userId }) =>
        transaction(
          sql,
          Effect.gen(function* () {
            const now = new Date(yield* Clock.currentTimeMillis)
            const row = { run_id: runId, holder, user_id: userId, since: now, until: new Date(until) }
            const [given] = yield* sql<ControlRow>`
              insert into live_controls ${sql.insert(row)}
              on conflict (run_id) do update set holder = excluded.holder, user_id = excluded.user_id,
                until = excluded.until, since = case when live_controls.until > ${now} then live_controls.since else excluded.since end
              where live_controls.holder = excluded.holder or live_controls.until <= ${now}
              returning *`
            if (given !== undefined) return controlOf(given)
            const [other] = yield* sql<ControlRow>`select * from live_controls where run_id = ${runId} for share`
            // It was given back in this very moment.
            return other === undefined ? controlOf({ ...row, until: now }) : controlOf(other)
          })
        )
      ),
      release: Effect.fn("LiveStore.release")((runId, holder) =>
        Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const [row] = yield* sql<ControlRow>`
            delete from live_controls where run_id = ${runId} and holder = ${holder} returning *`
          return row !== undefined && row.until.getTime() > now
        }).pipe(withoutSqlErrors)
      ),
      control: Effect.fn("LiveStore.control")((runId) =>
        Effect.gen(function* () {
          const now = new Date(yield* Clock.currentTimeMillis)
          const [row] = yield* sql<ControlRow>`
            select * from live_controls where run_id = ${runId} and until > ${now}`
          return Option.map(Option.fromUndefinedOr(row), controlOf)
        }).pipe(withoutSqlErrors)
      )
    })
  )
)
