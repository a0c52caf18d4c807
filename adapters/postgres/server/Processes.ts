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
}

const toOwn = ({ artifact_store, id, part, tz_data, version }: Row): Own => ({
  id,
  part,
  version,
  tzData: tz_data,
  artifactStore: artifact_store
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
        began_at: new Date(now),
        seen_at: new Date(now)
      })} on conflict (id) do update set seen_at = excluded.seen_at, artifact_store = excluded.artifact_store`
    yield* sql`delete from processes where seen_at < ${new Date(now - aliveMillis)}`
    const rows = yield* sql<Row>`
      select id, part, version, tz_data, artifact_store from processes order by began_at, id`
    return rows.map(toOwn)
  })

  return {
    beat: (own: Own) => withoutSqlErrors(beat(own)),
    /** A process has ended. */
    leave: (id: string) => withoutSqlErrors(Effect.asVoid(sql`delete from processes where id = ${id}`))
  }
})
