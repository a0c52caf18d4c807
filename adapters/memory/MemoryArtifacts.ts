/** Artifacts in memory. */
import { Effect, Layer, Option } from "effect"
import { type Artifact, ArtifactFiles } from "../../core/run/ArtifactFiles.ts"

export const layer = Layer.sync(ArtifactFiles, () => {
  const kept = new Map<string, Artifact>()
  return ArtifactFiles.of({
    put: (id, artifact) => Effect.sync(() => void kept.set(id, artifact)),
    get: (id) => Effect.sync(() => Option.fromUndefinedOr(kept.get(id)))
  })
})
