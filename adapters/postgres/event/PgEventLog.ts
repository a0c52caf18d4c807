/** The log of events in PostgreSQL, and the positions of its consumers. */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { type Entry, EventLog, type LogPage, page } from "../../../core/event/EventLog.ts"
import { ClientProgress, type WrittenEvents } from "../../../core/event/stream/ClientProgress.ts"
import type { StoreUnavailable } from "../../../core/runtime/StoreUnavailable.ts"
import { WorkspaceId } from "../../../core/workspace/Ids.ts"
import { withoutSqlErrors } from "../Transaction.ts"
import * as Events from "../tables/Events.ts"
import * as Runs from "../tables/Runs.ts"
import * as Table from "../tables/Table.ts"
import * as PgConsume from "./PgConsume.ts"

type EntryRow = Events.Row &
  Runs.OptionsRow & { readonly workspace_id: string; readonly workflow_id: string; readonly created_at: Date }

const log = Layer.effect(
  EventLog,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const read = (
      from: PgConsume.LogPosition,
      limit: number
    ): Effect.Effect<Omit<LogPage, "position"> & { readonly to: PgConsume.LogPosition }, StoreUnavailable> =>
      sql<EntryRow & { readonly tx: string; readonly settled: boolean; readonly found: number }>`
        with found as (
          select event.sequence, run_id, at, event, payload, event.expires_at, event.tx, workspace_id, workflow_id, created_at, options,
            event.tx < settled_before() as settled
          from run_events event join runs on runs.id = run_id
          where (event.tx, event.sequence) > (${from.tx}::xid8, ${from.sequence}::bigint)
          order by event.tx, event.sequence limit ${limit}),
        page as (
          select *, sum(octet_length(payload)) over (order by tx, sequence) - octet_length(payload) as before,
            (count(*) over ())::int as found
          from found)
        select sequence, run_id, at, event, payload, expires_at, tx::text as tx, workspace_id, workflow_id, created_at, options, settled, found
        from page where before < ${page.characters}
        order by page.tx, page.sequence`.pipe(
        Effect.map((rows) => {
          const unsettled = rows.findIndex(({ settled }) => !settled)
          const settled = unsettled === -1 ? rows : rows.slice(0, unsettled)
          const last = settled.at(-1)
          return {
            entries: settled.map(toEntry),
            positions: settled.map(({ sequence, tx }) => toPosition({ tx, sequence: Number(sequence) })),
            to: last === undefined ? from : { tx: last.tx, sequence: Number(last.sequence) },
            more: unsettled !== -1 || (rows[0]?.found ?? 0) > rows.length || rows.length === limit
          }
        }),
        withoutSqlErrors
      )

    const consume = PgConsume.make(sql, (sequences) =>
      sql<EntryRow>`
        select event.sequence, run_id, at, event, payload, event.expires_at, workspace_id, workflow_id, created_at, options
        from run_events event join runs on runs.id = run_id
        where ${sql.in("event.sequence", sequences.map(String))}`.pipe(
        Effect.map((rows) => {
          const entries = new Map(rows.map((row) => [String(row.sequence), toEntry(row)]))
          return sequences.flatMap((sequence) => entries.get(String(sequence)) ?? [])
        }),
        withoutSqlErrors
      )
    )

    return EventLog.of({
      end: sql<{ readonly tx: string }>`select settled_before()::text as tx`.pipe(
        Effect.map(([row]) => toPosition({ tx: row?.tx ?? "0", sequence: 0 })),
        withoutSqlErrors
      ),
      read: Effect.fn("EventLog.read")((position, limit) =>
        Effect.map(read(fromPosition(position), limit), ({ to, ...rest }) => ({ ...rest, position: toPosition(to) }))
      ),
      consume: Effect.fn("EventLog.consume")((consumer, limit, handle, room = Effect.succeed(limit)) =>
        consume(consumer, limit, handle, room)
      )
    })
  })
)

const column = Table.of<WrittenEvents>()

/** How far the client of a run was sent its events. */
export const written = Table.make(
  "client_progress",
  {
    run_id: column(Table.uuid<string>(), ({ runId }) => runId),
    sequence: column(Table.bigint, ({ sequence }) => sequence),
    last: column(Table.flag, ({ last }) => last)
  },
  ["run_id"]
)

const progress = Layer.effect(
  ClientProgress,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return ClientProgress.of({
      owed: Effect.fn("ClientProgress.owed")((workspaceId, clientId, since, after) =>
        sql<EntryRow>`
          with found as (
            select event.sequence, event.run_id, at, event, payload, event.expires_at, workspace_id, workflow_id, created_at, options
            from runs
            left join client_progress done on done.run_id = runs.id
            join run_events event on event.run_id = runs.id
              and event.sequence > greatest(coalesce(done.sequence, 0), ${after}::bigint)
            where workspace_id = ${workspaceId} and client_id = ${clientId} and not coalesce(done.last, false)
              and (ended_at is null or ended_at >= ${new Date(since)})
            order by event.sequence limit ${page.events}),
          page as (select *, sum(octet_length(payload)) over (order by sequence) - octet_length(payload) as before from found)
          select * from page where before < ${page.characters} order by sequence`.pipe(
          Effect.map((rows) => rows.map(toEntry)),
          withoutSqlErrors
        )
      ),
      written: Effect.fn("ClientProgress.written")((all) =>
        all.length === 0
          ? Effect.void
          : sql`
              insert into client_progress (run_id, sequence, last)
              select run_id, sequence, last from ${Table.recordset(sql, written, "new", all.map(written.encode))}
              order by run_id
              on conflict (run_id) do update set
                sequence = greatest(client_progress.sequence, excluded.sequence),
                last = client_progress.last or excluded.last`.pipe(Effect.asVoid, withoutSqlErrors)
      )
    })
  })
)

export const layer = Layer.merge(log, progress)

const toEntry = (row: EntryRow): Entry => {
  const options = Runs.optionsOf(row)
  return {
    ...Events.toLogged(row),
    workspaceId: WorkspaceId.make(row.workspace_id),
    workflowId: row.workflow_id,
    submittedAt: row.created_at.getTime(),
    clientId: options.clientId ?? null,
    ...(options.check === undefined ? {} : { isCheck: true }),
    webhook: options.webhook ?? null,
    notifications: options.notifications ?? null
  }
}

const toPosition = ({ sequence, tx }: PgConsume.LogPosition): string => `${tx}.${sequence}`

const fromPosition = (position: string): PgConsume.LogPosition => {
  const [tx = "0", sequence = "0"] = position.split(".")
  return { tx, sequence: Number(sequence) }
}
