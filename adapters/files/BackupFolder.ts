/**
 * A backup as a folder: `manifest.json`, which is written last; `database/`, with a compressed file for each table, one
 * row per line; `artifacts/`, and `artifacts.jsonl` with the size and SHA-256 of each. It contains no key.
 */
import { createReadStream, createWriteStream, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { finished, pipeline } from "node:stream/promises"
import { createGunzip, createGzip } from "node:zlib"
import { Effect, Schema, Stream } from "effect"

/** The version of the format. It is increased when a reader of the former version would misread it. */
const format = 1

export class Manifest extends Schema.Class<Manifest>("Manifest")({
  format: Schema.Literal(format),
  /** The version of the service that made the backup. */
  version: Schema.String,
  /** The newest migration of the database. */
  migration: Schema.String,
  takenAt: Schema.String,
  tables: Schema.Record(Schema.String, Schema.Struct({ rows: Schema.Int, digest: Schema.String })),
  sequences: Schema.Record(Schema.String, Schema.String),
  transactions: Schema.Int,
  /** `null` for a backup without artifacts. */
  artifacts: Schema.NullOr(Schema.Struct({ count: Schema.Int, bytes: Schema.Int, missing: Schema.Int }))
}) {}

export const formatOf = format

/** Raised when a folder cannot be written, or contains no backup that this version can read. */
export class BackupUnusable extends Schema.TaggedError<BackupUnusable>()("BackupUnusable", {
  folder: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `Cannot use ${this.folder} as a backup: ${this.reason}`
  }
}

const attempt = <A>(folder: string, act: () => A | Promise<A>) =>
  Effect.tryPromise({
    try: async () => act(),
    catch: (error) => new BackupUnusable({ folder, reason: error instanceof Error ? error.message : String(error) })
  })

/** Makes the folder of a new backup. A folder that has files is refused. */
export const create = (folder: string) =>
  attempt(folder, () => {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    if (readdirSync(folder).length > 0) throw new Error("it is not empty: expected a new or empty folder")
    mkdirSync(join(folder, "database"), { mode: 0o700 })
  })

export const artifactsOf = (folder: string): string => join(folder, "artifacts")
const artifactList = (folder: string): string => join(folder, "artifacts.jsonl")
const rowsFile = (folder: string, table: string): string => join(folder, "database", `${table}.jsonl.gz`)

/** Writes rows of one table after another. */
export const rowsWriter = (folder: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync((): { open: Open | null } => ({ open: null })),
      (state) => Effect.promise(() => finish(state.open).catch(() => undefined))
    ),
    (state) => ({
      put: (table: string, rows: ReadonlyArray<string>) =>
        attempt(folder, async () => {
          if (state.open?.table !== table) {
            const former = state.open
            state.open = null
            await finish(former)
            state.open = opened(folder, table)
          }
          const { gzip } = state.open
          await new Promise<void>((resolve, reject) =>
            gzip.write(`${rows.join("\n")}\n`, (error) => (error ? reject(error) : resolve()))
          )
        }),
      /** Completes when all rows are on disk. */
      end: attempt(folder, async () => {
        const former = state.open
        state.open = null
        await finish(former)
      })
    })
  )

interface Open {
  readonly table: string
  readonly gzip: ReturnType<typeof createGzip>
  readonly done: Promise<void>
}

const opened = (folder: string, table: string): Open => {
  const gzip = createGzip({ level: 6 })
  const file = createWriteStream(rowsFile(folder, table), { flags: "wx", mode: 0o600, flush: true })
  const done = pipeline(gzip, file)
  // The next write or end reports the failure.
  done.catch(() => undefined)
  return { table, gzip, done }
}

const finish = async (open: Open | null): Promise<void> => {
  open?.gzip.end()
  await open?.done
}

/** The rows of a table, some at a time. */
export const rows = (folder: string, table: string): Stream.Stream<ReadonlyArray<string>, BackupUnusable> =>
  Stream.fromAsyncIterable(
    linesOf(rowsFile(folder, table)),
    (error) =>
      new BackupUnusable({ folder, reason: `${table}: ${error instanceof Error ? error.message : String(error)}` })
  )

/** How many bytes of rows are passed on at once. */
const pieceBytes = 4 * 1_024 * 1_024

async function* linesOf(path: string): AsyncGenerator<ReadonlyArray<string>> {
  const unzipped = createGunzip()
  const read = pipeline(createReadStream(path), unzipped)
  read.catch(() => undefined)
  let begun: Array<Buffer> = []
  let lines: Array<string> = []
  let bytes = 0
  // Without an encoding a stream of Node reads buffers.
  for await (const piece of unzipped as AsyncIterable<Buffer>) {
    let from = 0
    for (let to = piece.indexOf(10); to >= 0; to = piece.indexOf(10, from)) {
      const line = Buffer.concat([...begun, piece.subarray(from, to)])
      begun = []
      from = to + 1
      bytes += line.length
      lines.push(line.toString("utf8"))
    }
    if (from < piece.length) begun.push(piece.subarray(from))
    if (bytes < pieceBytes) continue
    yield lines
    lines = []
    bytes = 0
  }
  await read
  if (begun.length > 0) throw new Error("its last line is not complete")
  if (lines.length > 0) yield lines
}

/** An artifact of a backup. */
export class Listed extends Schema.Class<Listed>("Listed")({
  id: Schema.String,
  bytes: Schema.Int,
  sha256: Schema.String
}) {}

/** Keeps the list of artifacts. */
export const artifactsWriter = (folder: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => createWriteStream(artifactList(folder), { flags: "wx", mode: 0o600, flush: true })),
      (file) => Effect.promise(() => finished(file.end()).catch(() => undefined))
    ),
    (file) => (artifact: Listed) =>
      attempt(
        folder,
        () =>
          new Promise<void>((resolve, reject) =>
            file.write(`${JSON.stringify(artifact)}\n`, (error) => (error ? reject(error) : resolve()))
          )
      )
  )

/** The artifacts of a backup that has some. */
export const artifacts = (folder: string) =>
  attempt(folder, () =>
    readFileSync(artifactList(folder), "utf8")
      .split("\n")
      .flatMap((line) => (line === "" ? [] : [Schema.decodeUnknownSync(Listed)(JSON.parse(line))]))
  )

/** Completes a backup by writing its manifest. */
export const complete = (folder: string, manifest: Manifest) =>
  attempt(folder, () =>
    writeFileSync(join(folder, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`, {
      flag: "wx",
      mode: 0o600,
      flush: true
    })
  )

export const manifest = (folder: string) =>
  attempt(folder, () => {
    let text: string
    try {
      text = readFileSync(join(folder, "manifest.json"), "utf8")
    } catch {
      throw new Error("it has no manifest.json: no backup is there, or it was not completed")
    }
    return Schema.decodeUnknownSync(Manifest)(JSON.parse(text))
  })
