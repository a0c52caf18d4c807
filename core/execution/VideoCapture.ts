/** The video of an attempt, for workflows that enable it. */
import { Clock, Effect, Fiber, Option, Ref, type Scope } from "effect"
import type { BrowserSession } from "../browser/Browser.ts"
import type { Recording } from "../browser/vision/Screencast.ts"
import * as Bounds from "../run/artifact/ArtifactBounds.ts"
import type { ArtifactWriter } from "../run/artifact/RunArtifacts.ts"
import type { Reporter } from "../run/Executor.ts"
import type { Run } from "../run/Run.ts"

/** A few frames per second, only when the page has changed. */
const options = {
  maxWidth: 1_280,
  maxHeight: 800,
  quality: 55,
  intervalMillis: 200,
  maxMillis: 60 * 60_000,
  // Leaves room for the last frames and the index.
  maxBytes: Bounds.maxBytes.video - 8 * 1_048_576
}

/** Maximum time that the end of a run waits for its video to be stored, in milliseconds. */
const uploadMillis = 60_000

/** Records an attempt until it ends. If the video cannot be made or stored it is missing, and the run continues. */
export const record = (
  page: BrowserSession,
  run: Run,
  writer: ArtifactWriter,
  reporter: Reporter
): Effect.Effect<Effect.Effect<void>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const recording = yield* Ref.make(yield* page.observation.record(options))

    // In a separate fiber, because the fiber of an interrupted attempt cannot run interruptible effects.
    const keep = ({ finish }: Recording) =>
      upload(finish).pipe(
        Effect.timeoutOrElse({
          duration: uploadMillis,
          orElse: () => Effect.logWarning(`The video of run ${run.id} was not stored within ${uploadMillis / 1_000} s`)
        }),
        Effect.ignoreCause,
        Effect.forkDetach,
        Effect.flatMap(Fiber.await),
        Effect.uninterruptible
      )

    const upload = Effect.fnUntraced(function* (finish: Recording["finish"]) {
      const video = yield* finish
      if (Option.isNone(video)) return
      const { content, mediaType } = video.value
      const id = yield* writer.writeStream("video", { mediaType, fileName: null }, content)
      yield* reporter.event({
        event: "video.uploaded",
        runId: run.id,
        workflowId: run.workflowId,
        videoId: id,
        at: yield* Clock.currentTimeMillis
      })
    })

    /** Stores the video once. Further calls do nothing. */
    const over = Effect.flatMap(Ref.getAndSet(recording, Option.none<Recording>()), (taken) =>
      Option.isNone(taken) ? Effect.void : keep(taken.value)
    )
    yield* Effect.addFinalizer(() => over)
    return over
  })
