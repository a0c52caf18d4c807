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
import * as Table from "../tables/Table.ts"

/** A place in the log. */
export interface LogPosition {
  readonly tx: string
  readonly sequence: number
}

export const start: LogPosition = { tx: "0", sequence: 0 }

interface AheadRow extends FairShare.Ahead {
  readonly sequence: bigint
  readonly tx: string
  readonly workspace_id: string
  readonly settled: boolean
}

const ofConsumer = Table.of<{ readonly name: string; readonly place: LogPosition }>()

/** How far each consumer has read the log. */
export const consumers = Table.make(
  "event_consumers",
  {
    name: ofConsumer(Table.text, ({ name }) => name),
    tx: ofConsumer(Table.transactionId, ({ place }) => place.tx),
    sequence: ofConsumer(Table.bigint, ({ place }) => place.sequence)
  },
  ["name"]
)

const ofBacklog = Table.of<{
  readonly consumer: string
  readonly workspaceId: string
  readonly workflowId: string
  readonly from: LogPosition
  readonly to: LogPosition
}>()

/** The events of a workflow that a consumer has put off: those after `from`, up to `to`. */
export const backlogs = Table.make(
  "event_backlogs",
  {
    consumer: ofBacklog(Table.text, ({ consumer }) => consumer),
    workspace_id: ofBacklog(Table.uuid<string>(), ({ workspaceId }) => workspaceId),
    workflow_id: ofBacklog(Table.uuid<string>(), ({ workflowId }) => workflowId),
    from_tx: ofBacklog(Table.transactionId, ({ from }) => from.tx),
    from_sequence: ofBacklog(Table.bigint, ({ from }) => from.sequence),
    to_tx: ofBacklog(Table.transactionId, ({ to }) => to.tx),
    to_sequence: ofBacklog(Table.bigint, ({ to }) => to.sequence)
  },
  ["consumer", "workflow_id"]
)

export const make = (
  sql: SqlClient.SqlClient,
  entriesOf: (sequences: ReadonlyArray<bigint>) => Effect.Effect<ReadonlyArray<Entry>, StoreUnavailable>
) => {
  const ahead = (from: LogPosition, to: LogPosition | null, limit: number) =>
    sql<AheadRow>`
      select event.sequence, event.tx::text as tx, runs.workspace_id, runs.workflow_id as "workflowId",
        octet_length(payload) as characters, event.tx < settled_before() as settled
      from run_events event join runs on runs.id = run_id
      where (event.tx, event.sequence) > (${from.tx}::xid8, ${from.sequence}::bigint)
        ${to === null ? sql`` : sql`and (event.tx, event.sequence) <= (${to.tx}::xid8, ${to.sequence}::bigint)`}
      order by event.tx, event.sequence limit ${limit}`

  const putOff = (consumer: string, all: FairShare.Share<AheadRow>["putOff"]) => {
    const rows = [...all].map(([workflowId, { first, last }]) =>
      backlogs.encode({
        consumer,
        workspaceId: first.workspace_id,
        workflowId,
        from: { tx: first.tx, sequence: Number(first.sequence) - 1 },
        to: { tx: last.tx, sequence: Number(last.sequence) }
      })
    )
    const columns = Table.names(sql, backlogs)
    return rows.length === 0
      ? Effect.void
      : sql`
          insert into event_backlogs (${columns}) select ${columns} from ${Table.recordset(sql, backlogs, "new", rows)}
          on conflict (consumer, workflow_id) do update set to_tx = excluded.to_tx, to_sequence = excluded.to_sequence`
  }

  /** The next events of one backlog, at most `most`. Workspaces take turns, and workflows within them. */
  const late = Effect.fnUntraced(function* (consumer: string, most: number) {
    const [row] = yield* sql<Table.Row<typeof backlogs.columns>>`
      select consumer, workspace_id, workflow_id, from_tx::text as from_tx, from_sequence, to_tx::text as to_tx, to_sequence
      from event_backlogs where consumer = ${consumer}
      order by max(served) over (partition by workspace_id), served limit 1`
    if (row === undefined) return []
    const backlog = backlogs.decode(row)
    const limit = most * FairShare.lookAhead
    const found = yield* ahead(
      { tx: backlog.from_tx, sequence: backlog.from_sequence },
      { tx: backlog.to_tx, sequence: backlog.to_sequence },
      limit
    )
    const own = found.filter(({ workflowId }) => workflowId === backlog.workflow_id)
    const taken = FairShare.firstOf(own, { characters: page.characters, events: most })
    const last = taken.length < own.length ? taken.at(-1) : found.length < limit ? undefined : found.at(-1)
    const itsRow = sql`consumer = ${consumer} and workflow_id = ${backlog.workflow_id}`
    yield* last === undefined
      ? sql`delete from event_backlogs where ${itsRow}`
      : sql`
          update event_backlogs set from_tx = ${last.tx}::xid8, from_sequence = ${String(last.sequence)}::bigint,
            served = default
          where ${itsRow}`
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
        const place = sql<Table.Row<typeof consumers.columns> & { readonly waiting: Array<string> }>`
          select name, tx::text as tx, sequence,
            array(select workflow_id::text from event_backlogs where consumer = ${consumer}) as waiting
          from event_consumers where name = ${consumer} for update skip locked`
        let [row] = yield* place
        if (row === undefined) {
          // It is new, or another process reads for it.
          yield* sql`
            insert into event_consumers ${sql.insert(consumers.encode({ name: consumer, place: start }))}
            on conflict (name) do nothing`
          ;[row] = yield* place
        }
        if (row === undefined) return false
        const most = limit * FairShare.lookAhead
        const found = yield* ahead(consumers.decode(row), null, most)
        const unsettled = found.findIndex(({ settled }) => !settled)
        const settled = unsettled === -1 ? found : found.slice(0, unsettled)
        const { characters } = page
        const shared = FairShare.share(settled, new Set(row.waiting), { characters, events: limit })
        yield* putOff(consumer, shared.putOff)
        const hasBacklog = row.waiting.length > 0 || shared.putOff.size > 0
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
