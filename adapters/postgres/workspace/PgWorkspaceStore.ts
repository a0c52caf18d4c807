/**
 * Workspaces and API keys in PostgreSQL.
 *
 * A key that was found, and a workspace, are believed for a second: a revocation takes effect at once in the process that
 * makes it, and within that second in every other one.
 */
import { Clock, Effect, Layer, Option, Result } from "effect"
import { SqlClient } from "effect/sql"
import type { Caller } from "../../../core/workspace/Workspace.ts"
import { WorkspaceStore } from "../../../core/workspace/WorkspaceStore.ts"
import * as Recent from "../Recent.ts"
import { nowAndAfterwards, transaction, withoutSqlErrors } from "../Transaction.ts"
import * as Rows from "../tables/Workspaces.ts"
import * as KeyUses from "./KeyUses.ts"

export const layer = Layer.effect(
  WorkspaceStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const uses = yield* KeyUses.make(sql)
    const callers = yield* Recent.make((hash) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        sql<Rows.KeyRow>`select * from api_keys where hash = ${hash} and revoked_at is null
          and (expires_at is null or expires_at > ${new Date(now)})`.pipe(
          Effect.map(([row]): Caller | undefined => {
            if (row === undefined) return undefined
            const { id, role, scopes, userId, workspaceId } = Rows.toKey(row)
            return { role, userId, workspaceId, keyId: id, ...(scopes === undefined ? {} : { scopes }) }
          }),
          withoutSqlErrors
        )
      )
    )
    const spaces = yield* Recent.make((id) =>
      sql<Rows.Row>`select * from workspaces where id = ${id}`.pipe(
        Effect.map(([row]) => (row === undefined ? undefined : Rows.toWorkspace(row))),
        withoutSqlErrors
      )
    )
    return WorkspaceStore.of({
      create: Effect.fn("WorkspaceStore.create")((workspace) =>
        withoutSqlErrors(Effect.asVoid(sql`insert into workspaces ${sql.insert(Rows.table.encode(workspace))}`))
      ),
      get: (id) => Effect.map(spaces.get(id), Option.fromUndefinedOr),
      list: sql<Rows.Row>`select * from workspaces order by created_at, id`.pipe(
        Effect.map((rows) => rows.map(Rows.toWorkspace)),
        withoutSqlErrors
      ),
      change: Effect.fn("WorkspaceStore.change")((id, decide) =>
        transaction(
          sql,
          Effect.gen(function* () {
            const [row] = yield* sql<Rows.Row>`select * from workspaces where id = ${id} for update`
            if (row === undefined) return Option.none()
            const after = decide(Rows.toWorkspace(row))
            yield* sql`update workspaces set ${sql.update(Rows.changes.encode(after))} where id = ${id}`
            return Option.some(after)
          })
        ).pipe(Effect.ensuring(nowAndAfterwards(spaces.forget)))
      ),
      addKey: Effect.fn("WorkspaceStore.addKey")((key) =>
        withoutSqlErrors(Effect.asVoid(sql`insert into api_keys ${sql.insert(Rows.keys.encode(key))}`))
      ),
      listKeys: Effect.fn("WorkspaceStore.listKeys")((id) =>
        sql<Rows.KeyRow>`select * from api_keys where workspace_id = ${id} order by created_at, id`.pipe(
          Effect.map((rows) => rows.map(Rows.toKey)),
          withoutSqlErrors
        )
      ),
      revokeKey: Effect.fn("WorkspaceStore.revokeKey")((workspaceId, keyId, at, accept = () => Result.void) =>
        transaction(
          sql,
          Effect.gen(function* () {
            const live = (yield* sql<Rows.KeyRow>`
              select * from api_keys where workspace_id = ${workspaceId} and revoked_at is null
              order by id for update`).map(Rows.toKey)
            const key = live.find(({ id }) => id === keyId)
            if (key === undefined) return Option.none()
            yield* Effect.fromResult(accept(key, live))
            yield* sql`update api_keys set revoked_at = ${new Date(at)} where id = ${key.id}`
            return Option.some({ ...key, revokedAt: at })
          })
        ).pipe(Effect.ensuring(nowAndAfterwards(callers.forget)))
      ),
      changeKey: Effect.fn("WorkspaceStore.changeKey")((workspaceId, keyId, decide) =>
        transaction(
          sql,
          Effect.gen(function* () {
            const [row] = yield* sql<Rows.KeyRow>`
              select * from api_keys where id::text = ${keyId} and workspace_id = ${workspaceId} and revoked_at is null
              for update`
            if (row === undefined) return Option.none()
            const after = yield* Effect.fromResult(decide(Rows.toKey(row)))
            yield* sql`update api_keys set ${sql.update(Rows.keys.encode(after))} where id = ${keyId}`
            return Option.some(after)
          })
        ).pipe(Effect.ensuring(nowAndAfterwards(callers.forget)))
      ),
      getKey: Effect.fn("WorkspaceStore.getKey")((workspaceId, keyId) =>
        sql<Rows.KeyRow>`select * from api_keys where id = ${keyId} and workspace_id = ${workspaceId}`.pipe(
          Effect.map(([row]) => Option.map(Option.fromUndefinedOr(row), Rows.toKey)),
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
      authenticate: (hash) =>
        Effect.tap(Effect.map(callers.get(hash), Option.fromUndefinedOr), (caller) =>
          Option.isSome(caller) ? uses.note(caller.value) : Effect.void
        )
    })
  })
)
