/**
 * Artifacts as files in a folder, one each. Processes that share the folder share the artifacts.
 *
 * The first line of a file is the description of the artifact; its bytes follow. A file is written under another name
 * and then renamed, so that readers never see a partial file. The file and then the folder are synced to disk before
 * the artifact counts as stored, so it survives a power loss where folders can be synced (not on Windows).
 */
import { randomBytes } from "node:crypto"
import { closeSync, fsyncSync, mkdirSync, openSync } from "node:fs"
import { type FileHandle, open, readdir, rename, rm, stat } from "node:fs/promises"
import { dirname, resolve } from "node:path"
import { Effect, Layer, Option, Stream } from "effect"
import {
  ArtifactFiles,
  ArtifactsUnavailable,
  type Description,
  isId,
  type StoredArtifact
} from "../../core/run/artifact/ArtifactFiles.ts"
import * as OwnerOnly from "./OwnerOnly.ts"

/** Stores artifacts in `folder`, which is created if necessary and made readable by its owner only. */
export const layer = (folder: string) =>
  Layer.sync(ArtifactFiles, () => {
    made(resolve(folder))
    OwnerOnly.restrict(resolve(folder))

    const putStream = <E>(id: string, description: Description, content: Stream.Stream<Uint8Array, E>) =>
      Effect.scoped(
        Effect.gen(function* () {
          if (!isId(id)) throw new Error(`The id of an artifact must be a UUID, got "${id}"`)
          const part = `${folder}/${id}.${randomBytes(6).toString("hex")}.part`
          let isMoved = false
          const file = yield* Effect.acquireRelease(
            attempt("keep", () => open(part, "w", 0o600)),
            (file) =>
              Effect.promise(async () => {
                await file.close().catch(() => undefined)
                if (!isMoved) await rm(part, { force: true }).catch(() => undefined)
              })
          )
          yield* attempt("keep", () => file.writeFile(headOf(description)))
          let size = 0
          yield* Stream.runForEach(content, (piece) => {
            size += piece.length
            return attempt("keep", () => file.writeFile(piece))
          })
          yield* attempt("keep", async () => {
            await file.sync()
            await rename(part, `${folder}/${id}`)
            isMoved = true
            await written(folder)
          })
          return size
        })
      )

    return ArtifactFiles.of({
      put: Effect.fn("ArtifactFiles.put")((id, { bytes, ...description }) =>
        Effect.asVoid(putStream(id, description, Stream.succeed(bytes)))
      ),
      putStream,
      find: Effect.fn("ArtifactFiles.find")((id) => attempt("read", () => find(folder, id))),
      remove: Effect.fn("ArtifactFiles.remove")((ids) =>
        attempt("remove", async () => {
          for (const id of ids.filter(isId)) await rm(`${folder}/${id}`, { force: true })
        })
      ),
      sweep: Effect.fn("ArtifactFiles.sweep")((before) =>
        attempt("remove", async () => {
          for (const name of await readdir(folder)) {
            if (!name.endsWith(".part")) continue
            // The upload may have ended, or another process may have removed it.
            const begun = await stat(`${folder}/${name}`).catch(() => null)
            if (begun !== null && begun.mtimeMs < before) await rm(`${folder}/${name}`, { force: true })
          }
        })
      )
    })
  })

/** Makes a folder and its parents if necessary, synced to disk. */
const made = (folder: string): void => {
  const first = mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  for (let path = folder; path.length >= first.length; path = dirname(path)) {
    try {
      const above = openSync(dirname(path), "r")
      try {
        fsyncSync(above)
      } finally {
        closeSync(above)
      }
    } catch (error) {
      if (!isImpossible(error)) throw error
    }
  }
}

/** Syncs the entries of a folder to disk. */
const written = async (folder: string): Promise<void> => {
  try {
    const file = await open(folder, "r")
    await file.sync().finally(() => file.close())
  } catch (error) {
    if (!isImpossible(error)) throw error
  }
}

/** The errors of platforms and file systems that cannot open or sync a folder. */
const refusals = new Set(["EISDIR", "EPERM", "EACCES", "EINVAL", "EBADF", "ENOTSUP", "ENOSYS"])

const isImpossible = (error: unknown): boolean =>
  error instanceof Error && "code" in error && refusals.has(String(error.code))

const attempt = <A>(action: ArtifactsUnavailable["action"], act: () => Promise<A>) =>
  Effect.tryPromise({
    try: act,
    catch: (error) =>
      new ArtifactsUnavailable({ action, reason: error instanceof Error ? error.message : String(error) })
  })

const headOf = ({ fileName, mediaType }: Description): string => `${JSON.stringify({ mediaType, fileName })}\n`

/** Maximum length of the first line. The file name and the media type in it are bounded. */
const maxHeadBytes = 16_384

const pieceBytes = 256 * 1_024

const find = async (folder: string, id: string): Promise<Option.Option<StoredArtifact>> => {
  if (!isId(id)) return Option.none()
  const path = `${folder}/${id}`
  const file = await opened(path)
  if (file === null) return Option.none()
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxHeadBytes), 0, maxHeadBytes, 0)
    const end = buffer.subarray(0, bytesRead).indexOf(10)
    // Only this adapter writes such files, and always completely.
    const description = JSON.parse(buffer.toString("utf8", 0, end)) as Description
    const { size } = await file.stat()
    return Option.some(keptOf(path, end + 1, size, description))
  } finally {
    await file.close()
  }
}

const keptOf = (path: string, from: number, fileSize: number, description: Description): StoredArtifact => ({
  ...description,
  size: fileSize - from,
  read: (range) => Stream.suspend(() => pieces(path, from + (range?.start ?? 0), from + (range?.end ?? Infinity)))
})

/** Reads a file from one position to another, both included, or to its end. */
const pieces = (path: string, start: number, end: number): Stream.Stream<Uint8Array, ArtifactsUnavailable> =>
  Stream.unwrap(
    Effect.map(
      Effect.acquireRelease(
        attempt("read", () => open(path, "r")),
        (file) => Effect.promise(() => file.close().catch(() => undefined))
      ),
      (file) =>
        Stream.paginate(start, (position) =>
          attempt("read", () => next(file, position, end)).pipe(
            Effect.map(
              (piece) =>
                [
                  piece.length === 0 ? [] : [piece],
                  piece.length === 0 ? Option.none<number>() : Option.some(position + piece.length)
                ] as const
            )
          )
        )
    )
  )

const next = async (file: FileHandle, position: number, end: number): Promise<Uint8Array> => {
  const wanted = Math.min(pieceBytes, end - position + 1)
  if (wanted <= 0) return new Uint8Array()
  const { buffer, bytesRead } = await file.read(new Uint8Array(wanted), 0, wanted, position)
  return buffer.subarray(0, bytesRead)
}

/** The open file; `null` when there is none. */
const opened = async (path: string): Promise<FileHandle | null> => {
  try {
    return await open(path, "r")
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null
    throw error
  }
}
