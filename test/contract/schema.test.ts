import { readFileSync, writeFileSync } from "node:fs"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as databases from "../support/databases.ts"
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
