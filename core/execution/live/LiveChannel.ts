/**
 * The messages between viewers of a run and the worker that carries it out, in any processes: pictures one way,
 * messages the other. Nothing of it is kept, and what is slow is passed over.
 */
import { Context, type Effect, type Scope, type Stream } from "effect"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import type { RunId } from "../../workspace/Ids.ts"

/** A picture of the page, as a JPEG. */
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
    /** Shows a picture in the place of the one before. */
    readonly show: (runId: RunId, frame: Frame) => Effect.Effect<void, StoreUnavailable>

    /** Takes the picture away. */
    readonly hide: (runId: RunId) => Effect.Effect<void, StoreUnavailable>

    /** The newest picture, if there is one, and every later one that the reader is quick enough for. */
    readonly frames: (runId: RunId) => Stream.Stream<Frame>

    /**
     * Sends a message to the worker of a run. Messages of one sender arrive in the order in which they were sent, if
     * they arrive.
     */
    readonly send: (runId: RunId, text: string) => Effect.Effect<void, StoreUnavailable>

    /** Subscribes to the messages of all runs, and only then succeeds. */
    readonly messages: Effect.Effect<Stream.Stream<WorkerMessage>, never, Scope.Scope>
  }
>()("sluice/core/execution/live/LiveChannel") {}
