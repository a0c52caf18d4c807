/** The source of files that runs upload: artifacts of earlier runs from their store, others from `outside`. */
import { mkdtemp, open, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Layer, Option, Stream } from "effect"
import * as FileNames from "../../core/browser/file/FileNames.ts"
import {
  FileNotFetched,
  type FileSource,
  maxUploadBytes,
  FileSource as Source
} from "../../core/browser/file/FileSource.ts"
import { ArtifactFiles, type ArtifactsUnavailable, type StoredArtifact } from "../../core/run/artifact/ArtifactFiles.ts"
import { ArtifactLinks } from "../../core/run/artifact/ArtifactLinks.ts"

/**
 * Reads an artifact from the store if the address has a signature of this installation, regardless of its host. Fetches
 * any other file from `outside`.
 */
export const layer = (outside: FileSource) =>
  Layer.effect(
    Source,
    Effect.gen(function* () {
      const files = yield* ArtifactFiles
      const links = yield* ArtifactLinks
      const own = Effect.fnUntraced(function* ({ pathname, searchParams }: URL) {
        const id = /\/artifacts\/([0-9a-f-]{36})$/.exec(pathname)?.[1] ?? ""
        const [expires, signature] = [searchParams.get("expires") ?? "", searchParams.get("signature") ?? ""]
        if (id === "" || !(yield* links.verify(id, expires, signature))) return Option.none()
        return yield* files.find(id).pipe(Effect.orElseSucceed(() => Option.none<StoredArtifact>()))
      })
      return Source.of({
        get: Effect.fnUntraced(function* (url, refusal) {
          const artifact = yield* own(url)
          if (Option.isNone(artifact)) return yield* outside.get(url, refusal)
          const folder = yield* Effect.acquireRelease(
            Effect.promise(() => mkdtemp(join(tmpdir(), "sluice-file-"))),
            (path) => Effect.ignore(Effect.tryPromise(() => rm(path, { recursive: true, force: true })))
          )
          const path = join(folder, "file")
          if (artifact.value.size > maxUploadBytes) {
            return yield* new FileNotFetched({ kind: "tooLarge", reason: `it is larger than ${maxUploadBytes} bytes` })
          }
          yield* written(path, artifact.value.read())
          return { path, fileName: FileNames.safe(artifact.value.fileName ?? "", "file") }
        })
      })
    })
  )

const failed = (error: unknown) =>
  new FileNotFetched({ kind: "failed", reason: error instanceof Error ? error.message : String(error) })

/** Writes content to a file, piece by piece. */
const written = (path: string, content: Stream.Stream<Uint8Array, ArtifactsUnavailable>) =>
  Effect.acquireUseRelease(
    Effect.tryPromise({ try: () => open(path, "wx", 0o600), catch: failed }),
    (file) =>
      Stream.runForEach(content, (piece) =>
        Effect.tryPromise({ try: () => file.writeFile(piece), catch: failed })
      ).pipe(Effect.mapError(failed)),
    (file) => Effect.promise(() => file.close().catch(() => undefined))
  )
