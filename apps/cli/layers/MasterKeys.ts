/**
 * The master keys of a process: from its settings, or else from the folder of the embedded data.
 *
 * The folder has the key in `master.key`. During a rotation the new key lies beside it in `master.key.next`: a service
 * that starts during that time opens values under either key.
 */
import { randomBytes } from "node:crypto"
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from "node:fs"
import { dirname } from "node:path"
import { Effect, Option, Redacted, Schema } from "effect"

/** The sources of the keys. */
export interface Sources {
  readonly dataDir: string
  readonly databaseUrl: Option.Option<Redacted.Redacted<string>>
  readonly masterKey: Option.Option<Redacted.Redacted<string>>
  readonly previousMasterKey: Option.Option<Redacted.Redacted<string>>
}

export interface MasterKeys {
  readonly present: Redacted.Redacted<string>
  /** The keys that the present one replaces. */
  readonly previous: Redacted.Redacted<string> | null
}

/** Raised when processes share a database but were given no key to share. */
export class NoMasterKey extends Schema.TaggedError<NoMasterKey>()("NoMasterKey", {}) {
  override get message() {
    return "Cannot start without a master key: with DATABASE_URL, set SLUICE_MASTER_KEY to 64 hexadecimal digits, the same for every process"
  }
}

/** Raised when the embedded data has encryption keys, but the file of their master key is missing. */
export class MasterKeyLost extends Schema.TaggedError<MasterKeyLost>()("MasterKeyLost", { file: Schema.String }) {
  override get message() {
    return `Cannot start without the master key: ${this.file} is missing, and the credentials in this data folder are sealed under it. Put the file back, or set SLUICE_MASTER_KEY`
  }
}

const fileOf = ({ dataDir }: Sources) => `${dataDir}/master.key`
const nextOf = (sources: Sources) => `${fileOf(sources)}.next`

/** Returns whether the key is kept in the folder, and not given by settings. */
export const isInFolder = (sources: Sources): boolean =>
  Option.isNone(sources.masterKey) && Option.isNone(sources.databaseUrl)

/** The keys of this process. `mayMake` allows to make the one of the folder when it has none. */
export const read = Effect.fnUntraced(function* (sources: Sources, { mayMake }: { readonly mayMake: boolean }) {
  if (Option.isSome(sources.masterKey)) {
    const previous = Option.getOrNull(sources.previousMasterKey)
    const keys: MasterKeys = { present: sources.masterKey.value, previous }
    return keys
  }
  if (!isInFolder(sources)) return yield* new NoMasterKey()
  const [file, next] = [fileOf(sources), nextOf(sources)]
  if (!existsSync(file)) {
    if (!mayMake) return yield* new MasterKeyLost({ file })
    make(file)
  }
  const key = keyIn(file)
  const keys: MasterKeys = existsSync(next) ? { present: keyIn(next), previous: key } : { present: key, previous: null }
  return keys
})

/** Begins to rotate the key of the folder. After that it has two keys, unless it had two before. */
export const begin = (sources: Sources) =>
  Effect.sync(() => {
    if (!existsSync(nextOf(sources))) make(nextOf(sources))
  })

/** Ends the rotation, when no key is wrapped with the former master key. */
export const end = (sources: Sources) =>
  Effect.sync(() => {
    renameSync(nextOf(sources), fileOf(sources))
    settle(sources.dataDir)
  })

/** Makes a key in a file; the file is complete or absent. */
const make = (file: string): void => {
  const folder = dirname(file)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const unfinished = `${file}.${process.pid}`
  const handle = openSync(unfinished, "w", 0o600)
  try {
    writeSync(handle, `${randomBytes(32).toString("hex")}\n`)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  renameSync(unfinished, file)
  settle(folder)
}

/** Syncs the entries of a folder to disk, if the system supports it. */
const settle = (folder: string): void => {
  if (process.platform === "win32") return
  const handle = openSync(folder, "r")
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

const keyIn = (file: string) => Redacted.make(readFileSync(file, "utf8").trim())
