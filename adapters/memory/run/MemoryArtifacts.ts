/** Artifacts in memory. */
import { Effect, Layer, Option, Stream } from "effect"
import { type Artifact, ArtifactFiles, type StoredArtifact } from "../../../core/run/artifact/ArtifactFiles.ts"

export const layer = Layer.sync(ArtifactFiles, () => {
  const kept = new Map<string, Artifact>()
  return ArtifactFiles.of({
    put: (id, artifact) => Effect.sync(() => void kept.set(id, artifact)),
    putStream: (id, description, content) =>
      Effect.map(Stream.mkUint8Array(content), (bytes) => {
        kept.set(id, { ...description, bytes })
        return bytes.length
      }),
    find: (id) => Effect.sync(() => Option.map(Option.fromUndefinedOr(kept.get(id)), keptOf)),
    remove: (ids) => Effect.sync(() => ids.forEach((id) => void kept.delete(id))),
    sweep: () => Effect.void
  })
})

const keptOf = ({ bytes, fileName, mediaType }: Artifact): StoredArtifact => ({
  mediaType,
  fileName,
  size: bytes.length,
  read: (range) => Stream.succeed(range === undefined ? bytes : bytes.subarray(range.start, range.end + 1))
})
