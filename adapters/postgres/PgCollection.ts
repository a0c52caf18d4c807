/** Collections in PostgreSQL: a table for each kind, all of one shape. */
import { createHash } from "node:crypto"
import { Effect, Option, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { type Collection, type Kept, KeyTaken, type Kind } from "../../core/workspace/Collection.ts"
import type { WorkspaceId } from "../../core/workspace/Ids.ts"
import { transaction, withoutSqlErrors } from "./Transaction.ts"

interface Row {
  readonly body: string
}

/** The statement that makes the table of a kind. Keys are kept as their SHA-256: they may be long, and of any characters. */
export const table = (name: string): string =>
  `create table ${name} (
    id uuid primary key,
    position bigint generated always as identity,
    workspace_id uuid not null references workspaces,
    key_hash text not null,
    body text not null,
    unique (workspace_id, key_hash)
  )`

/** The collection of a kind, in the table that has its name. `more` are additional columns that follow from a value. */
export const make = <A extends Kept>(
  kind: Kind<A>,
  more: (value: A) => Record<string, unknown> = () => ({})
): Effect.Effect<Collection<A>, never, SqlClient.SqlClient> =>
  Effect.map(SqlClient.SqlClient, (sql) => {
    const rows = sql(kind.name)
    const json = Schema.fromJsonString(kind.schema)
    const decode = Schema.decodeUnknownSync(json)
    const encode = Schema.encodeSync(json)
    const first = (found: ReadonlyArray<Row>) =>
      Option.map(Option.fromUndefinedOr(found[0]), ({ body }) => decode(body))
    const columns = (value: A) => ({ key_hash: hash(kind.key(value)), body: encode(value), ...more(value) })
    const unlessTaken =
      (value: A) =>
      (error: SqlError.SqlError): Effect.Effect<never, KeyTaken | SqlError.SqlError> =>
        error.reason._tag === "UniqueViolation"
          ? Effect.fail(new KeyTaken({ key: kind.key(value) }))
          : Effect.fail(error)
    const named = (workspaceId: WorkspaceId, id: string) =>
      isUuid(id) ? sql`id = ${id} and workspace_id = ${workspaceId}` : sql`false`

    const following = (workspaceId: WorkspaceId, after: string | null) =>
      after === null ? sql`workspace_id = ${workspaceId}` : sql`workspace_id = ${workspaceId} and key_hash > ${after}`

    return {
      list: (workspaceId) =>
        sql<Row>`select body from ${rows} where workspace_id = ${workspaceId} order by position`.pipe(
          Effect.map((found) => found.map(({ body }) => decode(body))),
          withoutSqlErrors
        ),
      page: (workspaceId, after, limit) =>
        sql<Row & { readonly key_hash: string }>`
          select key_hash, body from ${rows} where ${following(workspaceId, after)}
          order by key_hash limit ${limit + 1}`.pipe(
          Effect.map((found) => ({
            values: found.slice(0, limit).map(({ body }) => decode(body)),
            next: found.length > limit ? (found[limit - 1]?.key_hash ?? null) : null
          })),
          withoutSqlErrors
        ),
      left: (workspaceId, after) =>
        sql<{ readonly n: number }>`
          select count(*)::int as n from ${rows} where ${following(workspaceId, after)}`.pipe(
          Effect.map(([row]) => row?.n ?? 0),
          withoutSqlErrors
        ),
      get: (workspaceId, id) =>
        sql<Row>`select body from ${rows} where ${named(workspaceId, id)}`.pipe(Effect.map(first), withoutSqlErrors),
      find: (workspaceId, key) =>
        sql<Row>`select body from ${rows} where workspace_id = ${workspaceId} and key_hash = ${hash(key)}`.pipe(
          Effect.map(first),
          withoutSqlErrors
        ),
      insert: (workspaceId, value) =>
        sql`
          insert into ${rows} ${sql.insert({ id: value.id, workspace_id: workspaceId, ...columns(value) })}
          on conflict (workspace_id, key_hash) do nothing returning id`.pipe(
          Effect.flatMap(([inserted]) =>
            inserted === undefined ? Effect.fail(new KeyTaken({ key: kind.key(value) })) : Effect.void
          ),
          withoutSqlErrors
        ),
      change: (workspaceId, id, decide) =>
        transaction(
          sql,
          Effect.gen(function* () {
            const before = first(
              yield* sql<Row>`
                select body from ${rows} where ${named(workspaceId, id)} for update`
            )
            if (Option.isNone(before)) return before
            const after = yield* Effect.fromResult(decide(before.value))
            yield* sql`update ${rows} set ${sql.update(columns(after))} where id = ${after.id}`.pipe(
              Effect.catchTag("SqlError", unlessTaken(after))
            )
            return Option.some(after)
          })
        ),
      remove: (workspaceId, id) =>
        sql<Row>`delete from ${rows} where ${named(workspaceId, id)} returning body`.pipe(
          Effect.map(first),
          withoutSqlErrors
        )
    }
  })

const hash = (key: string): string => createHash("sha256").update(key).digest("hex")

const isUuid = Schema.is(Schema.String.check(Schema.isUUID()))
