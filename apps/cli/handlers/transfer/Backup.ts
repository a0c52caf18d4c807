/**
 * The handler of `sluice backup`: writes the data of the installation to a folder, while the service runs.
 *
 * The artifacts are copied after the database was read, so every artifact in it exists, unless retention has removed it
 * since.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { relative, resolve } from "node:path"
import { Clock, Effect, Option, Schema } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import * as BackupFolder from "../../../../adapters/files/BackupFolder.ts"
import * as Migrations from "../../../../adapters/postgres/Migrations.ts"
import * as Snapshot from "../../../../adapters/postgres/transfer/Snapshot.ts"
import { ArtifactFiles } from "../../../../core/run/artifact/ArtifactFiles.ts"
import * as MasterKeys from "../../layers/MasterKeys.ts"
import { layerStorage, type StorageSettings } from "../../layers/Storage.ts"
import { answer, type OutputSettings } from "../../user/Output.ts"
import { version } from "../../Version.ts"
import * as Artifacts from "./Artifacts.ts"

export interface Backup {
  readonly folder: string
  readonly withoutArtifacts: boolean
}

/** Raised when a backup cannot be made. */
export class NoBackup extends Schema.TaggedError<NoBackup>()("NoBackup", { reason: Schema.String }) {
  override get message() {
    return `Cannot make a backup: ${this.reason}`
  }
}

export const backup = Effect.fnUntraced(function* (
  settings: StorageSettings & Backup & OutputSettings & { readonly keys: Option.Option<string> }
) {
  const isEmbedded = Option.isNone(settings.databaseUrl)
  if (isEmbedded && !existsSync(`${settings.dataDir}/database`))
    return yield* new NoBackup({ reason: `the data folder ${settings.dataDir} has no database` })
  yield* Option.match(settings.keys, { onNone: () => Effect.void, onSome: (file) => keysApart(settings, file) })
  const made = yield* written(settings).pipe(Effect.provide(layerStorage(settings)))
  const key = Option.isSome(settings.keys)
    ? []
    : [
        MasterKeys.isInFolder(settings)
          ? `The backup contains no key. Store ${settings.dataDir}/master.key in another place, for instance with --keys: without it no credential can be read`
          : "The backup contains no key. Store SLUICE_MASTER_KEY in another place: without it no credential can be read"
      ]
  yield* answer(settings, { ...made, keys: Option.getOrNull(settings.keys) }, () => [textOf(made), ...key].join("\n"))
})

/** Writes the master key of the data folder to a file that is not in the backup. */
const keysApart = Effect.fnUntraced(function* (settings: StorageSettings & Backup, file: string) {
  if (!MasterKeys.isInFolder(settings))
    return yield* new NoBackup({
      reason: "--keys copies the master key of a data folder, but this installation has it as a setting"
    })
  const place = relative(resolve(settings.folder), resolve(file))
  if (!place.startsWith("..")) return yield* new NoBackup({ reason: "--keys must name a file outside of the backup" })
  if (existsSync(`${settings.dataDir}/master.key.next`))
    return yield* new NoBackup({ reason: "the master key is being rotated: end that with `sluice keys rotate master`" })
  yield* Effect.try({
    try: () =>
      writeFileSync(file, readFileSync(`${settings.dataDir}/master.key`), { flag: "wx", mode: 0o600, flush: true }),
    catch: (error) => new NoBackup({ reason: error instanceof Error ? error.message : String(error) })
  })
})

/** Writes the backup of the stores, and answers what it has. */
export const written = Effect.fnUntraced(function* ({ folder, withoutArtifacts }: Backup) {
  yield* BackupFolder.create(folder)
  const takenAt = new Date(yield* Clock.currentTimeMillis).toISOString()
  const sql = yield* SqlClient.SqlClient
  const taken = yield* Effect.scoped(
    Effect.gen(function* () {
      const writer = yield* BackupFolder.rowsWriter(folder)
      const all = yield* Snapshot.take(sql, ({ name }, rows) => writer.put(name, rows))
      yield* writer.end
      return all
    })
  ).pipe(Effect.catchIf(SqlError.isSqlError, (error) => Effect.fail(Migrations.unavailable(error))))
  const rows = Object.values(taken.tables).reduce((total, sum) => total + sum.rows, 0)
  const artifacts = withoutArtifacts ? null : yield* Effect.scoped(withArtifacts(folder))
  const manifest = new BackupFolder.Manifest({
    format: BackupFolder.formatOf,
    version,
    migration: Migrations.newest,
    takenAt,
    tables: taken.tables,
    sequences: taken.sequences,
    transactions: taken.transactions,
    artifacts
  })
  yield* BackupFolder.complete(folder, manifest)
  return { folder, rows, artifacts }
})

const textOf = ({ artifacts, folder, rows }: Effect.Success<ReturnType<typeof written>>): string => {
  const rest =
    artifacts === null
      ? "no artifacts"
      : `${artifacts.count} artifacts of ${artifacts.bytes} bytes${artifacts.missing === 0 ? "" : `; ${artifacts.missing} were removed during the backup`}`
  return `Backed up ${rows} rows and ${rest} to ${folder}`
}

const withArtifacts = Effect.fnUntraced(function* (folder: string) {
  const from = yield* ArtifactFiles
  const to = yield* Artifacts.inFolder(BackupFolder.artifactsOf(folder))
  const list = yield* BackupFolder.artifactsWriter(folder)
  const sum = { count: 0, bytes: 0, missing: 0 }
  for (const id of yield* Artifacts.ids) {
    const copied = yield* Artifacts.copy(from, to, id)
    if (copied === null) {
      sum.missing += 1
      continue
    }
    yield* list(new BackupFolder.Listed(copied))
    sum.count += 1
    sum.bytes += copied.bytes
  }
  return sum
})
