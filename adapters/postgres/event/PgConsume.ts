/**
 * Passes the events of the log on to a named consumer. Of a workflow with many events at once, the most are put off:
 * a backlog says from where to where, and is read beside the rest of the log.
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { type Entry, page } from "../../../core/event/EventLog.ts"
import * as FairShare from "../../../core/event/FairShare.ts"
import type { StoreUnavailable } from "../../../core/runtime/StoreUnavailable.ts"
import { transaction } from "../Transaction.ts"

/** A place in the log. */
export interface Place {
  readonly tx: string
  readonly sequence: number
}

export const start: Place = { tx: "0", sequence: 0 }

interface AheadRow extends FairShare.Ahead {
  readonly sequence: bigint
  readonly tx: string
  readonly workspace_id: string
  readonly settled: boolean
}

interface Backlog {
  readonly workflow_id: string
  readonly from_tx: string
  readonly from_sequence: bigint
  readonly to_tx: string
  readonly to_sequence: bigint
}

export const make = (
  sql: SqlClient.SqlClient,
  entriesOf: (sequences: ReadonlyArray<bigint>) => Effect.Effect<ReadonlyArray<Entry>, StoreUnavailable>
) => {
  const ahead = (from: Place, to: Place | null, limit: number) =>
    sql<AheadRow>`
      select event.sequence, event.tx::text as tx, runs.workspace_id, runs.workflow_id as "workflowId",
        octet_length(payload) as characters, event.tx < settled_before() as settled
      from run_events event join runs on runs.id = run_id
      where (event.tx, event.sequence) > (${from.tx}::xid8, ${from.sequence}::bigint)
        ${to === null ? sql`` : sql`and (event.tx, event.sequence) <= (${to.tx}::xid8, ${to.sequence}::bigint)`}
      order by event.tx, event.sequence limit ${limit}`

  const putOff = (consumer: string, all: FairShare.Share<AheadRow>["putOff"]) =>
    Effect.forEach(
      all,
      ([workflowId, { first, last }]) => sql`
        insert into event_backlogs (consumer, workspace_id, workflow_id, from_tx, from_sequence, to_tx, to_sequence)
        values (${consumer}, ${first.workspace_id}, ${workflowId}, ${first.tx}::xid8, ${String(first.sequence - 1n)}::bigint,
          ${last.tx}::xid8, ${String(last.sequence)}::bigint)
        on conflict (consumer, workflow_id) do update set to_tx = excluded.to_tx, to_sequence = excluded.to_sequence`,
      { discard: true }
    )

  /** The next events of one backlog, at most `most`. Workspaces take turns, and workflows within them. */
  const late = Effect.fnUntraced(function* (consumer: string, most: number) {
    const [backlog] = yield* sql<Backlog>`
      select workflow_id, from_tx::text as from_tx, from_sequence, to_tx::text as to_tx, to_sequence
      from event_backlogs where consumer = ${consumer}
      order by max(served) over (partition by workspace_id), served limit 1`
    if (backlog === undefined) return []
    const limit = most * FairShare.lookAhead
    const found = yield* ahead(
      { tx: backlog.from_tx, sequence: Number(backlog.from_sequence) },
      { tx: backlog.to_tx, sequence: Number(backlog.to_sequence) },
      limit
    )
    const own = found.filter(({ workflowId }) => workflowId === backlog.workflow_id)
    const taken = FairShare.firstOf(own, { characters: page.characters, events: most })
    const last = taken.length < own.length ? taken.at(-1) : found.length < limit ? undefined : found.at(-1)
    const ofBacklog = sql`consumer = ${consumer} and workflow_id = ${backlog.workflow_id}`
    yield* last === undefined
      ? sql`delete from event_backlogs where ${ofBacklog}`
      : sql`
          update event_backlogs set from_tx = ${last.tx}::xid8, from_sequence = ${String(last.sequence)}::bigint,
            served = default
          where ${ofBacklog}`
    return taken
  })

  return <E, R>(
    consumer: string,
    limit: number,
    handle: (entries: ReadonlyArray<Entry>) => Effect.Effect<void, E | StoreUnavailable, R>,
    room: Effect.Effect<number, StoreUnavailable>
  ) =>
    transaction(
      sql,
      Effect.gen(function* () {
        yield* sql`
          insert into event_consumers ${sql.insert({ name: consumer, ...start })} on conflict (name) do nothing`
        const [place] = yield* sql<{ readonly tx: string; readonly sequence: bigint; readonly waiting: Array<string> }>`
          select tx::text as tx, sequence,
            array(select workflow_id::text from event_backlogs where consumer = ${consumer}) as waiting
          from event_consumers where name = ${consumer} for update skip locked`
        if (place === undefined) return false
        const most = limit * FairShare.lookAhead
        const found = yield* ahead({ tx: place.tx, sequence: Number(place.sequence) }, null, most)
        const unsettled = found.findIndex(({ settled }) => !settled)
        const settled = unsettled === -1 ? found : found.slice(0, unsettled)
        const { characters } = page
        const shared = FairShare.share(settled, new Set(place.waiting), { characters, events: limit })
        yield* putOff(consumer, shared.putOff)
        const hasBacklog = place.waiting.length > 0 || shared.putOff.size > 0
        const mostLate = hasBacklog ? yield* room : 0
        const taken = [...shared.taken, ...(mostLate > 0 ? yield* late(consumer, mostLate) : [])]
        // Their runs may have been removed in between.
        const entries = taken.length === 0 ? [] : yield* entriesOf(taken.map(({ sequence }) => sequence))
        if (entries.length > 0) yield* handle(entries)
        const last = settled[shared.seen - 1]
        if (last !== undefined) {
          yield* sql`
            update event_consumers set tx = ${last.tx}::xid8, sequence = ${String(last.sequence)}::bigint
            where name = ${consumer}`
        }
        return unsettled !== -1 || hasBacklog || found.length === most || shared.seen < settled.length
      })
    )
}
