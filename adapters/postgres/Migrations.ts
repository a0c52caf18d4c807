/**
 * Migrates a database to the present schema. Each migration runs once, in a transaction, even if several processes
 * start together.
 */
import { Effect, Layer, Schedule, Schema } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import { schema } from "./migrations/0001_schema.ts"
import { runWarnings } from "./migrations/0002_run_warnings.ts"
import * as Startup from "./server/Startup.ts"
import { isHeldUp } from "./Transaction.ts"

/** Raised when the database cannot be reached, or cannot be migrated to the present schema. */
export class DatabaseUnavailable extends Schema.TaggedError<DatabaseUnavailable>()("DatabaseUnavailable", {
  reason: Schema.String
}) {
  override get message() {
    return `Cannot use the database at DATABASE_URL: ${this.reason}`
  }
}

/** Raised for a database whose tables another version of the service made. Nothing in it was changed. */
export class ForeignSchema extends Schema.TaggedError<ForeignSchema>()("ForeignSchema", {
  /** The first migration in the database that this version does not have. */
  migration: Schema.String
}) {
  /** The problem of the database, as a clause. */
  get reason() {
    return `its tables were made by another version of Sluice, with migration ${this.migration}, which this version does not have. Nothing was changed`
  }

  override get message() {
    return `Cannot use the database at DATABASE_URL: ${this.reason}. Run the version that made it, or name an empty database in DATABASE_URL`
  }
}

const table = "sluice_migrations"

const all = { "0001_schema": schema, "0002_run_warnings": runWarnings }

/** The name of the newest migration of this version. */
export const newest: string = Object.keys(all).toSorted().at(-1) ?? ""

const migrations = Migrator.fromRecord(all)

/**
 * The migrations, unless the database has others. The migrator loads them under its lock of the table, so that no other
 * process adds one in between.
 */
const load = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const known = yield* migrations
  const nameOf = (id: number, name: string) => `${String(id).padStart(4, "0")}_${name}`
  const names = new Set(known.map(([id, name]) => nameOf(id, name)))
  const applied = yield* sql<{ readonly migration_id: number; readonly name: string }>`
    select migration_id, name from ${sql(table)} order by migration_id`
  const other = applied.map((row) => nameOf(row.migration_id, row.name)).find((name) => !names.has(name))
  if (other !== undefined) {
    const cause = new ForeignSchema({ migration: other })
    return yield* new Migrator.MigrationError({ kind: "BadState", message: cause.message, cause })
  }
  return known
})

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

/** Migrates when it is built. Layers that need the schema are built on it. */
export const layer = Layer.effectDiscard(
  patient.pipe(
    Startup.during("it migrates its database"),
    Effect.mapError((error) => (error.cause instanceof ForeignSchema ? error.cause : unavailable(error)))
  )
)

/** Why a database cannot be used, from any error of its client. */
export function unavailable(error: { readonly message: string; readonly cause?: unknown }): DatabaseUnavailable {
  let reason = error.message
  for (let cause: unknown = error.cause; cause instanceof Error; cause = cause.cause) reason = cause.message || reason
  return new DatabaseUnavailable({ reason })
}
