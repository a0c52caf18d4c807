/** The owners of artifacts, in PostgreSQL. */
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { ArtifactStore, type Kind, nothing, removalMillis } from "../../../core/run/artifact/ArtifactStore.ts"
import { transaction, withoutSqlErrors } from "../Transaction.ts"

interface Amount {
  readonly kind: Kind
  readonly count: bigint
  readonly bytes: bigint
}

interface Total {
  readonly left_out: number
  readonly removed_at: Date | null
}

export const layer = Layer.effect(
  ArtifactStore,
  Effect.map(SqlClient.SqlClient, (sql) =>
    ArtifactStore.of({
      begin: Effect.fn("ArtifactStore.begin")(({ at, id, kind, runId, workflowId }) =>
        sql`
          insert into artifacts ${sql.insert({ id, run_id: runId, workflow_id: workflowId, kind, at: new Date(at) })}
          on conflict (id) do update set at = excluded.at, taken_at = null`.pipe(Effect.asVoid, withoutSqlErrors)
      ),
      finish: Effect.fn("ArtifactStore.finish")((id, bytes, at) =>
        sql`update artifacts set bytes = ${bytes}, finished_at = ${new Date(at)} where id = ${id}`.pipe(
          Effect.asVoid,
          withoutSqlErrors
        )
      ),
      forget: Effect.fn("ArtifactStore.forget")((id) =>
        sql`delete from artifacts where id = ${id}`.pipe(Effect.asVoid, withoutSqlErrors)
      ),
      leaveOut: Effect.fn("ArtifactStore.leaveOut")((runId) =>
        sql`
          insert into artifact_totals ${sql.insert({ run_id: runId, left_out: 1 })}
          on conflict (run_id) do update set left_out = artifact_totals.left_out + 1`.pipe(
          Effect.asVoid,
          withoutSqlErrors
        )
      ),
      used: Effect.fn("ArtifactStore.used")((runId) =>
        sql<Amount>`
          select kind, count(*) as count, sum(bytes)::bigint as bytes from artifacts
          where run_id = ${runId} group by kind`.pipe(
          Effect.map((rows) =>
            rows.reduce(
              (used, { bytes, count, kind }) => ({
                bytes: used.bytes + Number(bytes),
                count: { ...used.count, [kind]: Number(count) }
              }),
              nothing
            )
          ),
          withoutSqlErrors
        )
      ),
      summary: Effect.fn("ArtifactStore.summary")((runId) =>
        Effect.gen(function* () {
          const videos = yield* sql<{ readonly id: string; readonly at: Date }>`
            select id, finished_at as at from artifacts
            where run_id = ${runId} and kind = 'video' and finished_at is not null order by finished_at`
          const [total] = yield* sql<Total>`select left_out, removed_at from artifact_totals where run_id = ${runId}`
          return {
            videos: videos.map(({ at, id }) => ({ id, at: at.getTime() })),
            leftOut: total?.left_out ?? 0,
            removedAt: total?.removed_at?.getTime() ?? null
          }
        }).pipe(withoutSqlErrors)
      ),
      takeExpired: Effect.fn("ArtifactStore.takeExpired")(({ before, unfinishedBefore }, limit) =>
        transaction(
          sql,
          Effect.gen(function* () {
            const now = yield* Clock.currentTimeMillis
            const mayTake = sql`(taken_at is null or taken_at <= ${new Date(now - removalMillis)})`
            // Each way by its own index.
            const ways = [
              sql`select id from artifacts where at < ${new Date(before)} and ${mayTake}`,
              sql`select id from artifacts where finished_at is null and at < ${new Date(unfinishedBefore)} and ${mayTake}`,
              sql`
                select id from artifacts where workflow_id in
                  (select workflow_id from gates where removed_at is not null) and ${mayTake}`
            ]
            const taken: Array<string> = []
            for (const expired of ways) {
              if (taken.length >= limit) break
              const rows = yield* sql<{ readonly id: string }>`
                update artifacts set taken_at = ${new Date(now)} where id in
                  (${expired} order by at limit ${limit - taken.length} for update skip locked) returning id`
              taken.push(...rows.map(({ id }) => id))
            }
            return taken
          })
        )
      ),
      removed: Effect.fn("ArtifactStore.removed")((ids) =>
        ids.length === 0
          ? Effect.void
          : transaction(
              sql,
              Effect.gen(function* () {
                const now = new Date(yield* Clock.currentTimeMillis)
                yield* sql`delete from run_snapshots where ${sql.in("artifact_id", ids)}`
                const rows = yield* sql<{ readonly run_id: string }>`
                  delete from artifacts where ${sql.in("id", ids)} returning run_id`
                const runs = [...new Set(rows.map(({ run_id }) => run_id))].sort()
                const [first, ...rest] = runs.map((run_id) => ({ run_id, removed_at: now }))
                if (first === undefined) return
                yield* sql`
                  insert into artifact_totals ${sql.insert([first, ...rest])}
                  on conflict (run_id) do update set removed_at = excluded.removed_at`
              })
            )
      )
    })
  )
)
