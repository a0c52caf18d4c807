/**
 * The processes of an installation that are alive, as each of them says of itself every few seconds.
 */
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { withoutSqlErrors } from "../Transaction.ts"
import * as Table from "../tables/Table.ts"

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

const column = Table.of<Own>()

const facts = {
  id: column(Table.uuid<string>(), ({ id }) => id),
  part: column(Table.text, ({ part }) => part),
  version: column(Table.text, ({ version }) => version),
  tz_data: column(Table.nullable(Table.text), ({ tzData }) => tzData),
  artifact_store: column(Table.nullable(Table.text), ({ artifactStore }) => artifactStore)
}

const own = Table.make("processes", facts, ["id"])

/** What a process says, and when it does. */
interface Beat extends Own {
  readonly at: number
}

const ofBeat = Table.of<Beat>()

export const table = Table.make(
  "processes",
  { ...facts, began_at: ofBeat(Table.instant, ({ at }) => at), seen_at: ofBeat(Table.instant, ({ at }) => at) },
  ["id"]
)

const toOwn = (row: Table.Row<typeof own.columns>): Own => {
  const { artifact_store, tz_data, ...rest } = own.decode(row)
  return { ...rest, tzData: tz_data, artifactStore: artifact_store }
}

/** The registry of an installation, on its database. */
export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  /** Says that a process is alive, and answers all that are, those that began first in front. */
  const beat = Effect.fnUntraced(function* (said: Own) {
    const at = yield* Clock.currentTimeMillis
    yield* sql`
      insert into processes ${sql.insert(table.encode({ ...said, at }))}
      on conflict (id) do update set seen_at = excluded.seen_at, artifact_store = excluded.artifact_store`
    yield* sql`delete from processes where seen_at < ${new Date(at - aliveMillis)}`
    const rows = yield* sql<Table.Row<typeof own.columns>>`
      select ${Table.names(sql, own)} from processes order by began_at, id`
    return rows.map(toOwn)
  })

  return {
    beat: (said: Own) => withoutSqlErrors(beat(said)),
    /** A process has ended. */
    leave: (id: string) => withoutSqlErrors(Effect.asVoid(sql`delete from processes where id = ${id}`))
  }
})
