/**
 * Writes what transitions decided: changed runs and their events, in one statement each however many they are.
 */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { fileOf, type RunEvent } from "../../core/event/RunEvent.ts"
import type { Run } from "../../core/run/Run.ts"
import type { Change } from "../../core/run/Transition.ts"
import type { RunId } from "../../core/workspace/Ids.ts"
import * as Events from "./tables/Events.ts"
import * as Evidence from "./tables/Evidence.ts"
import * as Runs from "./tables/Runs.ts"
import * as Table from "./tables/Table.ts"

/** Writes changed runs, whose rows are locked, and appends their events. */
export const changes = (sql: SqlClient.SqlClient, all: ReadonlyArray<Change>, at: number) =>
  Effect.gen(function* () {
    if (all.length === 0) return
    yield* states(
      sql,
      all.map(({ run }) => run)
    )
    yield* errors(
      sql,
      all.map(({ run }) => run)
    )
    yield* events(
      sql,
      all.flatMap(({ events: written, run }) => written.map((event) => ({ runId: run.id, event }))),
      at
    )
  })

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
  Effect.gen(function* () {
    const [first, ...rest] = all.map((one) => Events.table.encode({ ...one, at }))
    if (first === undefined) return
    yield* sql`insert into run_events ${sql.insert([first, ...rest])}`
  })

/** Keeps the failures of runs where they are counted. Those that are there already stay. */
const errors = (sql: SqlClient.SqlClient, runs: ReadonlyArray<Run>) =>
  Effect.gen(function* () {
    const [first, ...rest] = runs.flatMap((run) =>
      run.errors.map((error, index) => Evidence.errors.encode({ run, position: index + 1, error }))
    )
    if (first === undefined) return
    yield* sql`insert into run_errors ${sql.insert([first, ...rest])} on conflict (run_id, position) do nothing`
  })

/** Keeps the credentials that a new run refers to where lists are filtered by them. */
export const credentials = (sql: SqlClient.SqlClient, run: Run) =>
  Effect.gen(function* () {
    const hashes = new Set(run.credentials.flatMap((one) => one.permissionedUserIds.map(credentialHash)))
    const [first, ...rest] = [...hashes].map((hash) => ({
      workspace_id: run.workspaceId,
      credential_hash: hash,
      run_id: run.id
    }))
    if (first === undefined) return
    yield* sql`insert into run_credentials ${sql.insert([first, ...rest])}`
  })

/** The lookup key of a credential: ids may be long, and of any characters. */
export const credentialHash = (permissionedUserId: string): string =>
  createHash("sha256").update(JSON.stringify(permissionedUserId)).digest("hex")

const states = (sql: SqlClient.SqlClient, runs: ReadonlyArray<Run>) => sql`
  update runs set ${Table.assignments(sql, Runs.states, "new")}
  from ${Table.recordset(sql, Runs.states, "new", runs.map(Runs.states.encode))}
  where runs.id = new.id`
