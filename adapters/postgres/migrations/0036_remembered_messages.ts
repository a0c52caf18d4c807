/** Until when each message that arrived is remembered, as messages without a proven time are for longer. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `alter table received_messages rename column received_at to remember_until`,
  `update received_messages set remember_until = remember_until +
    case when id like 'twilio:%' then interval '400 days' else interval '1 day' end`,
  `alter index received_messages_by_age rename to received_messages_by_end`
]

export const rememberedMessages = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of statements) yield* sql.unsafe(statement)
})
