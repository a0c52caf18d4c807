/**
 * What one workspace may take of one process, so that none takes what others need. Each process counts for itself.
 */
import { Context, Effect } from "effect"

/** `null`: as much as there is. Each is looked at again whenever something is asked for. */
export interface WorkspaceShares {
  /** Requests with its keys and sessions, in any minute. */
  readonly requests: Effect.Effect<number | null>
  /** Mails to its credentials that are taken, in any minute. */
  readonly mails: Effect.Effect<number | null>
  /** Open live views of its runs. */
  readonly liveViews: Effect.Effect<number | null>
}

const all = Effect.succeed(null)

/** The shares of the installation. */
export const WorkspaceShares: Context.Reference<WorkspaceShares> = Context.Reference(
  "sluice/core/workspace/request/WorkspaceShares",
  { defaultValue: (): WorkspaceShares => ({ requests: all, mails: all, liveViews: all }) }
)
