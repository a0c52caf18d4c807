/** The owners of artifacts, in PostgreSQL. */
import { Clock, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { type ArtifactOwner, ArtifactStore, removalMillis } from "../../../core/run/artifact/ArtifactStore.ts"
import type { RunId } from "../../../core/workspace/Ids.ts"
import { transaction, withoutSqlErrors } from "../Transaction.ts"
import * as Evidence from "../tables/Evidence.ts"

export const layer = Layer.effect(
  ArtifactStore,
  Effect.map(SqlClient.SqlClient, (sql) =>
    ArtifactStore.of({
      begin: Effect.fn("ArtifactStore.begin")((artifact) =>
        sql`
          insert into artifacts ${sql.insert(Evidence.artifacts.encode(artifact))}
          on conflict (id) do update set at = excluded.at, taken_at = null`.pipe(Effect.asVoid, withoutSqlErrors)
      ),
      finish: Effect.fn("ArtifactStore.finish")((id, bytes, at) =>
        sql`update artifacts set ${sql.update(Evidence.finished.encode({ bytes, at }))} where id = ${id}`.pipe(
          Effect.asVoid,
          withoutSqlErrors
        )
      ),
      ownerOf: Effect.fn("ArtifactStore.ownerOf")((id) =>
        sql<ArtifactOwner>`
          select artifacts.kind, artifacts.run_id as "runId", workflows.workspace_id as "workspaceId"
          from artifacts join workflows on workflows.id = artifacts.workflow_id where artifacts.id = ${id}`.pipe(
          Effect.map(([row]) => Option.fromUndefinedOr(row)),
          withoutSqlErrors
        )
      ),
      forget: Effect.fn("ArtifactStore.forget")((id) =>
        sql`delete from artifacts where id = ${id}`.pipe(Effect.asVoid, withoutSqlErrors)
      ),
      leaveOut: Effect.fn("ArtifactStore.leaveOut")((runId) =>
        sql`
          insert into artifact_totals ${sql.insert(Evidence.totals.encode({ runId, leftOut: 1, removedAt: null }))}
          on conflict (run_id) do update set left_out = artifact_totals.left_out + 1`.pipe(
          Effect.asVoid,
          withoutSqlErrors
        )
      ),
      used: Effect.fn("ArtifactStore.used")((runId) =>
        sql<Evidence.AmountRow>`
          select kind, count(*) as count, sum(bytes)::bigint as bytes from artifacts
          where run_id = ${runId} group by kind`.pipe(Effect.map(Evidence.toUsed), withoutSqlErrors)
      ),
      usedBy: Effect.fn("ArtifactStore.usedBy")((workspaceId) =>
        sql<{ readonly bytes: number }>`
          select coalesce(sum(bytes), 0)::float8 as bytes from artifacts
          where workflow_id in (select id from workflows where workspace_id = ${workspaceId})`.pipe(
          Effect.map(([row]) => row?.bytes ?? 0),
          withoutSqlErrors
        )
      ),
      summary: Effect.fn("ArtifactStore.summary")((runId) =>
        Effect.gen(function* () {
          const videos = yield* sql<Evidence.VideoRow>`
            select id, finished_at from artifacts
            where run_id = ${runId} and kind = 'video' and finished_at is not null order by finished_at`
          const [total] = yield* sql<Evidence.TotalsRow>`select * from artifact_totals where run_id = ${runId}`
          const { left_out, removed_at } =
            total === undefined ? { left_out: 0, removed_at: null } : Evidence.totals.decode(total)
          return { videos: Evidence.toVideos(videos), leftOut: left_out, removedAt: removed_at }
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
                const now = yield* Clock.currentTimeMillis
                yield* sql`delete from run_snapshots where ${sql.in("artifact_id", ids)}`
                const rows = yield* sql<{ readonly run_id: RunId }>`
                  delete from artifacts where ${sql.in("id", ids)} returning run_id`
                const runs = [...new Set(rows.map(({ run_id }) => run_id))].sort()
                const [first, ...rest] = runs.map((runId) =>
                  Evidence.totals.encode({ runId, leftOut: 0, removedAt: now })
                )
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
