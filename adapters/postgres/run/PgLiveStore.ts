/** Admissions to watched runs, and control of them, in PostgreSQL. */
import { Clock, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { type Admission, type Control, LiveStore } from "../../../core/execution/live/LiveStore.ts"
import type { Status } from "../../../core/run/Run.ts"
import type { RunId, UserId, WorkspaceId } from "../../../core/workspace/Ids.ts"
import { transaction, withoutSqlErrors } from "../Transaction.ts"
import * as Runs from "../tables/Runs.ts"
import * as Table from "../tables/Table.ts"

const ofAdmission = Table.of<Admission>()

export const admissions = Table.make(
  "live_admissions",
  {
    hash: ofAdmission(Table.text, ({ hash }) => hash),
    run_id: ofAdmission(Table.uuid<RunId>(), ({ runId }) => runId),
    expires_at: ofAdmission(Table.instant, ({ expiresAt }) => expiresAt),
    user_id: ofAdmission(Table.nullable(Table.uuid<UserId>()), ({ userId }) => userId),
    key_id: ofAdmission(Table.nullable(Table.uuid<string>()), ({ keyId }) => keyId)
  },
  ["hash"]
)

const ofControl = Table.of<Control>()

export const controls = Table.make(
  "live_controls",
  {
    run_id: ofControl(Table.uuid<RunId>(), ({ runId }) => runId),
    holder: ofControl(Table.text, ({ holder }) => holder),
    user_id: ofControl(Table.uuid<UserId>(), ({ userId }) => userId),
    since: ofControl(Table.instant, ({ since }) => since),
    until: ofControl(Table.instant, ({ until }) => until)
  },
  ["run_id"]
)

type ControlRow = Table.Row<typeof controls.columns>

const controlOf = (row: ControlRow): Control => {
  const { holder, run_id, since, until, user_id } = controls.decode(row)
  return { runId: run_id, holder, userId: user_id, since, until }
}

export const layer = Layer.effect(
  LiveStore,
  Effect.map(SqlClient.SqlClient, (sql) =>
    LiveStore.of({
      admit: Effect.fn("LiveStore.admit")((admission) =>
        Effect.gen(function* () {
          const now = new Date(yield* Clock.currentTimeMillis)
          yield* sql`delete from live_admissions where expires_at <= ${now}`
          yield* sql`insert into live_admissions ${sql.insert(admissions.encode(admission))}`
        }).pipe(withoutSqlErrors)
      ),
      redeem: Effect.fn("LiveStore.redeem")((hash) =>
        Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const [row] = yield* sql<Table.Row<typeof admissions.columns>>`
            delete from live_admissions where hash = ${hash} returning *`
          if (row === undefined) return Option.none()
          const { expires_at, key_id, run_id, user_id } = admissions.decode(row)
          return expires_at <= now
            ? Option.none()
            : Option.some({ hash, runId: run_id, keyId: key_id, userId: user_id, expiresAt: expires_at })
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
            const since = yield* Clock.currentTimeMillis
            const now = new Date(since)
            const wanted = { runId, holder, userId, since, until }
            const [given] = yield* sql<ControlRow>`
              insert into live_controls ${sql.insert(controls.encode(wanted))}
              on conflict (run_id) do update set holder = excluded.holder, user_id = excluded.user_id,
                until = excluded.until, since = case when live_controls.until > ${now} then live_controls.since else excluded.since end
              where live_controls.holder = excluded.holder or live_controls.until <= ${now}
              returning *`
            if (given !== undefined) return controlOf(given)
            const [other] = yield* sql<ControlRow>`select * from live_controls where run_id = ${runId} for share`
            // It was given back in this very moment.
            return other === undefined ? { ...wanted, until: since } : controlOf(other)
          })
        )
      ),
      renew: Effect.fn("LiveStore.renew")((runId, holder, until) =>
        Effect.gen(function* () {
          const now = new Date(yield* Clock.currentTimeMillis)
          const renewed = yield* sql`
            update live_controls set until = ${new Date(until)}
            where run_id = ${runId} and holder = ${holder} and until > ${now} returning run_id`
          return renewed.length > 0
        }).pipe(withoutSqlErrors)
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
