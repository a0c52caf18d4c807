import { randomUUID } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { SqlClient } from "effect/sql"
import * as PgFailedLogins from "../../adapters/postgres/claim/PgFailedLogins.ts"
import * as PgPaces from "../../adapters/postgres/claim/PgPaces.ts"
import * as PgConsume from "../../adapters/postgres/event/PgConsume.ts"
import * as PgEventLog from "../../adapters/postgres/event/PgEventLog.ts"
import * as PgHoldAnnouncements from "../../adapters/postgres/gate/PgHoldAnnouncements.ts"
import * as PgCollection from "../../adapters/postgres/PgCollection.ts"
import * as PgElementMemory from "../../adapters/postgres/run/PgElementMemory.ts"
import * as PgLiveChannel from "../../adapters/postgres/run/PgLiveChannel.ts"
import * as PgLiveStore from "../../adapters/postgres/run/PgLiveStore.ts"
import * as PgSubmit from "../../adapters/postgres/run/PgSubmit.ts"
import * as ScheduleTables from "../../adapters/postgres/schedule/ScheduleTables.ts"
import * as Processes from "../../adapters/postgres/server/Processes.ts"
import * as Starts from "../../adapters/postgres/start/Starts.ts"
import * as Alerts from "../../adapters/postgres/tables/Alerts.ts"
import * as Components from "../../adapters/postgres/tables/Components.ts"
import * as Conversations from "../../adapters/postgres/tables/Conversations.ts"
import * as Deliveries from "../../adapters/postgres/tables/Deliveries.ts"
import * as Events from "../../adapters/postgres/tables/Events.ts"
import * as Evidence from "../../adapters/postgres/tables/Evidence.ts"
import * as FileDeliveries from "../../adapters/postgres/tables/FileDeliveries.ts"
import * as Gates from "../../adapters/postgres/tables/Gates.ts"
import * as ModelSpending from "../../adapters/postgres/tables/ModelSpending.ts"
import * as NamedLimits from "../../adapters/postgres/tables/NamedLimits.ts"
import * as Runs from "../../adapters/postgres/tables/Runs.ts"
import * as Table from "../../adapters/postgres/tables/Table.ts"
import * as Vault from "../../adapters/postgres/tables/Vault.ts"
import * as Workflows from "../../adapters/postgres/tables/Workflows.ts"
import * as Workspaces from "../../adapters/postgres/tables/Workspaces.ts"
import * as WrappedKeys from "../../adapters/postgres/tables/WrappedKeys.ts"
import * as PgPhoneNumbers from "../../adapters/postgres/vault/PgPhoneNumbers.ts"
import * as PgTimeSteps from "../../adapters/postgres/vault/PgTimeSteps.ts"
import * as AuditEntries from "../../adapters/postgres/workspace/AuditEntries.ts"
import * as PgIdempotencyStore from "../../adapters/postgres/workspace/PgIdempotencyStore.ts"
import { kind as alertReceivers } from "../../core/event/alert/AlertReceiver.ts"
import { RunSubscriptionStore, kind as runSubscriptions } from "../../core/event/notification/KeptSubscription.ts"
import { kind as webhooks } from "../../core/event/webhook/Webhook.ts"
import { kind as fileDestinations } from "../../core/run/delivery/FileDestination.ts"
import { kind as limits } from "../../core/run/limit/NamedLimit.ts"
import { RunStore } from "../../core/run/RunStore.ts"
import { kind as walks } from "../../core/vault/keys/Reencryption.ts"
import { kind as secretProviders } from "../../core/vault/providers/SecretProviders.ts"
import { kind as formerSecrets } from "../../core/vault/site/FormerSecrets.ts"
import { kind as vaultEntries } from "../../core/vault/VaultEntries.ts"
import { kind as patches } from "../../core/workflow/patch/Patch.ts"
import type { CollectionRecord, Kind } from "../../core/workspace/Collection.ts"
import { kind as errorCodes } from "../../core/workspace/ErrorCodes.ts"
import { kind as invitations } from "../../core/workspace/invitation/Invitations.ts"
import * as databases from "../support/databases.ts"
import { makeWorkflow, makeWorkspace, submission } from "../support/fixtures.ts"

/** The table of a collection, with the columns that follow from a value besides. */
const collection = <A extends CollectionRecord>(kind: Kind<A>, more?: Table.TableFacts): Table.TableFacts => {
  const { changes, ids } = PgCollection.describe(kind)
  return { ...ids, columns: { ...ids.columns, ...changes.columns, ...more?.columns } }
}

/** The columns of a table that several descriptions write. */
const together = (first: Table.TableFacts, second: Table.TableFacts): Table.TableFacts => ({
  ...first,
  columns: { ...first.columns, ...second.columns }
})

const position = { position: "bigint not null" }

/** Tables none of whose values pass through this program: why each needs no description. */
const undescribed = {
  retention_places: "filled from the rows of runs by one statement",
  run_labels: "filled by triggers, and from the rows of runs",
  test_clock: "of tests alone",
  webhook_queue: "of the library that keeps the queue"
}

/** Each table with its columns that the database or single statements write. */
const tables: ReadonlyArray<readonly [Table.TableFacts, Readonly<Record<string, string>>]> = [
  [Runs.table, { sequence: "bigint not null", place: "bigint not null" }],
  [
    Gates.table,
    {
      waiting: "boolean not null",
      ready_at: "timestamptz not null",
      released_ready_at: "timestamptz",
      blocked_on: "text[]",
      paced_until: "timestamptz",
      served_at: "timestamptz",
      moved_at: "timestamptz",
      moved_from: "text",
      slots: "boolean not null",
      limited: "bigint"
    }
  ],
  [Events.table, { sequence: "bigint not null", tx: "xid8 not null" }],
  [Workflows.table, {}],
  [Workflows.versions, {}],
  [Workflows.canaries, {}],
  [ModelSpending.terms, {}],
  [ModelSpending.days, {}],
  [ModelSpending.ledger, position],
  [Components.table, { position: "bigint not null" }],
  [Components.versions, {}],
  [Components.uses, {}],
  [Deliveries.table, { position: "bigint not null" }],
  [FileDeliveries.table, { position: "bigint not null" }],
  [Alerts.table, { position: "bigint not null" }],
  [WrappedKeys.table, {}],
  [Evidence.errors, {}],
  [Evidence.decisions, {}],
  [Evidence.exchanges, {}],
  [Evidence.logs, {}],
  [Evidence.snapshots, {}],
  [together(Evidence.artifacts, Evidence.finished), { taken_at: "timestamptz" }],
  [Evidence.totals, {}],
  [Evidence.interactions, {}],
  [AuditEntries.table, position],
  [Starts.table, {}],
  [Starts.windows, { set_by: "uuid" }],
  [Workspaces.table, {}],
  [Workspaces.keys, {}],
  [Workspaces.signIns, {}],
  [Conversations.table, {}],
  [Conversations.messages, {}],
  [Conversations.requestedViews, {}],
  [Vault.codes, position],
  [Vault.messages, {}],
  [collection(vaultEntries, Vault.entries), { ...position, served: "bigint not null", login_failed_at: "timestamptz" }],
  [collection(patches, Workflows.patches), position],
  [collection(errorCodes), position],
  [collection(invitations), position],
  [collection(webhooks), position],
  [collection(fileDestinations), position],
  [collection(alertReceivers), position],
  [collection(limits, NamedLimits.drawn), { ...position, taken_until: "timestamptz not null" }],
  [collection(runSubscriptions), position],
  [collection(secretProviders), position],
  [collection(walks), position],
  [collection(formerSecrets), position],
  [PgConsume.consumers, {}],
  [PgConsume.backlogs, { served: "bigint not null" }],
  [PgElementMemory.table, {}],
  [PgEventLog.written, {}],
  [PgFailedLogins.failures, {}],
  [PgHoldAnnouncements.table, { served: "bigint not null" }],
  [PgIdempotencyStore.table, {}],
  [PgLiveChannel.frames, {}],
  [PgLiveStore.admissions, {}],
  [PgLiveStore.controls, {}],
  [PgPaces.table, {}],
  [PgPhoneNumbers.table, {}],
  [PgSubmit.pieces, {}],
  [PgSubmit.references, {}],
  [PgTimeSteps.table, {}],
  [Processes.table, {}],
  [ScheduleTables.schedules, {}],
  [ScheduleTables.firings, {}]
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

it.live("each table of the schema is described, or has a reason why it is not", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ readonly name: string }>`
      select tablename as name from pg_tables where schemaname = current_schema() and tablename not like '%migrations'`
    assert.deepStrictEqual(
      rows.map(({ name }) => name).toSorted(),
      [...new Set([...tables.map(([{ name }]) => name), ...Object.keys(undescribed)])].toSorted()
    )
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

it.live("a damaged body of a collection is a defect that names its row, and not the value", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const subscriptions = yield* RunSubscriptionStore
    const { workspaceId } = yield* makeWorkspace()
    const id = randomUUID()
    for (const [body, reason] of [
      ['{"id":"secret","channel":7}', "it is not of its schema"],
      ['{"secret', "it is not JSON"]
    ] as const) {
      yield* sql`
        insert into ${sql(runSubscriptions.name)} ${sql.insert({ id, workspace_id: workspaceId, key_hash: "", body })}
        on conflict (id) do update set body = excluded.body`
      const exit = yield* Effect.exit(subscriptions.list(workspaceId))
      assert.isTrue(Exit.hasDies(exit))
      const message = String(exit)
      assert.include(message, `Cannot read column body of table ${runSubscriptions.name} in row ${id}: ${reason}`)
      assert.notInclude(message, "secret")
    }
  }).pipe(Effect.provide(databases.embedded[0]), Effect.scoped)
)

interface Sample {
  readonly id: number
  readonly text: string
  readonly words: ReadonlyArray<string>
  readonly at: number | null
  readonly yes: boolean | null
  readonly none: string | null
}

const sampled = Table.of<Sample>()

const samples = Table.make(
  "samples",
  {
    id: sampled(Table.integer, ({ id }) => id),
    text: sampled(Table.text, ({ text }) => text),
    words: sampled(Table.texts, ({ words }) => words),
    at: sampled(Table.nullable(Table.instant), ({ at }) => at),
    yes: sampled(Table.nullable(Table.flag), ({ yes }) => yes),
    none: sampled(Table.nullable(Table.text), ({ none }) => none)
  },
  ["id"]
)

const odd = [
  "plain",
  "null",
  "NULL",
  "",
  " ",
  ",",
  "{}",
  '"',
  "\\",
  'a"b\\c{d},e',
  "Grüße 😀",
  "line\nbreak",
  "\t",
  "{a,b}"
]

for (const [name, [layer]] of Object.entries({ embedded: databases.embedded, postgres: databases.postgres })) {
  it.live(`rows reach a statement of ${name} with every value as it is`, () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rows = odd.map(
        (text, id): Sample => ({
          id,
          text,
          words: odd.slice(0, id),
          at: id === 0 ? null : id * 1_000_000_007,
          yes: id % 3 === 0 ? null : id % 3 === 1,
          none: null
        })
      )
      const read = yield* sql<Table.Row<typeof samples.columns>>`
        select * from ${Table.recordset(sql, samples, "sample", rows.map(samples.encode))} order by id`
      assert.deepStrictEqual(read.map(samples.decode), rows)
      assert.lengthOf(yield* sql`select * from ${Table.recordset(sql, samples, "sample", [])}`, 0)
    }).pipe(Effect.provide(layer), Effect.scoped)
  )
}
