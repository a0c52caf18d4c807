import { readFileSync, writeFileSync } from "node:fs"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { sharedLogins } from "../../adapters/postgres/migrations/0033_shared_logins.ts"
import * as databases from "../support/databases.ts"
import { makeWorkspace } from "../support/fixtures.ts"
import { makeEntry } from "../support/slots.ts"
import { dumpSchema } from "./SchemaDump.ts"

const file = new URL("./schema.txt", import.meta.url)

for (const [name, [layer]] of Object.entries({ embedded: databases.embedded, postgres: databases.postgres })) {
  it.live(`the schema of ${name} is the one that was reviewed`, () =>
    Effect.gen(function* () {
      const dump = yield* dumpSchema
      // Written anew on purpose only, so that a change of the schema is seen in review.
      if (process.env.SLUICE_UPDATE_SCHEMA === "1") writeFileSync(file, dump)
      assert.strictEqual(dump, readFileSync(file, "utf8"))
    }).pipe(Effect.provide(layer), Effect.scoped)
  )
}

it.live("what credentials share is named in a database that had three words for it", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const caller = yield* makeWorkspace()
    yield* makeEntry(caller, "a")
    yield* makeEntry(caller, "b", { tfa_method: "EMAIL" })
    const rules = sql`select login_rule from vault_entries order by position`
    const now = yield* rules
    yield* sql`update vault_entries set login_rule = 'any'`
    yield* sql`alter table vault_entries alter column login_rule set not null,
      add constraint vault_entries_login_rule_check check (login_rule in ('any', 'entry', 'phone'))`
    yield* sharedLogins
    assert.deepStrictEqual(yield* rules, now)
    assert.strictEqual(yield* dumpSchema, readFileSync(file, "utf8"))
  }).pipe(Effect.provide(databases.postgres[0]), Effect.scoped)
)
