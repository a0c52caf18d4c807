/**
 * Runs that users released despite the holds of their gate. Of a closed gate only these are claimed; of an open gate all
 * runs, in their usual order.
 */
import type { SqlClient, Statement } from "effect/sql"

/** Which of the waiting runs of a workflow may start: all of them, or those released past this manual pause (`null`: none). */
export type Among = "all" | { readonly past: Date | null }

/** The condition of the runs that may start. */
export const condition = (sql: SqlClient.SqlClient, among: Among): Statement.Fragment => {
  if (among === "all") return sql`true`
  return among.past === null
    ? sql`released_at is not null`
    : sql`released_at is not null and released_pause = ${among.past}`
}

/** The part of the row of a gate that decides which runs may start. */
interface GateRow {
  readonly starts_at: Date | null
  readonly stops_at: Date | null
  readonly removed_at: Date | null
  readonly paused_at: Date | null
  readonly paused_until: Date | null
  readonly released_ready_at: Date | null
}

/**
 * Which runs may start behind a gate at an instant; `null` for none. `windowHolds` is true where newer time zone data than
 * those of the row hold what the interval of the row would let start.
 */
export const among = (gate: GateRow, now: number, windowHolds: boolean): Among | null => {
  const isOpen =
    !windowHolds &&
    gate.starts_at !== null &&
    gate.starts_at.getTime() <= now &&
    (gate.stops_at === null || gate.stops_at.getTime() > now)
  if (isOpen) return "all"
  if (gate.removed_at !== null || gate.released_ready_at === null || gate.released_ready_at.getTime() > now) return null
  const isPaused = gate.paused_at !== null && (gate.paused_until === null || gate.paused_until.getTime() > now)
  return { past: isPaused ? gate.paused_at : null }
}

/** Lets claims look again at a gate that has released runs, in an `update gates set` whose columns it is among. */
export const lookAgain = (sql: SqlClient.SqlClient) =>
  sql`released_ready_at = case when released_ready_at is not null then 'epoch'::timestamptz end`
