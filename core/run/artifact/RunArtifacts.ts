/**
 * Keeps the artifacts of runs, within what a run may keep.
 */

import { Clock, Context, Effect, Layer, Predicate, Schema, Stream } from "effect"
import * as StoreUnavailable from "../../runtime/StoreUnavailable.ts"
import { outage } from "../../runtime/Supervisor.ts"
import { Identifiers } from "../../workspace/Identifiers.ts"
import type { Run } from "../Run.ts"
import * as Bounds from "./ArtifactBounds.ts"
import { type Artifact, ArtifactFiles, type Description } from "./ArtifactFiles.ts"
import { ArtifactStore, type ArtifactUsage, Kind } from "./ArtifactStore.ts"
import * as StorageUse from "./StorageUse.ts"
import { WorkspaceStorage } from "./WorkspaceStorage.ts"

/** Raised when an artifact is not kept: over the bounds of its run, or because where it was to go is away. */
export class NotKept extends Schema.TaggedError<NotKept>()("NotKept", {
  kind: Kind,
  reason: Schema.String,
  /** What is away, as outages name it; `null` for an artifact over the bounds. */
  away: Schema.NullOr(Schema.Literals(["artifacts", "database"]))
}) {
  override get message() {
    return `Cannot keep a ${this.kind} of the run: ${this.reason}`
  }
}

/** Stores the artifacts of one run. */
export interface ArtifactWriter {
  /** Stores an artifact and returns its id: a new one, or `id`, whose artifact it replaces. */
  readonly write: (kind: Kind, artifact: Artifact, id?: string) => Effect.Effect<string, NotKept>
  /** Stores streamed content and returns its id. Content over the bounds is not read to its end. */
  readonly writeStream: <E>(
    kind: Kind,
    description: Description,
    content: Stream.Stream<Uint8Array, E>
  ) => Effect.Effect<string, NotKept | E>
}

export class RunArtifacts extends Context.Service<
  RunArtifacts,
  {
    /**
     * The artifact writer of a run, for its executor. Artifacts that could not be stored are counted in the record of the
     * run, and logged: each that is over the bounds, and an outage of the store every ten seconds at most.
     */
    readonly of: (run: Pick<Run, "id" | "workflowId" | "workspaceId">) => ArtifactWriter
  }
>()("sluice/core/run/artifact/RunArtifacts") {
  static readonly layer = Layer.effect(
    RunArtifacts,
    Effect.gen(function* () {
      const files = yield* ArtifactFiles
      const store = yield* ArtifactStore
      const identifiers = yield* Identifiers

      const storage = yield* StorageUse.make(yield* WorkspaceStorage)

      return RunArtifacts.of({
        of: (run) => {
          let used: ArtifactUsage | null = null
          let isFull: StorageUse.IsFull = () => null

          const begin = Effect.fnUntraced(function* (kind: Kind, bytes: number, known?: string) {
            used ??= yield* store.used(run.id)
            isFull = yield* storage.of(run.workspaceId)
            const reason = known === undefined ? (Bounds.refusal(used, kind, bytes) ?? isFull(bytes)) : null
            if (reason !== null) return yield* new NotKept({ kind, reason, away: null })
            const id = known ?? (yield* identifiers.uuid)
            const at = yield* Clock.currentTimeMillis
            yield* store.begin({ id, runId: run.id, workflowId: run.workflowId, kind, at })
            return id
          })

          const end = Effect.fnUntraced(function* (kind: Kind, id: string, bytes: number, isNew: boolean) {
            yield* store.finish(id, bytes, yield* Clock.currentTimeMillis)
            if (used !== null && isNew) used = Bounds.beside(used, kind, bytes)
            if (isNew) storage.add(run.workspaceId, bytes)
            return id
          })

          const leaveOut = ({ away, message }: NotKept) =>
            Effect.andThen(
              store.leaveOut(run.id),
              // The record of each run counts what it lost: an outage is logged once for all of them.
              away === null ? Effect.logWarning(message) : outage(message, away)
            ).pipe(
              Effect.catchTag("StoreUnavailable", ({ message }) =>
                outage(`An omitted artifact of run ${run.id} could not be counted: ${message}`)
              ),
              Effect.annotateLogs({ session_id: run.id })
            )

          /** Maps every failure of an artifact to one failure for the run. */
          const reported = <A, E>(
            kind: Kind,
            effect: Effect.Effect<A, E | NotKept | StoreUnavailable.StoreUnavailable>
          ): Effect.Effect<A, E | NotKept> =>
            effect.pipe(
              Effect.mapError((error) =>
                StoreUnavailable.is(error)
                  ? new NotKept({ kind, reason: error.message, away: "database" })
                  : // What is left of the union, of which the compiler excludes nothing as `E` is open.
                    (error as E | NotKept)
              ),
              Effect.tapError((error) =>
                Predicate.isTagged(error, "NotKept") ? leaveOut(error as NotKept) : Effect.void
              )
            )

          return {
            write: (kind, artifact, known) =>
              reported<string, never>(
                kind,
                Effect.gen(function* () {
                  const id = yield* begin(kind, artifact.bytes.length, known)
                  yield* files.put(id, artifact).pipe(
                    Effect.mapError(({ message }) => new NotKept({ kind, reason: message, away: "artifacts" })),
                    Effect.onError(() => (known === undefined ? Effect.ignoreCause(store.forget(id)) : Effect.void))
                  )
                  return yield* end(kind, id, artifact.bytes.length, known === undefined)
                })
              ),
            writeStream: <E>(kind: Kind, description: Description, content: Stream.Stream<Uint8Array, E>) =>
              reported<string, E>(
                kind,
                Effect.gen(function* () {
                  const id = yield* begin(kind, 0)
                  let size = 0
                  const bounded = Stream.mapEffect(content, (piece) => {
                    size += piece.length
                    const reason = used === null ? null : (Bounds.refusal(used, kind, size) ?? isFull(size))
                    return reason === null
                      ? Effect.succeed(piece)
                      : Effect.fail(new NotKept({ kind, reason, away: null }))
                  })
                  const bytes = yield* files.putStream(id, description, bounded).pipe(
                    Effect.mapError((error) =>
                      // `isUnavailable` tells the error of the store from all others.
                      isUnavailable(error)
                        ? new NotKept({ kind, reason: error.message, away: "artifacts" })
                        : (error as E | NotKept)
                    ),
                    Effect.onError(() => Effect.ignoreCause(store.forget(id)))
                  )
                  return yield* end(kind, id, bytes, true)
                })
              )
          }
        }
      })
    })
  )
}

const isUnavailable = (error: unknown): error is { readonly message: string } =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "ArtifactsUnavailable"
