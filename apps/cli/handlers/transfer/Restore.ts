/**
 * What `sluice restore` does: writes a backup to an empty database and to the store of artifacts, and compares what
 * arrived with what was read when the backup was made.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { Effect, Layer, Option, Schema, Stream } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import * as BackupFolder from "../../../../adapters/files/BackupFolder.ts"
import * as Migrations from "../../../../adapters/postgres/Migrations.ts"
import * as Load from "../../../../adapters/postgres/transfer/Load.ts"
import { ArtifactFiles } from "../../../../core/run/artifact/ArtifactFiles.ts"
import * as MasterKeys from "../../layers/MasterKeys.ts"
import { layerEncryption, layerStorage, type StorageSettings } from "../../layers/Storage.ts"
import { answer, type OutputSettings } from "../../user/Output.ts"
import * as Artifacts from "./Artifacts.ts"

/** Raised when a backup cannot be restored as it was asked for. */
export class NotRestored extends Schema.TaggedError<NotRestored>()("NotRestored", { reason: Schema.String }) {
  override get message() {
    return `Cannot restore the backup: ${this.reason}`
  }
}

export const restore = Effect.fnUntraced(function* (
  settings: StorageSettings & OutputSettings & { readonly folder: string; readonly keys: Option.Option<string> }
) {
  const { folder, keys } = settings
  const { migration, tables, version } = yield* BackupFolder.manifest(folder)
  if (migration !== Migrations.newest)
    return yield* new NotRestored({
      reason: `it was made by version ${version}, whose newest migration is ${migration}; this one has ${Migrations.newest}. Restore it with that version, then start this one`
    })
  const placed = yield* Option.match(keys, {
    onNone: () => ((tables.wrapped_keys?.rows ?? 0) > 0 ? Effect.as(needKey(settings), null) : Effect.succeed(null)),
    onSome: (file) => placeKey(settings, file)
  })
  const encryption = Effect.scoped(Effect.asVoid(Layer.build(Layer.fresh(layerEncryption(settings)))))
  const restored = yield* read(folder, encryption).pipe(
    Effect.provide(layerStorage(settings)),
    // Remove the key after a failure, because the next try refuses to overwrite it.
    Effect.tapCause(() => Effect.sync(() => placed !== null && rmSync(placed, { force: true })))
  )
  yield* answer(
    settings,
    restored,
    () => `Restored and checked ${restored.rows} rows and ${restored.artifacts} artifacts from ${folder}`
  )
})

/** Fails when a data folder has no master key, and nothing names one. */
const needKey = (settings: StorageSettings) => {
  const place = placeOf(settings)
  return !MasterKeys.isInFolder(settings) || existsSync(place)
    ? Effect.void
    : new NotRestored({
        reason: `name the file with its master key by --keys FILE, as \`sluice backup --keys FILE\` wrote it, or set SLUICE_MASTER_KEY: ${place} does not exist, and the credentials in the backup are sealed under that key`
      })
}

const placeOf = ({ dataDir }: StorageSettings) => `${dataDir}/master.key`

/** Writes the master key into the data folder, and answers its file. */
const placeKey = Effect.fnUntraced(function* (settings: StorageSettings, file: string) {
  if (!MasterKeys.isInFolder(settings))
    return yield* new NotRestored({
      reason: "--keys is only for a data folder: set SLUICE_MASTER_KEY to the key instead"
    })
  const place = placeOf(settings)
  if (existsSync(place)) return yield* new NotRestored({ reason: `${place} already exists` })
  const key = yield* Effect.try({
    try: () => readFileSync(file, "utf8").trim(),
    catch: (error) => new NotRestored({ reason: error instanceof Error ? error.message : String(error) })
  })
  if (!/^[0-9a-f]{64}$/i.test(key))
    return yield* new NotRestored({ reason: `${file} does not contain a master key: expected 64 hexadecimal digits` })
  yield* Effect.sync(() => {
    mkdirSync(settings.dataDir, { recursive: true, mode: 0o700 })
    writeFileSync(place, `${key}\n`, { flag: "wx", mode: 0o600, flush: true })
  })
  return place
})

/** Writes a backup to the stores, and answers what it had. `check` says whether the keys of the process open what is there. */
export const read = Effect.fnUntraced(function* <E, R>(folder: string, check: Effect.Effect<void, E, R>) {
  const manifest = yield* BackupFolder.manifest(folder)
  const sql = yield* SqlClient.SqlClient
  yield* Load.into(
    sql,
    (insert) =>
      Effect.gen(function* () {
        for (const [table, { rows }] of Object.entries(manifest.tables)) {
          if (rows > 0) yield* Stream.runForEach(BackupFolder.rows(folder, table), (some) => insert(table, some))
        }
        return manifest
      }),
    check
  ).pipe(Effect.catchIf(SqlError.isSqlError, (error) => Effect.fail(Migrations.unavailable(error))))
  const rows = Object.values(manifest.tables).reduce((total, one) => total + one.rows, 0)
  const count = manifest.artifacts === null ? 0 : yield* Effect.scoped(artifactsFrom(folder))
  return { folder, rows, artifacts: count }
})

const artifactsFrom = Effect.fnUntraced(function* (folder: string) {
  const to = yield* ArtifactFiles
  const from = yield* Artifacts.inFolder(BackupFolder.artifactsOf(folder))
  const listed = yield* BackupFolder.artifacts(folder)
  for (const { id, sha256 } of listed) {
    const copied = yield* Artifacts.copy(from, to, id)
    if (copied?.sha256 !== sha256 || (yield* Artifacts.digestOf(to, id)) !== sha256)
      return yield* new NotRestored({
        reason: `the artifact ${id} is ${copied === null ? "missing in" : "not the one of"} the backup. The database is complete; restore the folder of the backup, empty the database, and run this again`
      })
  }
  return listed.length
})
