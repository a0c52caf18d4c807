/**
 * The log of all events of all runs, read in one order by its consumers.
 *
 * The order is stable for readers: no entry appears later before a position that was already read. The events of one
 * run are in the order in which they happened.
 */
import { Context, type Effect, type Schema } from "effect"
import type { StoreUnavailable } from "../runtime/StoreUnavailable.ts"
import type { WorkspaceId } from "../workspace/Ids.ts"
import type { LoggedEvent } from "./RunEvent.ts"

/** A position between two events of the log, opaque to all but the log. */
export type Position = string

/** An event with the facts that its delivery depends on. */
export interface Entry extends LoggedEvent {
  readonly workspaceId: WorkspaceId
  readonly workflowId: string
  /** When the run was submitted, in epoch milliseconds. */
  readonly submittedAt: number
  /** Whether the run only checks a credential. */
  readonly isCheck?: boolean
  /** The client whose stream carries the run's events; `null` when none was named. */
  readonly clientId: string | null
  /** The webhook options of the submission, as received. */
  readonly webhook: Schema.Json | null
  /** The notification options of the submission, as received. */
  readonly notifications: Schema.Json | null
}

/**
 * The limits of one page: events, and characters of their payloads. A page has at least one event, regardless of its
 * size.
 */
export const page = { events: 500, characters: 4_000_000 } as const

export interface LogPage {
  readonly entries: ReadonlyArray<Entry>
  /** The position after each entry, in order. */
  readonly positions: ReadonlyArray<Position>
  /** After the last entry that was read. */
  readonly position: Position
  /** There is more to read now or within milliseconds: the limit was reached, or others are about to append before it. */
  readonly more: boolean
}

/** The consumers of an installation: each event is kept until all have read it, even when its time is over. */
export const consumers = {
  webhooks: "webhooks",
  notifications: "notifications",
  files: "files",
  alerts: "alerts"
} as const

export class EventLog extends Context.Service<
  EventLog,
  {
    /**
     * The position after everything that was appended before this effect began, or shortly before it: entries that a
     * transaction in progress may still precede come after the position.
     */
    readonly end: Effect.Effect<Position, StoreUnavailable>

    /** Reads up to `limit` entries from the ones after `position`, and no more characters than a page has. */
    readonly read: (position: Position, limit: number) => Effect.Effect<LogPage, StoreUnavailable>

    /**
     * Passes the next entries to `handle` for a named consumer, whose position is stored; a new consumer begins with
     * the oldest entry. The position advances exactly if `handle` succeeds, together with what it wrote to the same
     * database. One process at a time consumes under a name; others find no entries in the meantime. Returns whether
     * there are more.
     *
     * A workflow with many entries delays no other: `FairShare` decides what is postponed. The entries of one workflow
     * keep their order. `room` returns how many postponed entries may be added to the next ones; without it, as many as
     * the limit.
     */
    readonly consume: <E, R>(
      consumer: string,
      limit: number,
      handle: (entries: ReadonlyArray<Entry>) => Effect.Effect<void, E | StoreUnavailable, R>,
      room?: Effect.Effect<number, StoreUnavailable>
    ) => Effect.Effect<boolean, E | StoreUnavailable, R>
  }
>()("sluice/core/event/EventLog") {}
