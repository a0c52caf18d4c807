/**
 * Puts files on SFTP servers. A file is written to a temporary name in the same folder, and renamed when it is complete: the
 * rename of version 3 of the protocol never replaces a file.
 */
import { createHash, randomUUID } from "node:crypto"
import type { LookupFunction } from "node:net"
import { Effect, Stream } from "effect"
import type { SFTPWrapper, Stats } from "ssh2"
import type { OpenDestination, PutOutcome, SentFile } from "../../core/run/delivery/FileSink.ts"
import * as SftpSession from "./SftpSession.ts"

/** Puts a file, over one connection. */
export const put = (destination: OpenDestination, file: SentFile, lookup: LookupFunction): Effect.Effect<PutOutcome> =>
  Effect.gen(function* () {
    const sftp = yield* SftpSession.open(destination, lookup)
    return yield* placed(sftp, folderOf(destination.url), file).pipe(Effect.mapError(SftpSession.outcomeOf))
  }).pipe(Effect.scoped, Effect.catch(Effect.succeed))

const placed = Effect.fnUntraced(function* (sftp: SFTPWrapper, folder: string, file: SentFile) {
  const path = `${folder}${file.path}`
  const there = yield* look(sftp, path, file)
  if (there !== null) return there
  const partial = `${path.slice(0, path.lastIndexOf("/") + 1)}.sluice-${randomUUID()}.part`
  return yield* written(sftp, partial, file).pipe(
    Effect.catchIf(SftpSession.isNoSuchFile, () =>
      Effect.andThen(makeFolders(sftp, folder, file.path), written(sftp, partial, file))
    ),
    Effect.andThen(SftpSession.ask("RENAME", (answer) => sftp.rename(partial, path, (error) => answer(error, null)))),
    Effect.as<PutOutcome>({ _tag: "Stored", wasThere: false }),
    Effect.catch((trouble) =>
      Effect.gen(function* () {
        // Nothing more is answered.
        if (trouble._tag === "NotDone" && trouble.status === null) return yield* Effect.fail(trouble)
        yield* Effect.ignore(
          SftpSession.ask("REMOVE", (answer) => sftp.unlink(partial, (error) => answer(error, null)))
        )
        return (yield* look(sftp, path, file)) ?? (yield* Effect.fail(trouble))
      })
    )
  )
})

/** The folder that paths begin at, with a `/` at its end: the root, or by `/~` the folder of the user. */
const folderOf = (url: string): string => {
  const path = decodeURIComponent(new URL(url).pathname)
  const folder = path.endsWith("/") ? path : `${path}/`
  return folder.startsWith("/~/") ? folder.slice("/~/".length) : folder
}

/** The file at a path: the same, or another one; `null` when there is none. */
const look = Effect.fnUntraced(function* (
  sftp: SFTPWrapper,
  path: string,
  { sha256, size }: SentFile
): Effect.fn.Return<PutOutcome | null, SftpSession.NotDone> {
  const stats = yield* SftpSession.ask<Stats>("STAT", (answer) => sftp.stat(path, answer)).pipe(
    Effect.catchIf(SftpSession.isNoSuchFile, () => Effect.succeed(null))
  )
  if (stats === null) return null
  if (!stats.isFile() || stats.size !== size) return { _tag: "Taken" }
  const same = (yield* hashOf(sftp, path, size)) === sha256
  return same ? { _tag: "Stored", wasThere: true } : { _tag: "Taken" }
})

/** How many bytes one request reads. */
const pieceBytes = 262_144

type Mode = "r" | "wx"

const withFile = <A, E>(sftp: SFTPWrapper, path: string, mode: Mode, use: (handle: Buffer) => Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const handle = yield* SftpSession.ask<Buffer>("OPEN", (answer) => sftp.open(path, mode, answer))
    const used = yield* use(handle)
    yield* SftpSession.ask("CLOSE", (answer) => sftp.close(handle, (error) => answer(error, null)))
    return used
  })

/** The SHA-256 of a file, of which no more than some bytes are read. */
const hashOf = (sftp: SFTPWrapper, path: string, most: number) =>
  withFile(sftp, path, "r", (handle) =>
    Effect.gen(function* () {
      const hash = createHash("sha256")
      const buffer = Buffer.alloc(pieceBytes)
      for (let position = 0; position < most; ) {
        const read = yield* SftpSession.ask<number>("READ", (answer) =>
          sftp.read(handle, buffer, 0, Math.min(buffer.length, most - position), position, answer)
        )
        if (read === 0) break
        hash.update(buffer.subarray(0, read))
        position += read
      }
      return hash.digest("hex")
    })
  )

/** How many pieces of a file are on their way at once. */
const piecesAtOnce = 8

/** Writes a new file. */
const written = (sftp: SFTPWrapper, path: string, { read }: SentFile) =>
  withFile(sftp, path, "wx", (handle) =>
    read().pipe(
      Stream.mapError(({ message }): SftpSession.NotDone | SftpSession.Unread => ({ _tag: "Unread", message })),
      Stream.mapAccum(
        () => 0,
        (position, piece) => [position + piece.length, [{ piece, position }]] as const
      ),
      Stream.mapEffect(
        ({ piece, position }) => {
          const content = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)
          return SftpSession.ask("WRITE", (answer) =>
            sftp.write(handle, content, 0, content.length, position, (error) => answer(error, null))
          )
        },
        { concurrency: piecesAtOnce, unordered: true }
      ),
      Stream.runDrain
    )
  )

/** Makes the folders of a path. The protocol has no status for one that is there, so what is missing shows afterwards. */
const makeFolders = (sftp: SFTPWrapper, folder: string, path: string) =>
  Effect.forEach(
    path
      .split("/")
      .slice(0, -1)
      .map((_, index, names) => folder + names.slice(0, index + 1).join("/")),
    (made) => Effect.ignore(SftpSession.ask("MKDIR", (answer) => sftp.mkdir(made, (error) => answer(error, null)))),
    { discard: true }
  )
