/**
 * The channel between viewers of a run and its worker, across processes: frames to the viewers, messages to the worker.
 * Nothing is stored, and slow readers miss frames.
 */
import { Context, type Effect, type Scope, type Stream } from "effect"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import type { RunId } from "../../workspace/Ids.ts"

/** A screenshot of the page, as a JPEG. */
export interface Frame {
  readonly bytes: Uint8Array
  readonly at: number
}

/** A message to the worker of a run. Every reader of the channel can read it, so secrets in it are sealed. */
export interface WorkerMessage {
  readonly runId: string
  readonly text: string
}

/** The longest message, in characters of ASCII. */
export const maxMessageCharacters = 7_500

export class LiveChannel extends Context.Service<
  LiveChannel,
  {
    /** Replaces the current frame. */
    readonly show: (runId: RunId, frame: Frame) => Effect.Effect<void, StoreUnavailable>

    /** Removes the current frame. */
    readonly hide: (runId: RunId) => Effect.Effect<void, StoreUnavailable>

    /** The current frame, if any, and later ones. A slow reader misses frames. */
    readonly frames: (runId: RunId) => Stream.Stream<Frame>

    /** Sends a message to the worker of a run. Messages may be lost; those of one sender arrive in order. */
    readonly send: (runId: RunId, text: string) => Effect.Effect<void, StoreUnavailable>

    /** Subscribes to the messages of all runs. Succeeds when the subscription is active. */
    readonly messages: Effect.Effect<Stream.Stream<WorkerMessage>, never, Scope.Scope>
  }
>()("sluice/core/execution/live/LiveChannel") {}
