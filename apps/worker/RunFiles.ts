/**
 * The files of runs: keeps those that a run downloads, and gives those of earlier runs to be uploaded again.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Clock, Effect, Layer, Option, Stream } from "effect"
import * as FileNames from "../../core/agent/FileNames.ts"
import { FileNotFetched, type FileSource, FileSource as Source } from "../../core/agent/FileSource.ts"
import type { DownloadedFile } from "../../core/agent/Observer.ts"
import { ArtifactFiles, type Kept } from "../../core/run/ArtifactFiles.ts"
import type { Reporter } from "../../core/run/Executor.ts"
import type { Keeper } from "../../core/run/RunArtifacts.ts"
import type { Claimed } from "../../core/run/RunStore.ts"
import { ArtifactLinks } from "../api/run/ArtifactLinks.ts"

/** Makes the function that keeps a downloaded file and tells of it. One that cannot be read is missing, and the run goes on. */
export const keeping = Effect.sync(() => {
  return ({ run }: Claimed, reporter: Reporter, keeper: Keeper) =>
    Effect.fnUntraced(function* ({ bytes, fileName, mediaType, metadata }: DownloadedFile) {
      const read = yield* Effect.option(bytes)
      if (Option.isNone(read)) return yield* Effect.logWarning(`A download of run ${run.id} could not be read`)
      const kept = yield* Effect.option(keeper.keep("file", { bytes: read.value, mediaType, fileName }))
      if (Option.isNone(kept)) return
      const id = kept.value
      yield* reporter.event({
        event: "file.uploaded",
        payload: {
          session_id: run.id,
          workflow_id: run.workflowId,
          file_id: id,
          file_name: fileName,
          timestamp: new Date(yield* Clock.currentTimeMillis).toISOString(),
          metadata
        }
      })
    })
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
        get: Effect.fnUntraced(function* (url) {
          const artifact = yield* own(url)
          if (Option.isNone(artifact)) return yield* outside.get(url)
          const folder = yield* Effect.acquireRelease(
            Effect.promise(() => mkdtemp(join(tmpdir(), "sluice-file-"))),
            (path) => Effect.ignore(Effect.tryPromise(() => rm(path, { recursive: true, force: true })))
          )
          const path = join(folder, "file")
          const bytes = yield* Stream.runCollect(artifact.value.read()).pipe(
            Effect.mapError(({ message }) => new FileNotFetched({ kind: "failed", reason: message }))
          )
          yield* Effect.promise(() => writeFile(path, Buffer.concat([...bytes]), { mode: 0o600 }))
          return { path, fileName: FileNames.safe(artifact.value.fileName ?? "", "file") }
        })
      })
    })
  )
