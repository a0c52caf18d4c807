/**
 * The processes of an installation that are alive, as each of them says of itself every few seconds.
 */
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { withoutSqlErrors } from "../Transaction.ts"

/** What a process says of itself. */
export interface Own {
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
}

/** A process as others see it. */
export interface Living extends Own {
  /** In epoch milliseconds, as is `seenAt`. */
  readonly beganAt: number
  /** When it last said that it is alive. */
  readonly seenAt: number
}

/** The interval at which a process says that it is alive, in milliseconds. */
export const everyMillis = 15_000

/** A process that said nothing for so long is taken for dead, in milliseconds. */
const aliveMillis = 3 * everyMillis + 1_000

interface Row {
  readonly id: string
  readonly part: string
  readonly version: string
  readonly tz_data: string | null
  readonly artifact_store: string | null
  readonly clock_skew_ms: number
  readonly capacity: number | null
  readonly running: number
  readonly browsers: number
  readonly began_at: Date
  readonly seen_at: Date
}

const toOwn = (row: Row): Own => ({
  id: row.id,
  part: row.part,
  version: row.version,
  tzData: row.tz_data,
  artifactStore: row.artifact_store,
  clockSkewMillis: row.clock_skew_ms,
  capacity: row.capacity,
  running: row.running,
  browsers: row.browsers
})

/** The registry of an installation, on its database. */
export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  /** Says that a process is alive, and answers all that are, those that began first in front. */
  const beat = Effect.fnUntraced(function* (own: Own) {
    const now = yield* Clock.currentTimeMillis
    yield* sql`
      insert into processes ${sql.insert({
        id: own.id,
        part: own.part,
        version: own.version,
        tz_data: own.tzData,
        artifact_store: own.artifactStore,
        clock_skew_ms: Math.round(own.clockSkewMillis),
        capacity: own.capacity,
        running: own.running,
        browsers: own.browsers,
        began_at: new Date(now),
        seen_at: new Date(now)
      })} on conflict (id) do update set seen_at = excluded.seen_at, artifact_store = excluded.artifact_store,
        clock_skew_ms = excluded.clock_skew_ms, capacity = excluded.capacity, running = excluded.running,
        browsers = excluded.browsers`
    yield* sql`delete from processes where seen_at < ${new Date(now - aliveMillis)}`
    const rows = yield* sql<Row>`select * from processes order by began_at, id`
    return rows.map(toOwn)
  })

  const living = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const rows = yield* sql<Row>`
      select * from processes where seen_at >= ${new Date(now - aliveMillis)} order by began_at, id`
    return rows.map(
      (row): Living => ({ ...toOwn(row), beganAt: row.began_at.getTime(), seenAt: row.seen_at.getTime() })
    )
  })

  return {
    beat: (own: Own) => withoutSqlErrors(beat(own)),
    /** The processes that are alive, those that began first in front. */
    living: withoutSqlErrors(living),
    /** A process has ended. */
    leave: (id: string) => withoutSqlErrors(Effect.asVoid(sql`delete from processes where id = ${id}`))
  }
})
