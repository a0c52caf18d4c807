/**
 * Migrates a database to the present schema. Each migration runs once, in a transaction, even if several processes
 * start together.
 */
import { createHash } from "node:crypto"
import { Effect, Layer, Schedule, Schema } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import { Build } from "../../core/runtime/Build.ts"
import { StoreUnavailable } from "../../core/runtime/StoreUnavailable.ts"
import { schema } from "./migrations/0001_schema.ts"
import { runWarnings } from "./migrations/0002_run_warnings.ts"
import { formerSecrets } from "./migrations/0003_former_secrets.ts"
import { workerShares } from "./migrations/0004_worker_shares.ts"
import { fileDeliveries } from "./migrations/0005_file_deliveries.ts"
import { runReferences } from "./migrations/0006_run_references.ts"
import { modelCalls } from "./migrations/0007_model_calls.ts"
import { limits } from "./migrations/0008_limits.ts"
import { canaries } from "./migrations/0010_canaries.ts"
import { modelSpending } from "./migrations/0011_model_spending.ts"
import { alerts } from "./migrations/0012_alerts.ts"
import * as Startup from "./server/Startup.ts"
import { isHeldUp, outageOf, withoutSqlErrors } from "./Transaction.ts"

/** Raised when the database cannot be reached, or cannot be migrated to the present schema. */
export class DatabaseUnavailable extends Schema.TaggedError<DatabaseUnavailable>()("DatabaseUnavailable", {
  reason: Schema.String
}) {
  override get message() {
    return `Cannot use the database at DATABASE_URL: ${this.reason}`
  }
}

/** Raised for a database whose tables another version or build of the service made. Nothing in it was changed. */
export class ForeignSchema extends Schema.TaggedError<ForeignSchema>()("ForeignSchema", {
  /** The first migration in the database that this build does not have, or has with another content. */
  migration: Schema.String,
  /** Where this build has it with another content: the names of this build and of the one that made the tables. */
  builds: Schema.NullOr(Schema.Struct({ own: Schema.String, made: Schema.NullOr(Schema.String) }))
}) {
  /** The problem of the database, as a clause. */
  get reason() {
    if (this.builds !== null) {
      const { made, own } = this.builds
      const maker = made === null ? "a build that did not note its name" : `the build ${made}`
      return `its tables were made by ${maker}, whose migration ${this.migration} has another content than that of this build, ${own}. Nothing was changed`
    }
    return `its tables were made by another version of Sluice, with migration ${this.migration}, which this version does not have. Nothing was changed`
  }

  override get message() {
    return `Cannot use the database at DATABASE_URL: ${this.reason}. Run the version that made it, or name an empty database in DATABASE_URL`
  }
}

const table = "sluice_migrations"

/** The statements of each migration. Those of a released one never change. */
export const all: Readonly<Record<string, ReadonlyArray<string>>> = {
  "0001_schema": schema,
  "0002_run_warnings": runWarnings,
  "0003_former_secrets": formerSecrets,
  "0004_worker_shares": workerShares,
  "0005_file_deliveries": fileDeliveries,
  "0006_run_references": runReferences,
  "0007_model_calls": modelCalls,
  "0008_limits": limits,
  "0010_canaries": canaries,
  "0011_model_spending": modelSpending,
  "0012_alerts": alerts
}

/** The name of the newest migration of this version. */
export const newest: string = Object.keys(all).toSorted().at(-1) ?? ""

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex")

/** A hash of the statements of a migration, whatever their blanks. */
const contentOf = (name: string): string => hashOf((all[name] ?? []).join(";").replace(/\s+/g, " "))

/**
 * A hash of the columns of the service's tables, after each migration that could be made without a note of its content. A
 * new migration needs none.
 */
export const columnsAfter: Readonly<Record<string, string>> = {
  "0001_schema": "40409dce5a2361df6f905dea68429e09c6879b47b76309cd8a83267feebfb167",
  "0002_run_warnings": "86141824bf50ef3f856a28f7caa3999ec58609bf253eac7eaf6451f0e37f2076"
}

/** The present hash of the columns of the tables that migrations make. Other tables in the database are left out. */
export const columns = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const made = Object.values(all).flatMap((statements) =>
    statements.flatMap((statement) => /^create (?:unlogged )?table (\w+)/.exec(statement)?.[1] ?? [])
  )
  const found = yield* sql<{ readonly line: string }>`
    select format('%s.%s %s %s', relname, attname, format_type(atttypid, atttypmod), attnotnull) as line
    from pg_attribute join pg_class one on one.oid = attrelid
    where relnamespace = current_schema()::regnamespace and ${sql.in("relname", made)} and attnum > 0 and not attisdropped`
  return hashOf(
    found
      .map(({ line }) => line)
      .toSorted()
      .join("\n")
  )
})

const nameOf = (id: number, name: string) => `${String(id).padStart(4, "0")}_${name}`

const migrations = Migrator.fromRecord(
  Object.fromEntries(
    Object.entries(all).map(([name, statements]) => [
      name,
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        for (const statement of statements) yield* sql.unsafe(statement)
        yield* note(name)
      })
    ])
  )
)

/** Notes the content of a migration beside its name, and this build as its maker. */
const note = Effect.fnUntraced(function* (name: string, build?: null) {
  const sql = yield* SqlClient.SqlClient
  const row = { content: contentOf(name), build: build === null ? null : yield* Build }
  yield* sql`update ${sql(table)} set ${sql.update(row)} where migration_id = ${Number(name.slice(0, 4))}`
})

/**
 * The migrations, unless the database has others, or others of the same name. The migrator loads them under its lock of the
 * table, so that no other process adds one in between.
 */
const load = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const known = yield* migrations
  // A database of an earlier build has no columns for the two last.
  const applied = yield* sql<Applied>`
    select migration_id, name, to_jsonb(one) ->> 'content' as content, to_jsonb(one) ->> 'build' as build
    from ${sql(table)} as one order by migration_id`
  const names = applied.map((row) => nameOf(row.migration_id, row.name))
  const other = names.find((name) => all[name] === undefined)
  if (other !== undefined) return yield* foreign(other, null)
  const own = yield* Build
  const changed = applied.find(
    ({ content, migration_id, name }) => content !== null && content !== contentOf(nameOf(migration_id, name))
  )
  if (changed !== undefined) {
    return yield* foreign(nameOf(changed.migration_id, changed.name), { own, made: changed.build })
  }
  const last = names.at(-1)
  const unnoted = applied.filter(({ content }) => content === null)
  if (last !== undefined && unnoted.length === 0) return known
  if (last !== undefined && columnsAfter[last] !== undefined && (yield* columns) !== columnsAfter[last]) {
    return yield* foreign(last, { own, made: null })
  }
  yield* sql`alter table ${sql(table)} add column if not exists content text, add column if not exists build text`
  yield* Effect.forEach(unnoted, ({ migration_id, name }) => note(nameOf(migration_id, name), null))
  return known
})

interface Applied {
  readonly migration_id: number
  readonly name: string
  readonly content: string | null
  readonly build: string | null
}

const foreign = (migration: string, builds: ForeignSchema["builds"]) => {
  const cause = new ForeignSchema({ migration, builds })
  return new Migrator.MigrationError({ kind: "BadState", message: cause.message, cause })
}

const migrate = Migrator.make({})({
  loader: Effect.catchTag(load, "SqlError", (cause) =>
    Effect.fail(new Migrator.MigrationError({ kind: "Failed", message: cause.message, cause }))
  ),
  table
})

/** A migration gives way to the work of processes that run. It is tried again for about a minute. */
const patient = Effect.retry(migrate, {
  while: isHeldUp,
  schedule: Schedule.spaced("1 second").pipe(Schedule.jittered, Schedule.upTo({ times: 60 }))
})

/** Refuses a database that cannot keep all texts, or counts their bytes as characters. */
const inUtf8 = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly encoding: string }>`select current_setting('server_encoding') as encoding`.pipe(
    Effect.mapError(unusable)
  )
  if (row === undefined || row.encoding === "UTF8") return
  return yield* new DatabaseUnavailable({
    reason: `its encoding is ${row.encoding}, and only UTF8 is supported. Make another one, as with CREATE DATABASE sluice ENCODING 'UTF8' TEMPLATE template0, and name it in DATABASE_URL. Nothing was changed`
  })
})

/** Migrates when it is built. Layers that need the schema are built on it. */
export const layer = Layer.effectDiscard(
  patient.pipe(
    Startup.during("it migrates its database"),
    Effect.mapError((error) => (error.cause instanceof ForeignSchema ? error.cause : unusable(error))),
    // The client makes a defect of a connection that is lost before the rollback.
    withoutSqlErrors,
    (migrated) => Effect.andThen(inUtf8, migrated)
  )
)

/** Why a database cannot be used that was reached before: it is away again, or it is not as it has to be. */
export const unusable = (error: Error): DatabaseUnavailable | StoreUnavailable => {
  const reason = outageOf(error)
  return reason === null ? unavailable(error) : new StoreUnavailable({ reason })
}

/** Why a database cannot be used, from any error of its client. */
export function unavailable(error: { readonly message: string; readonly cause?: unknown }): DatabaseUnavailable {
  let reason = error.message
  for (let cause: unknown = error.cause; cause instanceof Error; cause = cause.cause) reason = cause.message || reason
  return new DatabaseUnavailable({ reason })
}
