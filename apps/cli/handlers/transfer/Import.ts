/**
 * The handler of `sluice import`: copies the embedded database of a data folder, and its artifacts, to the configured
 * stores.
 */
import { existsSync, readFileSync } from "node:fs"
import { resolve } from "node:path"
import { Context, Effect, Layer, Option, Redacted, Schema } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import * as Embedded from "../../../../adapters/embedded/Embedded.ts"
import * as Migrations from "../../../../adapters/postgres/Migrations.ts"
import * as Load from "../../../../adapters/postgres/transfer/Load.ts"
import * as Snapshot from "../../../../adapters/postgres/transfer/Snapshot.ts"
import { ArtifactFiles } from "../../../../core/run/artifact/ArtifactFiles.ts"
import * as ArtifactSettings from "../../layers/Artifacts.ts"
import { layerEncryption, layerStorage, type StorageSettings } from "../../layers/Storage.ts"
import { answer, type OutputSettings } from "../../user/Output.ts"
import * as Artifacts from "./Artifacts.ts"

/** Raised when an import cannot be done as it was asked for. */
export class NotImported extends Schema.TaggedError<NotImported>()("NotImported", { reason: Schema.String }) {
  override get message() {
    return `Cannot import: ${this.reason}`
  }
}

export const importData = Effect.fnUntraced(function* (
  settings: StorageSettings & OutputSettings & { readonly from: string }
) {
  const { databaseUrl, from, masterKey } = settings
  if (Option.isNone(databaseUrl))
    return yield* new NotImported({ reason: "set DATABASE_URL to the PostgreSQL database to import to" })
  if (!existsSync(`${from}/database`))
    return yield* new NotImported({ reason: `the data folder ${from} has no database` })
  const file = `${from}/master.key`
  if (existsSync(`${file}.next`))
    return yield* new NotImported({
      reason: "the master key is being rotated: end that with `sluice keys rotate master`"
    })
  if (existsSync(file)) {
    const key = readFileSync(file, "utf8").trim().toLowerCase()
    if (Option.isNone(masterKey) || Redacted.value(masterKey.value).toLowerCase() !== key)
      return yield* new NotImported({ reason: `set SLUICE_MASTER_KEY to the content of ${file}` })
  }
  const encryption = Effect.scoped(Effect.asVoid(Layer.build(Layer.fresh(layerEncryption(settings)))))
  const isInPlace = ArtifactSettings.missing(settings) === "all" && resolve(settings.dataDir) === resolve(from)
  const imported = yield* Effect.scoped(copied(from, isInPlace, encryption)).pipe(
    Effect.provide(layerStorage(settings))
  )
  const { artifacts, rows } = imported
  yield* answer(
    settings,
    imported,
    () =>
      `Imported and checked ${rows} rows${artifacts === null ? "; the artifacts stay where they are" : ` and ${artifacts} artifacts`}. Start the service with DATABASE_URL and SLUICE_MASTER_KEY`
  )
})

const copied = Effect.fnUntraced(function* <E, R>(from: string, isInPlace: boolean, check: Effect.Effect<void, E, R>) {
  const source = Context.get(yield* Layer.build(Embedded.layer(from)), SqlClient.SqlClient)
  const sql = yield* SqlClient.SqlClient
  const taken = yield* Load.into(
    sql,
    (insert) => Snapshot.take(source, ({ name }, rows) => insert(name, rows)),
    check
  ).pipe(Effect.catchIf(SqlError.isSqlError, (error) => Effect.fail(Migrations.unavailable(error))))
  const rows = Object.values(taken.tables).reduce((total, sum) => total + sum.rows, 0)
  return { rows, artifacts: isInPlace ? null : yield* artifactsFrom(from) }
})

const artifactsFrom = Effect.fnUntraced(function* (folder: string) {
  const to = yield* ArtifactFiles
  const from = yield* Artifacts.inFolder(`${folder}/artifacts`)
  let count = 0
  for (const id of yield* Artifacts.ids) {
    const copy = yield* Artifacts.copy(from, to, id)
    if (copy === null) continue
    if ((yield* Artifacts.digestOf(to, id)) !== copy.sha256)
      return yield* new NotImported({ reason: `the stored artifact ${id} differs from the original` })
    count += 1
  }
  return count
})
