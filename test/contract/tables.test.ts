import { assert, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { SqlClient } from "effect/sql"
import * as Components from "../../adapters/postgres/tables/Components.ts"
import * as Deliveries from "../../adapters/postgres/tables/Deliveries.ts"
import * as Events from "../../adapters/postgres/tables/Events.ts"
import * as Evidence from "../../adapters/postgres/tables/Evidence.ts"
import * as Gates from "../../adapters/postgres/tables/Gates.ts"
import * as Runs from "../../adapters/postgres/tables/Runs.ts"
import type * as Table from "../../adapters/postgres/tables/Table.ts"
import * as Workflows from "../../adapters/postgres/tables/Workflows.ts"
import * as WrappedKeys from "../../adapters/postgres/tables/WrappedKeys.ts"
import { RunStore } from "../../core/run/RunStore.ts"
import * as databases from "../support/databases.ts"
import { makeWorkflow, makeWorkspace, submission } from "../support/fixtures.ts"

/** Each table with its columns that the database or single statements write. */
const tables: ReadonlyArray<readonly [Table.Described, Readonly<Record<string, string>>]> = [
  [Runs.table, { sequence: "bigint not null" }],
  [
    Gates.table,
    {
      waiting: "boolean not null",
      ready_at: "timestamptz not null",
      blocked_on: "text[]",
      served_at: "timestamptz",
      slots: "boolean not null"
    }
  ],
  [Events.table, { sequence: "bigint not null", tx: "xid8 not null" }],
  [Workflows.table, {}],
  [Workflows.versions, {}],
  [Components.table, { position: "bigint not null" }],
  [Components.versions, {}],
  [Deliveries.table, { position: "bigint not null" }],
  [WrappedKeys.table, {}],
  [Evidence.errors, {}],
  [Evidence.decisions, {}],
  [Evidence.exchanges, {}]
]

it.live("the described columns of each table are those of the migrated schema, with their types", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    for (const [{ columns, name }, others] of tables) {
      const rows = yield* sql<{ readonly name: string; readonly type: string; readonly nullable: boolean }>`
        select attname as name, replace(format_type(atttypid, null), 'timestamp with time zone', 'timestamptz') as type,
          not attnotnull as nullable
        from pg_attribute where attrelid = ${name}::regclass and attnum > 0 and not attisdropped`
      const described = Object.entries(columns).map(([column, { isNullable, sqlType }]) => [
        column,
        `${sqlType}${isNullable ? "" : " not null"}`
      ])
      assert.deepStrictEqual(
        { ...Object.fromEntries(described), ...others },
        Object.fromEntries(rows.map((row) => [row.name, `${row.type}${row.nullable ? "" : " not null"}`])),
        name
      )
    }
  }).pipe(Effect.provide(databases.embedded[0]), Effect.scoped)
)

const damages = {
  "JSON that ends too early": ["input", '{"secret', "it is not JSON"],
  "a list where an object belongs": ["input", '["secret"]', "it is not of its schema"],
  "a failure without a message": ["errors", '[{"id":"secret"}]', "at 0.message"]
} as const

it.live("a damaged row is a defect that names table, column and row, and not the value", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const runs = yield* RunStore
    const caller = yield* makeWorkspace()
    const workflow = yield* makeWorkflow(caller)
    for (const [what, [column, text, reason]] of Object.entries(damages)) {
      const { run } = yield* runs.submit(submission(workflow))
      yield* sql`update runs set ${sql.update({ [column]: text })} where id = ${run.id}`
      const exit = yield* Effect.exit(runs.get(caller.workspaceId, run.id))
      assert.isTrue(Exit.hasDies(exit), what)
      const message = String(exit)
      assert.include(message, `Cannot read column ${column} of table runs in row ${run.id}: `, what)
      assert.include(message, reason, what)
      assert.notInclude(message, "secret", what)
    }
  }).pipe(Effect.provide(databases.embedded[0]), Effect.scoped)
)
