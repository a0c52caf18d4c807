/**
 * The audit trail of a workspace: the author, time, and states before and after of each change.
 *
 * An entry is stored in the transaction of its change, so neither exists without the other. Entries are only appended.
 * They contain no secrets: the writer of an entry selects its fields, and names only the field of a changed secret.
 */
import { Context, type Effect, Schema } from "effect"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import type { WorkspaceId } from "../Ids.ts"
import type { Caller } from "../Workspace.ts"
import type { AuditAction } from "./AuditAction.ts"

/**
 * The author of a change: the user and the key of a caller. Without a user, an operator made it at the command line of
 * the installation.
 */
export type Author = Pick<Caller, "workspaceId"> & Partial<Pick<Caller, "userId" | "keyId">>

/** A change as its author describes it. */
export interface Draft {
  /** The kind of the resource and the verb, such as `run_window.set`. */
  readonly action: AuditAction
  /** The id of the resource, such as that of the workflow; `null` for the workspace itself. */
  readonly resourceId: string | null
  /** The name of the resource, if it has one. */
  readonly resourceName?: string | null
  /** The reason that the author gave. */
  readonly reason?: string | null
  /** The state before the change; `null` for a new resource. Without secrets. */
  readonly before: Schema.Json
  /** The state after the change; `null` for a removed resource. Without secrets. */
  readonly after: Schema.Json
}

/** The part of an entry that is not filtered by. */
export const Details = Schema.Struct({
  resourceName: Schema.NullOr(Schema.String),
  reason: Schema.NullOr(Schema.String),
  before: Schema.Json,
  after: Schema.Json
})
export type Details = typeof Details.Type

/** A stored entry. `position` grows with each entry of the installation. */
export interface Entry extends Details {
  readonly position: number
  readonly workspaceId: WorkspaceId
  /** When the change was made, in epoch milliseconds of the clock of the database. */
  readonly at: number
  readonly action: string
  readonly resourceId: string | null
  readonly userId: string | null
  readonly keyId: string | null
}

/** The entries to list. An absent field does not restrict them. */
export interface Filter {
  /** Whole actions such as `run_window.set`, or kinds of resources such as `run_window`. */
  readonly actions?: ReadonlyArray<string>
  readonly resourceId?: string
  readonly userId?: string
  readonly keyId?: string
  /** The first instant, in epoch milliseconds. */
  readonly from?: number
  /** The end of the interval, exclusive, in epoch milliseconds. */
  readonly to?: number
  /** Only entries with a smaller position. */
  readonly before?: number
  /** The largest number of entries. */
  readonly limit: number
}

export class Audit extends Context.Service<
  Audit,
  {
    /** Appends an entry, in the transaction of the caller where there is one. */
    readonly record: (author: Author, draft: Draft) => Effect.Effect<void, StoreUnavailable>

    /**
     * Makes a change and appends the entries for its result in one transaction, atomically. The change must be
     * repeatable, because the transaction may be retried after a conflict.
     */
    readonly recording: <A, E, R>(
      author: Author,
      change: Effect.Effect<A, E, R>,
      describe: (result: A) => ReadonlyArray<Draft>
    ) => Effect.Effect<A, E | StoreUnavailable, R>

    /** The entries of a workspace, newest first. */
    readonly list: (workspaceId: WorkspaceId, filter: Filter) => Effect.Effect<ReadonlyArray<Entry>, StoreUnavailable>
  }
>()("sluice/core/workspace/audit/Audit") {}

/** Maximum number of characters of the JSON of a state. A longer state is replaced by its length. */
const mostCharacters = 65_536

/** The stored details of a draft. */
export const detailsOf = ({ after, before, reason, resourceName }: Draft): Details => ({
  resourceName: resourceName ?? null,
  reason: reason ?? null,
  before: bounded(before),
  after: bounded(after)
})

const bounded = (state: Schema.Json): Schema.Json => {
  const { length } = JSON.stringify(state)
  return length > mostCharacters
    ? { left_out: `${length} characters of JSON: an entry keeps at most ${mostCharacters}` }
    : state
}

/** Whether a filter with these actions lists an action. */
export const matches = (actions: ReadonlyArray<string>, action: string): boolean =>
  actions.includes(action) || actions.includes(action.split(".")[0] ?? "")
