/**
 * The schema of a database as text: tables, constraints, indexes, triggers and functions, in an order of their own.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const dumpSchema = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const lines = (query: string) =>
    Effect.map(sql.unsafe<{ readonly line: string }>(query), (rows) => rows.map(({ line }) => line))
  const parts = [
    yield* lines(`
      select format('column %s.%s %s%s%s', table_name, column_name, data_type,
        case is_nullable when 'NO' then ' not null' else '' end,
        case when is_identity = 'YES' then ' identity' when column_default is null then '' else ' default ' || column_default end) as line
      from information_schema.columns where table_schema = 'public' order by table_name, ordinal_position`),
    yield* lines(`
      select format('constraint %s: %s', conrelid::regclass, pg_get_constraintdef(oid)) as line
      from pg_constraint where connamespace = 'public'::regnamespace and contype <> 'n' order by 1`),
    yield* lines(`select indexdef as line from pg_indexes where schemaname = 'public' order by 1`),
    yield* lines(`
      select pg_get_triggerdef(oid) as line from pg_trigger where not tgisinternal order by 1`),
    yield* lines(`
      select pg_get_functiondef(oid) as line from pg_proc where pronamespace = 'public'::regnamespace order by 1`),
    yield* lines(
      `select format('sequence %s', sequencename) as line from pg_sequences where schemaname = 'public' order by 1`
    )
  ]
  return `${parts.map((part) => part.join("\n")).join("\n\n")}\n`
})
