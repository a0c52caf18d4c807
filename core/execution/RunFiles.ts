/** Stores the files that a run downloads. */
import { Clock, Effect, Result } from "effect"
import type { DownloadedFile } from "../agent/Observer.ts"
import { boundedMetadata } from "../event/EventBounds.ts"
import type { ArtifactWriter } from "../run/artifact/RunArtifacts.ts"
import type { Reporter } from "../run/Executor.ts"
import type { ClaimedRun } from "../run/RunStore.ts"
import * as Legacy from "../workflow/Legacy.ts"

/** The function that stores a downloaded file and reports it, or returns why it was not stored. */
export const keeping = ({ run, version }: ClaimedRun, reporter: Reporter, writer: ArtifactWriter) => {
  const keepsFiles = Legacy.storesFiles(version.content.nodes)
  return Effect.fnUntraced(function* ({ bytes, fileName, mediaType, metadata }: DownloadedFile) {
    if (!keepsFiles) return null
    const kept = yield* Effect.result(
      Effect.flatMap(bytes, (read) => writer.write("file", { bytes: read, mediaType, fileName }))
    )
    if (Result.isFailure(kept)) return kept.failure.message
    yield* reporter.event({
      event: "file.uploaded",
      runId: run.id,
      workflowId: run.workflowId,
      file: {
        id: kept.success,
        name: fileName,
        at: yield* Clock.currentTimeMillis,
        metadata: boundedMetadata(metadata)
      }
    })
    return null
  })
}
