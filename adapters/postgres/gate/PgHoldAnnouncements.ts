/**
 * Announces that an edit closed a gate, to the workflow and to its waiting runs that are watched: not in the edit, whose
 * cost does not depend on how many wait, but afterwards, in pieces. Where both are locked, the gate is locked before its announcement.
 */
import { Clock, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { RunEvent } from "../../../core/event/RunEvent.ts"
import * as Gate from "../../../core/gate/Gate.ts"
import { countOf, mostCounted } from "../../../core/gate/GateStore.ts"
import type { HoldAnnouncement } from "../../../core/run/hold/HoldAnnouncement.ts"
import type { GatedRun } from "../../../core/run/RunStore.ts"
import { type RunId, RunNotFound, WorkspaceId } from "../../../core/workspace/Ids.ts"
import { transaction } from "../Transaction.ts"
import * as Gates from "../tables/Gates.ts"
import * as Runs from "../tables/Runs.ts"
import * as Table from "../tables/Table.ts"
import * as Writing from "../Writing.ts"

/** A hold that is announced, up to which run it was, and the last run that it is announced to. */
interface Announced {
  readonly workflowId: string
  readonly announced: boolean
  readonly announcedTo: number
  readonly last: number
}

const column = Table.of<Announced>()

export const table = Table.make(
  "hold_announcements",
  {
    workflow_id: column(Table.uuid<string>(), ({ workflowId }) => workflowId),
    announced: column(Table.flag, ({ announced }) => announced),
    announced_to: column(Table.bigint, ({ announcedTo }) => announcedTo),
    last: column(Table.bigint, ({ last }) => last)
  },
  ["workflow_id"]
)

type Place = Pick<Table.Row<typeof table.columns>, "announced" | "announced_to" | "last">

/** Records, while a gate is locked, that the hold is to be announced to the runs that wait now. */
export const note = (
  sql: SqlClient.SqlClient,
  workflowId: string,
  { after, before }: { readonly before: Gate.Gate; readonly after: Gate.Gate },
  at: number
) =>
  Gate.mayStart(before, at) && !Gate.mayStart(after, at)
    ? sql`
        insert into hold_announcements (workflow_id, announced_to, last)
        select workflow_id, 0, sequence from runs
        where workflow_id = ${workflowId} and status in ('execution.queued', 'execution.requeued')
        order by sequence desc limit 1
        on conflict (workflow_id) do update set announced = false, announced_to = 0, last = excluded.last`.pipe(
        Effect.asVoid
      )
    : Effect.void

/** Announces the hold of one gate: to the workflow first, then to up to `limit` runs. Returns whether there may be more. */
export const tell = (sql: SqlClient.SqlClient, limit: number, announcement: HoldAnnouncement) =>
  transaction(
    sql,
    Effect.gen(function* () {
      const [next] = yield* sql<{ readonly workflow_id: string }>`
        select workflow_id from hold_announcements order by announced, served limit 1`
      if (next === undefined) return false
      const [gateRow] = yield* sql<Gates.Row & { readonly workspace_id: string }>`
        select * from gates where workflow_id = ${next.workflow_id} for share`
      const [place] = yield* sql<Place>`
        select announced, announced_to, last from hold_announcements where workflow_id = ${next.workflow_id}
        for update skip locked`
      if (gateRow === undefined || place === undefined) return false
      const gate = Gates.toGate(gateRow)
      const now = yield* Clock.currentTimeMillis
      const waiting = sql`
        workflow_id = ${next.workflow_id} and status in ('execution.queued', 'execution.requeued')
        and sequence > ${place.announced_to} and sequence <= ${place.last}`
      const done = sql`delete from hold_announcements where workflow_id = ${next.workflow_id}`
      const goOn = (announcedTo: bigint) => sql`
        update hold_announcements set announced = true, announced_to = ${announcedTo}, served = default
        where workflow_id = ${next.workflow_id}`
      const append = (rows: ReadonlyArray<Runs.Row>, of: (gated: GatedRun) => ReadonlyArray<RunEvent>) =>
        Writing.events(
          sql,
          rows.map(Runs.toRun).flatMap((run) => of({ run, gate }).map((event) => ({ runId: run.id, event }))),
          now
        )
      if (Gate.mayStart(gate, now)) {
        yield* done
        return true
      }
      if (!place.announced) {
        const latest = yield* sql<Runs.Row>`select * from runs where ${waiting} order by sequence desc limit 1`
        const [counted] = yield* sql<{ readonly found: bigint }>`
          select count(*) as found from (
            select from runs where ${waiting} order by sequence desc limit ${mostCounted + 1}) held`
        yield* append(latest, (gated) => announcement.ofWorkflow(gated, countOf(Number(counted?.found ?? 0)), now))
        yield* latest.length === 0 ? done : goOn(place.announced_to)
        return true
      }
      const announcesToAll = yield* announcement.announcesToAll(
        WorkspaceId.make(gateRow.workspace_id),
        next.workflow_id
      )
      const rows = yield* sql<Runs.Row & { readonly sequence: bigint }>`
        select * from runs where ${waiting} ${announcesToAll ? sql`` : sql`and watched`} order by sequence limit ${limit}`
      yield* append(rows, (gated) => announcement.ofRun(gated, now))
      const last = rows.at(-1)
      yield* last === undefined || rows.length < limit ? done : goOn(last.sequence)
      return true
    })
  )

/** Makes a waiting run one that is watched, and returns whether its hold was announced now. */
export const watch = (
  sql: SqlClient.SqlClient,
  workspaceId: WorkspaceId,
  id: RunId,
  ofRun: HoldAnnouncement["ofRun"]
) =>
  transaction(
    sql,
    Effect.gen(function* () {
      const [known] = yield* sql<{ readonly watched: boolean; readonly waits: boolean }>`
        select watched, status in ('execution.queued', 'execution.requeued') as waits from runs
        where id = ${id} and workspace_id = ${workspaceId}`
      if (known === undefined) return yield* new RunNotFound({ sessionId: id })
      if (known.watched || !known.waits) return false
      const [row] = yield* sql<Runs.Row & { readonly sequence: bigint }>`
        update runs set watched = true where id = ${id} and not watched
          and status in ('execution.queued', 'execution.requeued') returning *`
      if (row === undefined) return false
      const run = Runs.toRun(row)
      const [gateRow] = yield* sql<Gates.Row>`select * from gates where workflow_id = ${run.workflowId} for share`
      if (gateRow === undefined) return false
      // A run that is still to be announced gets its event from there.
      const [place] = yield* sql<Place>`
        select announced, announced_to, last from hold_announcements where workflow_id = ${run.workflowId} for update`
      if (place !== undefined && row.sequence > place.announced_to && row.sequence <= place.last) return false
      const [last] = yield* sql<{ readonly event: string }>`
        select event from run_events where run_id = ${id} and event <> 'workflow.paused'
        order by sequence desc limit 1`
      if (last?.event === "execution.paused") return false
      const now = yield* Clock.currentTimeMillis
      const events = ofRun({ run, gate: Gates.toGate(gateRow) }, now)
      yield* Writing.events(
        sql,
        events.map((event) => ({ runId: run.id, event })),
        now
      )
      return events.length > 0
    })
  )
