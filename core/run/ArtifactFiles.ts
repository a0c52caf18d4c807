/**
 * Where the bytes of screenshots, snapshots and other artifacts of runs are kept. What they are stands in the events of the
 * run, or in its evidence.
 */
import { Context, type Effect, type Option } from "effect"

/** The bytes of an artifact and how to serve them. */
export interface Artifact {
  readonly bytes: Uint8Array
  /** Such as `image/jpeg`. */
  readonly mediaType: string
  /** The name of a file that a run downloaded; `null` for what the service made itself. */
  readonly fileName: string | null
}

export class ArtifactFiles extends Context.Service<
  ArtifactFiles,
  {
    /**
     * Keeps an artifact under an id, a UUID, in the place of one of the same type that has it already. Once it succeeds
     * the bytes survive a crash.
     */
    readonly put: (id: string, artifact: Artifact) => Effect.Effect<void>

    /** The artifact with this id; none for an id that was never kept, or is not a UUID. */
    readonly get: (id: string) => Effect.Effect<Option.Option<Artifact>>
  }
>()("sluice/core/run/ArtifactFiles") {}
