/**
 * The processes of an installation that are alive, as each of them says of itself every few seconds.
 */
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { transaction, withoutSqlErrors } from "../Transaction.ts"
import * as Table from "../tables/Table.ts"

/** What a process reports about itself. */
export interface ProcessReport {
  readonly id: string
  readonly part: string
  readonly version: string
  /** The version of its time zone data; `null` where Node does not tell. */
  readonly tzData: string | null
  /** Names the store that it keeps artifacts in; `null` for a process that keeps and serves none. */
  readonly artifactStore: string | null
  /** By how much the clock of its machine is ahead of that of the database, in milliseconds. */
  readonly clockSkewMillis: number
  /** How many runs it executes at once; `null` for a process that executes none. */
  readonly capacity: number | null
  /** How many runs it executes now. */
  readonly running: number
  /** How many sessions of browsers it has open. */
  readonly browsers: number
  /** Its name in the leases of runs; `null` for a process that executes none. */
  readonly worker: string | null
  /** How many runs of one workspace it executes at once; `null` for a process that executes none. */
  readonly workspaceRuns: number | null
}

/** A process as others see it. */
export interface ProcessState extends ProcessReport {
  /** In epoch milliseconds, as is `seenAt`. */
  readonly beganAt: number
  /** When it last reported. */
  readonly seenAt: number
}

/** The interval at which a process reports, in milliseconds. */
export const everyMillis = 15_000

/** Time without a report after which a process counts as dead, in milliseconds. */
const aliveMillis = 3 * everyMillis + 1_000

const column = Table.of<ProcessState>()

export const table = Table.make(
  "processes",
  {
    id: column(Table.uuid<string>(), ({ id }) => id),
    part: column(Table.text, ({ part }) => part),
    version: column(Table.text, ({ version }) => version),
    tz_data: column(Table.nullable(Table.text), ({ tzData }) => tzData),
    artifact_store: column(Table.nullable(Table.text), ({ artifactStore }) => artifactStore),
    clock_skew_ms: column(Table.bigint, ({ clockSkewMillis }) => Math.round(clockSkewMillis)),
    capacity: column(Table.nullable(Table.integer), ({ capacity }) => capacity),
    running: column(Table.integer, ({ running }) => running),
    browsers: column(Table.integer, ({ browsers }) => browsers),
    worker: column(Table.nullable(Table.text), ({ worker }) => worker),
    workspace_runs: column(Table.nullable(Table.integer), ({ workspaceRuns }) => workspaceRuns),
    began_at: column(Table.instant, ({ beganAt }) => beganAt),
    seen_at: column(Table.instant, ({ seenAt }) => seenAt)
  },
  ["id"]
)

type Row = Table.Row<typeof table.columns>

const toLiving = (row: Row): ProcessState => {
  const { artifact_store, began_at, clock_skew_ms, seen_at, tz_data, workspace_runs, ...rest } = table.decode(row)
  return {
    ...rest,
    tzData: tz_data,
    artifactStore: artifact_store,
    clockSkewMillis: clock_skew_ms,
    workspaceRuns: workspace_runs,
    beganAt: began_at,
    seenAt: seen_at
  }
}

const toOwn = (row: Row): ProcessReport => {
  const { beganAt, seenAt, ...own } = toLiving(row)
  return own
}

/** The registry of an installation, on its database. */
export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  /** Says that a process is alive, and answers all that are, those that began first in front. */
  const beat = Effect.fnUntraced(function* (own: ProcessReport) {
    const now = yield* Clock.currentTimeMillis
    const dead = new Date(now - aliveMillis)
    const rows = yield* sql<Row>`
      with beat as (
        insert into processes ${sql.insert(table.encode({ ...own, beganAt: now, seenAt: now }))}
        on conflict (id) do update set seen_at = excluded.seen_at, artifact_store = excluded.artifact_store,
          clock_skew_ms = excluded.clock_skew_ms, capacity = excluded.capacity, running = excluded.running,
          browsers = excluded.browsers, worker = excluded.worker, workspace_runs = excluded.workspace_runs
        returning *
      ), gone as (delete from processes where seen_at < ${dead} and id <> ${own.id})
      select * from beat union all select * from processes where seen_at >= ${dead} and id <> ${own.id}
      order by began_at, id`
    return rows.map(toOwn)
  })

  const living = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const rows = yield* sql<Row>`
      select * from processes where seen_at >= ${new Date(now - aliveMillis)} order by began_at, id`
    return rows.map(toLiving)
  })

  /** Does something that the processes of an installation do one after the other. */
  const alone = <A, E, R>(what: string, effect: Effect.Effect<A, E, R>) =>
    transaction(sql, Effect.andThen(sql`select pg_advisory_xact_lock(hashtextextended(${what}, 0))`, effect))

  return {
    alone,
    beat: (own: ProcessReport) => withoutSqlErrors(beat(own)),
    /** The processes that are alive, oldest first. */
    living: withoutSqlErrors(living),
    /** A process has ended. */
    leave: (id: string) => withoutSqlErrors(Effect.asVoid(sql`delete from processes where id = ${id}`))
  }
})
