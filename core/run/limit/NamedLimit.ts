/**
 * Named limits of a workspace: how many of the runs that draw on one may be in progress at once, and how many may start a
 * minute, whatever their workflows are.
 *
 * A run draws on every limit that names its workflow, one of its tags, or a credential that it is given; it counts once
 * for each. It starts when all of them allow it.
 *
 * The decisions here are functions of their arguments; instants are epoch milliseconds.
 */
import { Context, type Effect, Schema } from "effect"
import * as Pace from "../../gate/Pace.ts"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import type { Collection, Kind } from "../../workspace/Collection.ts"
import type { WorkspaceId } from "../../workspace/Ids.ts"

/** What limits the runs that draw on a limit: as the pace of a workflow does, and in force at once. */
const pace = {
  /** The highest number of runs in progress at once; `null`: any number. */
  maxRunning: Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: Pace.mostRunning }))),
  /** The highest number of starts, those of retries included, in any 60 seconds; `null`: any number. */
  maxStartsPerMinute: Schema.NullOr(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: Pace.mostStartsPerMinute }))
  )
}

/** A limit. At least one of its two numbers is set. */
export const NamedLimit = Schema.Struct({
  id: Schema.String,
  /** Unique in its workspace. */
  name: Schema.String,
  ...pace,
  workflowIds: Schema.Array(Schema.String),
  /** The ids of entries of the vault. */
  credentialIds: Schema.Array(Schema.String),
  tags: Schema.Array(Schema.String),
  /** While it is paused, no run that draws on it starts. */
  pause: Schema.NullOr(Schema.Struct({ since: Schema.Finite, by: Schema.String, reason: Schema.String })),
  /** Other numbers in the place of its own, before an instant. */
  override: Schema.NullOr(Schema.Struct({ ...pace, until: Schema.Finite, by: Schema.String })),
  createdAt: Schema.Finite,
  createdBy: Schema.String,
  updatedAt: Schema.Finite
})
export type NamedLimit = typeof NamedLimit.Type

/** The part of a limit that decides how many runs may start. */
export type Rules = Pick<NamedLimit, "maxRunning" | "maxStartsPerMinute" | "override" | "pause">

/** What a run draws on limits by. */
export interface Drawing {
  readonly workspaceId: string
  readonly workflowId: string
  readonly tags: ReadonlyArray<string>
  /** The ids of the entries that it is given; empty before that. */
  readonly credentialIds: ReadonlyArray<string>
}

/** A limit that allows a run no start now, by its name, and the next instant at which that may change by time alone. */
export interface SpentLimit {
  readonly limit: string
  readonly until: number | null
}

/** Whether a run draws on a limit. */
export const drawsOn = (
  { credentialIds, tags, workflowIds }: Pick<NamedLimit, "credentialIds" | "tags" | "workflowIds">,
  run: Omit<Drawing, "workspaceId">
): boolean =>
  workflowIds.includes(run.workflowId) ||
  tags.some((tag) => run.tags.includes(tag)) ||
  credentialIds.some((id) => run.credentialIds.includes(id))

/** The override that is in force at an instant; `null` for none. */
export const overrideAt = ({ override }: Pick<Rules, "override">, at: number): Rules["override"] =>
  override !== null && at < override.until ? override : null

/** The numbers that are in force at an instant. */
export const paceAt = (limit: Rules, at: number): Pace.Pace => overrideAt(limit, at) ?? limit

/** How many runs may start at `at`; none while it is paused. */
export const allowance = (limit: Rules, progress: Pace.Progress, at: number): number =>
  limit.pause === null ? Pace.allowance(paceAt(limit, at), progress, at) : 0

/** What is taken of the minute once so many runs have started at `at`. */
export const afterStarts = (limit: Rules, takenUntil: number, starts: number, at: number): number =>
  Pace.afterStarts(paceAt(limit, at), takenUntil, starts, at)

/**
 * The next instant at which a limit that allows no start may allow one by time alone: its minute has room again, or its
 * override ends. `null` where only the end of a run or a change of the limit does that.
 */
export const nextChangeAt = (limit: Rules, { running, takenUntil }: Pace.Progress, at: number): number | null => {
  if (limit.pause !== null) return null
  const inForce = paceAt(limit, at)
  const isFull = inForce.maxRunning !== null && running >= inForce.maxRunning
  const instants = [
    ...(isFull ? [] : [Pace.nextStartAt(inForce, takenUntil, at)]),
    ...(overrideAt(limit, at) === null ? [] : [limit.override?.until ?? at])
  ]
  return instants.length === 0 ? null : Math.min(...instants)
}

export const kind: Kind<NamedLimit> = { name: "limits", schema: NamedLimit, key: ({ name }) => name }

/** A limit of a workspace with what has started by now. */
export interface UsedLimit extends Pace.Progress {
  readonly workspaceId: string
  readonly limit: NamedLimit
}

export class NamedLimitStore extends Context.Service<
  NamedLimitStore,
  Collection<NamedLimit> & {
    /** The limits of a workspace with their use, in the order of their insertion; with an id, only that one. */
    readonly used: (workspaceId: WorkspaceId, id?: string) => Effect.Effect<ReadonlyArray<UsedLimit>, StoreUnavailable>
  }
>()("sluice/core/run/limit/NamedLimitStore") {}
