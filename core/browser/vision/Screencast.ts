/**
 * Pictures or a video of a session: always of the tab that is active at that time.
 */
import type { Effect, Option, Scope, Stream } from "effect"

export interface ScreencastOptions {
  /** The largest picture; a larger tab is scaled down. */
  readonly maxWidth: number
  readonly maxHeight: number
  /** Of the JPEG, from 1 to 100. */
  readonly quality: number
  /** The shortest time between two pictures, in milliseconds. */
  readonly intervalMillis: number
}

/** The limits at which a video ends before its session. */
export interface VideoBounds {
  readonly maxMillis: number
  readonly maxBytes: number
}

/** A finished video, which can be read while the scope of its recording is open. */
export interface Video {
  readonly mediaType: "video/webm"
  readonly bytes: number
  readonly content: Stream.Stream<Uint8Array>
}

/** A video that is being recorded. */
export interface Recording {
  /** Ends the video with the pictures so far, also after the browser crashed; none when no picture was taken. */
  readonly finish: Effect.Effect<Option.Option<Video>>
}

export interface Screencast {
  /**
   * Shows the tab as a JPEG at once, and again whenever it has changed and the previous picture was handled, until the
   * scope closes. It takes no picture while nothing changes, nor of a tab that cannot be captured.
   */
  readonly screencast: (
    options: ScreencastOptions,
    show: (jpeg: Uint8Array) => Effect.Effect<void>
  ) => Effect.Effect<void, never, Scope.Scope>

  /** Records a video until it is finished or the scope closes; none when the browser has no way to encode one. */
  readonly record: (
    options: ScreencastOptions & VideoBounds
  ) => Effect.Effect<Option.Option<Recording>, never, Scope.Scope>
}
