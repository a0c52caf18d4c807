import { Effect } from "effect"
import { Tables } from "../../adapters/memory/Tables.ts"

/** Empties the tables of the stores in memory. */
export const emptied = Effect.map(Tables, (tables) => {
  for (const entries of tables.collections.values()) entries.clear()
  for (const [name, table] of Object.entries(tables)) {
    if (table instanceof Map && name !== "collections") table.clear()
  }
  tables.events.length = 0
  tables.audit.length = 0
  tables.starts.length = 0
})
