/** Admissions and pictures of watched runs in PostgreSQL. */
import { Clock, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { type Admission, LiveStore } from "../../core/run/LiveStore.ts"
import type { WorkspaceId } from "../../core/workspace/Workspace.ts"
import { withoutSqlErrors } from "./Transaction.ts"

interface Row {
  readonly hash: string
  readonly run_id: string
  readonly expires_at: Date
}

export const layer = Layer.effect(
  LiveStore,
  Effect.map(SqlClient.SqlClient, (sql) =>
    LiveStore.of({
      admit: Effect.fn("LiveStore.admit")(({ expiresAt, hash, runId }) =>
        Effect.gen(function* () {
          const now = new Date(yield* Clock.currentTimeMillis)
          yield* sql`delete from live_admissions where expires_at <= ${now}`
          yield* sql`insert into live_admissions ${sql.insert({
            hash,
            run_id: runId,
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
            runId: row.run_id as Admission["runId"],
            expiresAt: row.expires_at.getTime()
          })
        }).pipe(withoutSqlErrors)
      ),
      workspaceOf: Effect.fn("LiveStore.workspaceOf")((runId) =>
        sql<{ readonly workspace_id: WorkspaceId }>`select workspace_id from runs where id = ${runId}`.pipe(
          Effect.map(([row]) => Option.map(Option.fromUndefinedOr(row), ({ workspace_id }) => workspace_id)),
          withoutSqlErrors
        )
      ),
      show: Effect.fn("LiveStore.show")((runId, { at, bytes }) =>
        sql`
          insert into live_frames ${sql.insert({ run_id: runId, at: new Date(at), bytes })}
          on conflict (run_id) do update set at = excluded.at, bytes = excluded.bytes`.pipe(
          Effect.asVoid,
          withoutSqlErrors
        )
      ),
      frame: Effect.fn("LiveStore.frame")((runId, after) =>
        sql<{ readonly at: Date; readonly bytes: Uint8Array }>`
          select at, bytes from live_frames where run_id = ${runId} and at > ${new Date(after)}`.pipe(
          Effect.map(([row]) =>
            Option.map(Option.fromUndefinedOr(row), ({ at, bytes }) => ({
              at: at.getTime(),
              bytes: new Uint8Array(bytes)
            }))
          ),
          withoutSqlErrors
        )
      ),
      hide: Effect.fn("LiveStore.hide")((runId) =>
        sql`delete from live_frames where run_id = ${runId}`.pipe(Effect.asVoid, withoutSqlErrors)
      )
    })
  )
)
