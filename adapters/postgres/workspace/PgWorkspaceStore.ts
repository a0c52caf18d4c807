/**
 * Workspaces and API keys in PostgreSQL.
 *
 * A key that was found, and a workspace, are believed for a second: a revocation takes effect at once in the process that
 * makes it, and within that second in every other one.
 */
import { Effect, Layer, Option, Result } from "effect"
import { SqlClient } from "effect/sql"
import { UserId, WorkspaceId } from "../../../core/workspace/Ids.ts"
import type { Caller, Role, Workspace } from "../../../core/workspace/Workspace.ts"
import { type StoredKey, WorkspaceStore } from "../../../core/workspace/WorkspaceStore.ts"
import * as Recent from "../Recent.ts"
import { transaction, withoutSqlErrors } from "../Transaction.ts"

interface WorkspaceRow {
  readonly id: string
  readonly name: string
  readonly created_at: Date
  readonly waiting_ttl_ms: bigint | null
  readonly input_required_timeout_s: number
  readonly signed_url_ttl_s: number
}

interface KeyRow {
  readonly id: string
  readonly hash: string
  readonly name: string | null
  readonly workspace_id: string
  readonly user_id: string
  readonly role: Role
  readonly created_at: Date
  readonly revoked_at: Date | null
  readonly seals_with: number | null
}

export const layer = Layer.effect(
  WorkspaceStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const callers = yield* Recent.make((hash) =>
      sql<KeyRow>`select * from api_keys where hash = ${hash} and revoked_at is null`.pipe(
        Effect.map(([row]): Caller | undefined => {
          if (row === undefined) return undefined
          const { id, role, userId, workspaceId } = toKey(row)
          return { role, userId, workspaceId, keyId: id }
        }),
        withoutSqlErrors
      )
    )
    const spaces = yield* Recent.make((id) =>
      sql<WorkspaceRow>`select * from workspaces where id = ${id}`.pipe(
        Effect.map(([row]) => (row === undefined ? undefined : toWorkspace(row))),
        withoutSqlErrors
      )
    )
    return WorkspaceStore.of({
      create: Effect.fn("WorkspaceStore.create")((workspace) =>
        withoutSqlErrors(
          Effect.asVoid(
            sql`insert into workspaces ${sql.insert({
              id: workspace.id,
              name: workspace.name,
              created_at: new Date(workspace.createdAt),
              waiting_ttl_ms: workspace.waitingTtlMillis,
              input_required_timeout_s: workspace.inputRequiredTimeoutSeconds,
              signed_url_ttl_s: workspace.signedUrlTtlSeconds
            })}`
          )
        )
      ),
      get: (id) => Effect.map(spaces.get(id), Option.fromUndefinedOr),
      list: sql<WorkspaceRow>`select * from workspaces order by created_at, id`.pipe(
        Effect.map((rows) => rows.map(toWorkspace)),
        withoutSqlErrors
      ),
      change: Effect.fn("WorkspaceStore.change")((id, decide) =>
        transaction(
          sql,
          Effect.gen(function* () {
            const [row] = yield* sql<WorkspaceRow>`select * from workspaces where id = ${id} for update`
            if (row === undefined) return Option.none()
            const after = decide(toWorkspace(row))
            yield* sql`update workspaces set ${sql.update({
              name: after.name,
              waiting_ttl_ms: after.waitingTtlMillis,
              input_required_timeout_s: after.inputRequiredTimeoutSeconds,
              signed_url_ttl_s: after.signedUrlTtlSeconds
            })} where id = ${id}`
            return Option.some(after)
          })
        ).pipe(Effect.ensuring(spaces.forget))
      ),
      addKey: Effect.fn("WorkspaceStore.addKey")((key) =>
        withoutSqlErrors(
          Effect.asVoid(
            sql`insert into api_keys ${sql.insert({
              id: key.id,
              hash: key.hash,
              name: key.name,
              workspace_id: key.workspaceId,
              user_id: key.userId,
              role: key.role,
              created_at: new Date(key.createdAt),
              revoked_at: key.revokedAt === null ? null : new Date(key.revokedAt)
            })}`
          )
        )
      ),
      listKeys: Effect.fn("WorkspaceStore.listKeys")((id) =>
        sql<KeyRow>`select * from api_keys where workspace_id = ${id} order by created_at, id`.pipe(
          Effect.map((rows) => rows.map(toKey)),
          withoutSqlErrors
        )
      ),
      revokeKey: Effect.fn("WorkspaceStore.revokeKey")((workspaceId, keyId, at, accept = () => Result.void) =>
        transaction(
          sql,
          Effect.gen(function* () {
            const live = (yield* sql<KeyRow>`
              select * from api_keys where workspace_id = ${workspaceId} and revoked_at is null
              order by id for update`).map(toKey)
            const key = live.find(({ id }) => id === keyId)
            if (key === undefined) return Option.none()
            yield* Effect.fromResult(accept(key, live))
            yield* sql`update api_keys set revoked_at = ${new Date(at)} where id = ${key.id}`
            return Option.some({ ...key, revokedAt: at })
          })
        ).pipe(Effect.ensuring(callers.forget))
      ),
      getKey: Effect.fn("WorkspaceStore.getKey")((workspaceId, keyId) =>
        sql<KeyRow>`select * from api_keys where id = ${keyId} and workspace_id = ${workspaceId}`.pipe(
          Effect.map(([row]) => Option.map(Option.fromUndefinedOr(row), toKey)),
          withoutSqlErrors
        )
      ),
      noteSealing: Effect.fn("WorkspaceStore.noteSealing")((workspaceId, keyId, version) =>
        withoutSqlErrors(
          Effect.asVoid(
            sql`update api_keys set seals_with = ${version} where id = ${keyId} and workspace_id = ${workspaceId}`
          )
        )
      ),
      authenticate: (hash) => Effect.map(callers.get(hash), Option.fromUndefinedOr)
    })
  })
)

const toWorkspace = (row: WorkspaceRow): Workspace => ({
  id: WorkspaceId.make(row.id),
  name: row.name,
  createdAt: row.created_at.getTime(),
  waitingTtlMillis: row.waiting_ttl_ms === null ? null : Number(row.waiting_ttl_ms),
  inputRequiredTimeoutSeconds: row.input_required_timeout_s,
  signedUrlTtlSeconds: row.signed_url_ttl_s
})

const toKey = (row: KeyRow): StoredKey => ({
  id: row.id,
  hash: row.hash,
  name: row.name,
  workspaceId: WorkspaceId.make(row.workspace_id),
  userId: UserId.make(row.user_id),
  role: row.role,
  createdAt: row.created_at.getTime(),
  revokedAt: row.revoked_at?.getTime() ?? null,
  ...(row.seals_with === null ? {} : { sealsWith: row.seals_with })
})
