/** The collections of a workspace: kinds of things that need nothing from the database but to be kept. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as PgCollection from "../PgCollection.ts"

const kinds = ["error_codes", "run_subscriptions", "webhooks", "vault_entries", "secret_providers"]

export const collections = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const kind of kinds) yield* sql.unsafe(PgCollection.table(kind))
})
