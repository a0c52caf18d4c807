/**
 * Writes what transitions decided: changed runs, their failures and their events, in one statement however many they are.
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { fileOf, type RunEvent } from "../../core/event/RunEvent.ts"
import type { Run } from "../../core/run/Run.ts"
import type { Change } from "../../core/run/Transition.ts"
import type { RunId } from "../../core/workspace/Ids.ts"
import { asValue, labelOf } from "./list/PgLabels.ts"
import * as Starts from "./start/Starts.ts"
import * as Events from "./tables/Events.ts"
import * as Evidence from "./tables/Evidence.ts"
import * as Runs from "./tables/Runs.ts"
import * as Table from "./tables/Table.ts"

/** A changed run as it is written, with its errors and the events of the change. */
export interface RunWrite extends Runs.Changed {
  /** The `xmin` of the version of the row that the change was decided about; `null` where the row is locked. */
  readonly seen: string | null
  readonly errors: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly events: ReadonlyArray<ReturnType<typeof Events.table.encode>>
  readonly starts: ReadonlyArray<ReturnType<typeof Starts.table.encode>>
}

/** A change, with the stored run if known, so that equal columns are not written again. */
export type Known = Change & { readonly before?: Run }

/** A change as it is written. With `seen`, only while the row of the run is still the version of this `xmin`. */
export const writtenOf = ({ before, events, run, start }: Known, at: number, seen: string | null): RunWrite => ({
  run,
  before: before ?? null,
  seen,
  errors: run.errors.map((error, index) => Evidence.errors.encode({ run, position: index + 1, error })),
  events: events.map((event) => Events.table.encode({ runId: run.id, at, event })),
  starts: start === undefined ? [] : [Starts.table.encode(start)]
})

/** The number of characters in the output and the events of a change. Events leave out a large output. */
export const length = (written: RunWrite): number =>
  written.events.reduce(
    (sum, { payload }) => sum + String(payload).length,
    Runs.isChanged("data", written) ? JSON.stringify(written.run.data).length : 0
  )

/** The events of a change with more characters than this are written alone, so that fewer copies of them are made. */
export const mostTogether = 131_072

/** Writes changed runs, whose rows are locked, and appends their events. Answers which version each row has then. */
export const changes = (sql: SqlClient.SqlClient, all: ReadonlyArray<Known>, at: number) =>
  Effect.gen(function* () {
    const written = all.map((change) => writtenOf(change, at, null))
    const long = written.filter((one) => length(one) > mostTogether)
    const versions = yield* write(
      sql,
      written.map((one) => (long.includes(one) ? { ...one, events: [] } : one))
    )
    for (const { events } of long) yield* insertEvents(sql, events)
    return versions
  })

/**
 * Writes changed runs in one statement, and answers the versions of the rows that were written. Either all rows are
 * locked, or all are written only where they are the version that was seen. Failures are also kept where they are
 * counted; those that are there already stay. With the id of a transaction, nothing is written outside of it.
 */
export const write = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  all: ReadonlyArray<RunWrite>,
  within: string | null = null
) {
  if (all.length === 0) return new Map<string, string>()
  const states = Runs.changed(all)
  const runs = all.map(({ run, seen }) => (seen === null ? states.encode(run) : { ...states.encode(run), seen }))
  const errors = all.flatMap((one) => one.errors)
  const kinds = all.flatMap(({ run }) => (errors.length === 0 ? [] : kindsOf(run)))
  const events = all.flatMap((one) => one.events).map((event, position) => ({ ...event, position }))
  const starts = all.flatMap((one) => one.starts)
  const isLocked = all.every(({ seen }) => seen === null)
  // A statement for each that is not empty: most changes have no failures, and only a claim starts runs.
  const failed = sql`, failed as (
      insert into run_errors (${Table.names(sql, Evidence.errors)})
      select ${Table.names(sql, Evidence.errors, "error")}
      from ${Table.recordset(sql, Evidence.errors, "error", errors)} join changed on changed.id = error.run_id
      on conflict (run_id, position) do nothing
    )`
  const classified = sql`, classified as (
      insert into run_labels (workspace_id, label, created_at, sequence, run_id, workflow_id, trigger)
      select runs.workspace_id, kind.label, runs.created_at, runs.sequence, runs.id, runs.workflow_id, runs.trigger
      from json_to_recordset(${JSON.stringify(kinds)}::json) kind (run_id uuid, label uuid)
      join changed on changed.id = kind.run_id join runs on runs.id = kind.run_id
      on conflict do nothing
    )`
  const announced = sql`, announced as (
      insert into run_events (tx, ${Table.names(sql, Events.table)})
      select place.tx, ${Table.names(sql, Events.table, "event")}
      from places_after((select array_agg(id) from changed)) place
      join ${Table.recordset(sql, Events.table, "event", events, { position: "integer" })}
        on event.run_id = place.run_id
      order by event.position
    )`
  const started = sql`, started as (
      insert into run_starts (${Table.names(sql, Starts.table)})
      select ${Table.names(sql, Starts.table, "start")}
      from ${Table.recordset(sql, Starts.table, "start", starts)} join changed on changed.id = start.run_id
    )`
  // Rows are locked in the order of their ids, as in every statement that locks several. A row that was changed since
  // it was seen is not locked, so that the others are where they were found.
  const rows = yield* sql<{ readonly id: string; readonly version: string }>`
    with new as materialized (
      select * from ${Table.recordset(sql, states, "new", runs, isLocked ? {} : { seen: "text" })}
      ${within === null ? sql`` : sql`where ${within}::xid8 = pg_current_xact_id()`}
    )${
      isLocked
        ? sql``
        : sql`, locked as materialized (
      select runs.id, runs.ctid as place from runs join new on new.id = runs.id where runs.xmin::text = new.seen
      order by runs.id for no key update of runs
    )`
    }, changed as (
      update runs set ${Table.assignments(sql, states, "new")}
      from new ${isLocked ? sql`` : sql`join locked using (id)`}
      where ${isLocked ? sql`runs.id = new.id` : sql`runs.ctid = locked.place and runs.id = new.id`}
      returning runs.id, runs.xmin::text as version
    )${errors.length === 0 ? sql`` : failed}${kinds.length === 0 ? sql`` : classified}${events.length === 0 ? sql`` : announced}${starts.length === 0 ? sql`` : started}
    select id, version from changed`
  return new Map(rows.map(({ id, version }) => [id, version]))
})

/** The labels of the categories and sub-types of the failures of a run. */
const kindsOf = ({ errors, id }: Run) => {
  const labels = errors.flatMap(({ category, subType }) => [
    ...(category === null ? [] : [labelOf("category", category)]),
    ...(subType === null ? [] : [labelOf("sub-type", subType)])
  ])
  return [...new Set(labels)].map((label) => ({ run_id: id, label }))
}

/** The files that a run has produced, oldest first. */
export const filesOf = (sql: SqlClient.SqlClient, { attempts, id }: Run) =>
  attempts === 0
    ? Effect.succeed([])
    : Effect.map(
        sql<Events.Row>`
          select sequence, run_id, at, event, payload, expires_at from run_events
          where run_id = ${id} and event = 'file.uploaded' order by sequence`,
        (rows) => rows.flatMap((row) => fileOf(Events.toLogged(row).event))
      )

/** Appends events in their order. */
export const events = (
  sql: SqlClient.SqlClient,
  all: ReadonlyArray<{ readonly runId: RunId; readonly event: RunEvent }>,
  at: number
) =>
  insertEvents(
    sql,
    all.map((one) => Events.table.encode({ ...one, at }))
  )

const insertEvents = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, all: RunWrite["events"]) {
  const [first, ...rest] = all
  if (first === undefined) return
  yield* sql`insert into run_events ${sql.insert([first, ...rest])}`
})

/** Keeps the credentials that a new run refers to where lists are filtered by them. */
export const credentials = (sql: SqlClient.SqlClient, run: Run) =>
  Effect.gen(function* () {
    const ids = run.credentials.flatMap((one) => one.permissionedUserIds)
    if (ids.length === 0) return
    const labels = [...new Set(ids.map((id) => labelOf("credential", asValue(id))))]
    yield* sql`
      insert into run_labels (workspace_id, label, created_at, sequence, run_id, workflow_id, trigger)
      select workspace_id, label::uuid, created_at, sequence, id, workflow_id, trigger
      from runs, json_array_elements_text(${JSON.stringify(labels)}::json) label where id = ${run.id}`
  })
