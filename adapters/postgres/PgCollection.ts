/** Collections in PostgreSQL: a table for each kind, all of one shape. */
import { Effect, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { type Collection, type CollectionRecord, KeyTaken, type Kind } from "../../core/workspace/Collection.ts"
import { isUuid, type WorkspaceId } from "../../core/workspace/Ids.ts"
import { sha256 } from "./Hash.ts"
import { transaction, withoutSqlErrors } from "./Transaction.ts"
import * as Table from "./tables/Table.ts"

/**
 * The columns that each collection has. Keys are stored as their SHA-256, because they may be long and contain any
 * characters.
 */
export const describe = <A extends CollectionRecord>(kind: Kind<A>) => {
  const column = Table.of<A>()
  const placed = Table.of<{ readonly workspaceId: WorkspaceId; readonly value: A }>()
  const changes = {
    key_hash: column(Table.text, (value) => sha256(kind.key(value))),
    body: column(Table.encoded(kind.schema), (value) => value)
  }
  const ids = {
    id: placed(Table.uuid<string>(), ({ value }) => value.id),
    workspace_id: placed(Table.uuid<WorkspaceId>(), ({ workspaceId }) => workspaceId)
  }
  return {
    ids: Table.make(kind.name, ids, ["id"]),
    changes: Table.make(kind.name, changes, []),
    stored: Table.make(kind.name, { id: ids.id, body: changes.body }, ["id"])
  }
}

/** The row that a statement returns for one member of a collection. */
export interface Row {
  readonly id: string
  readonly body: string
}

/** The value of a row. */
export const reader = <A extends CollectionRecord>(kind: Kind<A>): ((row: Row) => A) => {
  const { stored } = describe(kind)
  return (row) => stored.decode(row).body
}

/** The collection of a kind, in the table that has its name. `more` describes columns that follow from a value besides. */
export const make = <A extends CollectionRecord>(
  kind: Kind<A>,
  more: { readonly encode: (value: A) => Readonly<Record<string, Table.SqlValue>> } = { encode: () => ({}) }
): Effect.Effect<Collection<A>, never, SqlClient.SqlClient> =>
  Effect.map(SqlClient.SqlClient, (sql) => {
    const rows = sql(kind.name)
    const { changes, ids } = describe(kind)
    const read = reader(kind)
    const first = (found: ReadonlyArray<Row>) => Option.map(Option.fromUndefinedOr(found[0]), read)
    const columns = (value: A) => ({ ...changes.encode(value), ...more.encode(value) })
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
        sql<Row>`select id, body from ${rows} where workspace_id = ${workspaceId} order by position`.pipe(
          Effect.map((found) => found.map(read)),
          withoutSqlErrors
        ),
      page: (workspaceId, after, limit) =>
        sql<Row & { readonly key_hash: string }>`
          select id, key_hash, body from ${rows} where ${following(workspaceId, after)}
          order by key_hash limit ${limit + 1}`.pipe(
          Effect.map((found) => ({
            values: found.slice(0, limit).map(read),
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
        sql<Row>`select id, body from ${rows} where ${named(workspaceId, id)}`.pipe(
          Effect.map(first),
          withoutSqlErrors
        ),
      find: (workspaceId, key) =>
        sql<Row>`select id, body from ${rows} where workspace_id = ${workspaceId} and key_hash = ${sha256(key)}`.pipe(
          Effect.map(first),
          withoutSqlErrors
        ),
      insert: (workspaceId, value) =>
        sql`
          insert into ${rows} ${sql.insert({ ...ids.encode({ workspaceId, value }), ...columns(value) })}
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
                select id, body from ${rows} where ${named(workspaceId, id)} for update`
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
        sql<Row>`delete from ${rows} where ${named(workspaceId, id)} returning id, body`.pipe(
          Effect.map(first),
          withoutSqlErrors
        )
    }
  })
