/**
 * The store of the bytes of screenshots, snapshots, videos, downloads and other artifacts of runs. Their owners and
 * retention are in the `ArtifactStore`; what they show, in the events of the run or in its evidence.
 */
import { Context, type Effect, type Option, Schema, type Stream } from "effect"

/** How to serve an artifact. */
export interface Description {
  /** Such as `image/jpeg`. */
  readonly mediaType: string
  /** The name of a file that a run downloaded; `null` for what the service made itself. */
  readonly fileName: string | null
}

/** An artifact that is small enough to be held. */
export interface Artifact extends Description {
  readonly bytes: Uint8Array
}

/** The bytes from `start` to `end`, both included, and both within the artifact. */
export interface Range {
  readonly start: number
  readonly end: number
}

/** An artifact that is kept. */
export interface StoredArtifact extends Description {
  /** How many bytes it has. */
  readonly size: number
  /** Reads all of it, or a range, piece by piece. */
  readonly read: (range?: Range) => Stream.Stream<Uint8Array, ArtifactsUnavailable>
}

/** Raised when the place where artifacts are kept does not do what it is asked. It repeats no secret. */
export class ArtifactsUnavailable extends Schema.TaggedError<ArtifactsUnavailable>()("ArtifactsUnavailable", {
  action: Schema.Literals(["keep", "read", "remove"]),
  reason: Schema.String
}) {
  override get message() {
    return `Cannot ${this.action} artifacts: ${this.reason}`
  }
}

export class ArtifactFiles extends Context.Service<
  ArtifactFiles,
  {
    /**
     * Keeps an artifact under an id, a UUID, in the place of one that has it already. Once it succeeds the bytes survive
     * a crash; until then, and when it fails, the one before stays.
     */
    readonly put: (id: string, artifact: Artifact) => Effect.Effect<void, ArtifactsUnavailable>

    /** Like `put`, for content of any size, of which it holds a bounded part. Answers how many bytes it was. */
    readonly putStream: <E>(
      id: string,
      description: Description,
      content: Stream.Stream<Uint8Array, E>
    ) => Effect.Effect<number, ArtifactsUnavailable | E>

    /** The artifact with this id; none for an id that was never kept, was removed, or is not a UUID. */
    readonly find: (id: string) => Effect.Effect<Option.Option<StoredArtifact>, ArtifactsUnavailable>

    /** Removes artifacts. Those that are not there are removed already. */
    readonly remove: (ids: ReadonlyArray<string>) => Effect.Effect<void, ArtifactsUnavailable>

    /** Removes what was left by uploads that began before an instant, in epoch milliseconds, and never ended. */
    readonly sweep: (before: number) => Effect.Effect<void, ArtifactsUnavailable>
  }
>()("sluice/core/run/artifact/ArtifactFiles") {}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Returns whether a text can be the id of an artifact. */
export const isId = (text: string): boolean => uuid.test(text)
