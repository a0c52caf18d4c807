/**
 * The files of runs: keeps those that a run downloads, and gives those of earlier runs to be uploaded again.
 */
import { mkdtemp, open, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Clock, Effect, Layer, Option, Result, Stream } from "effect"
import type { DownloadedFile } from "../agent/Observer.ts"
import * as FileNames from "../browser/file/FileNames.ts"
import { FileNotFetched, type FileSource, maxUploadBytes, FileSource as Source } from "../browser/file/FileSource.ts"
import { ArtifactFiles, type ArtifactsUnavailable, type Kept } from "../run/artifact/ArtifactFiles.ts"
import { ArtifactLinks } from "../run/artifact/ArtifactLinks.ts"
import type { Keeper } from "../run/artifact/RunArtifacts.ts"
import type { Reporter } from "../run/Executor.ts"
import type { Claimed } from "../run/RunStore.ts"

/** The function that keeps a downloaded file and tells of it, or answers why it is not kept. */
export const keeping = ({ run }: Claimed, reporter: Reporter, keeper: Keeper) =>
  Effect.fnUntraced(function* ({ bytes, fileName, mediaType, metadata }: DownloadedFile) {
    const kept = yield* Effect.result(
      Effect.flatMap(bytes, (read) => keeper.keep("file", { bytes: read, mediaType, fileName }))
    )
    if (Result.isFailure(kept)) return kept.failure.message
    yield* reporter.event({
      event: "file.uploaded",
      payload: {
        session_id: run.id,
        workflow_id: run.workflowId,
        file_id: kept.success,
        file_name: fileName,
        timestamp: new Date(yield* Clock.currentTimeMillis).toISOString(),
        metadata
      }
    })
    return null
  })

/**
 * Where the files come from that runs upload: from `outside`, and from our own artifacts when the address is one that we
 * signed. Those are read where they are kept, wherever the address leads.
 */
export const layerSource = (outside: FileSource) =>
  Layer.effect(
    Source,
    Effect.gen(function* () {
      const files = yield* ArtifactFiles
      const links = yield* ArtifactLinks
      const own = Effect.fnUntraced(function* ({ pathname, searchParams }: URL) {
        const id = /\/artifacts\/([0-9a-f-]{36})$/.exec(pathname)?.[1] ?? ""
        const [expires, signature] = [searchParams.get("expires") ?? "", searchParams.get("signature") ?? ""]
        if (id === "" || !(yield* links.verify(id, expires, signature))) return Option.none()
        return yield* files.find(id).pipe(Effect.orElseSucceed(() => Option.none<Kept>()))
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
