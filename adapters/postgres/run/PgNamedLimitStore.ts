/**
 * Named limits in PostgreSQL.
 *
 * A change locks the gates of its workspace first, as claims do that read limits, and lets claims look again at those that
 * waited for a limit. A workflow that is made meanwhile waits for it.
 */
import { Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { kind, NamedLimitStore } from "../../../core/run/limit/NamedLimit.ts"
import type { WorkspaceId } from "../../../core/workspace/Ids.ts"
import * as PgLimits from "../claim/PgLimits.ts"
import * as ReleasedRuns from "../claim/ReleasedRuns.ts"
import * as PgCollection from "../PgCollection.ts"
import { transaction, withoutSqlErrors } from "../Transaction.ts"
import * as NamedLimits from "../tables/NamedLimits.ts"

export const layer = Layer.effect(
  NamedLimitStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const limits = yield* PgCollection.make(kind, NamedLimits.drawn)

    const changing = <A, E, R>(workspaceId: WorkspaceId, change: Effect.Effect<A, E | SqlError.SqlError, R>) =>
      transaction(
        sql,
        Effect.gen(function* () {
          yield* sql`select from workspaces where id = ${workspaceId} for no key update`
          yield* sql`
            select from gates where workspace_id = ${workspaceId} order by workflow_id for no key update`
          const changed = yield* change
          yield* sql`
            update gates set ready_at = 'epoch', blocked_on = null, ${ReleasedRuns.lookAgain(sql)},
              limited = case when is_drawn then nextval('limit_changes') end
            from (
              select workflow_id as id, exists (
                select from limits where limits.workspace_id = ${workspaceId}
                  and (tags <> '{}' or credential_ids <> '{}' or workflow_id::text = any (workflow_ids))) as is_drawn
              from gates where workspace_id = ${workspaceId}
            ) as drawn where workflow_id = drawn.id and (is_drawn or limited is not null)`
          return changed
        })
      )

    return NamedLimitStore.of({
      ...limits,
      insert: (workspaceId, value) => changing(workspaceId, limits.insert(workspaceId, value)),
      change: (workspaceId, id, decide) => changing(workspaceId, limits.change(workspaceId, id, decide)),
      remove: (workspaceId, id) => changing(workspaceId, limits.remove(workspaceId, id)),
      used: Effect.fn("NamedLimitStore.used")((workspaceId, id) =>
        withoutSqlErrors(
          PgLimits.used(
            sql,
            id === undefined
              ? sql`workspace_id = ${workspaceId}`
              : sql`workspace_id = ${workspaceId} and id::text = ${id}`
          )
        )
      )
    })
  })
)
