/**
 * What those who watch a run share with the worker that carries it out: tokens that let somebody in once, and the newest
 * picture of the page.
 */
import { Context, type Effect, type Option } from "effect"
import type { WorkspaceId } from "../workspace/Workspace.ts"
import type { RunId } from "./Run.ts"

/** Whom a token lets in, kept by the hash of the token only. */
export interface Admission {
  readonly hash: string
  readonly runId: RunId
  readonly expiresAt: number
}

/** A picture of the page, as a JPEG. */
export interface Frame {
  readonly bytes: Uint8Array
  readonly at: number
}

export class LiveStore extends Context.Service<
  LiveStore,
  {
    /** Keeps an admission, and forgets those whose time is over. */
    readonly admit: (admission: Admission) => Effect.Effect<void>

    /** Takes an admission by its hash. Whoever comes first has it; it is none afterwards, and once it has expired. */
    readonly redeem: (hash: string) => Effect.Effect<Option.Option<Admission>>

    /** The workspace of a run, for those who were let in to the run without a key; none when there is no such run. */
    readonly workspaceOf: (runId: RunId) => Effect.Effect<Option.Option<WorkspaceId>>

    /** Puts a picture in the place of the one before. */
    readonly show: (runId: RunId, frame: Frame) => Effect.Effect<void>

    /** The newest picture, if it is newer than `after`. */
    readonly frame: (runId: RunId, after: number) => Effect.Effect<Option.Option<Frame>>

    /** Forgets the picture. */
    readonly hide: (runId: RunId) => Effect.Effect<void>
  }
>()("sluice/core/run/LiveStore") {}
