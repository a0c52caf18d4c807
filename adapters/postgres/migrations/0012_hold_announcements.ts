/** The waiting runs that still have to get the event that an edit holds them. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const holdAnnouncements = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`create table hold_announcements (
    workflow_id uuid primary key references workflows,
    told_to bigint not null,
    last bigint not null
  )`)
})
