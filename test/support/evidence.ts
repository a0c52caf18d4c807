/**
 * Gathers what a system produced, to be searched: files, tables, command lines.
 */
import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import type { Evidence } from "./canaries.ts"

/** Every file in a folder and below it. */
export function* filesIn(channel: string, folder: string): Generator<Evidence> {
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) {
      const path = join(entry.parentPath, entry.name)
      yield { channel: `${channel} ${path.slice(folder.length + 1)}`, bytes: readFileSync(path) }
    }
  }
}

/** Every row of every table, as JSON; and all of it on its disk. */
export const tablesOf = (url: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const tables = yield* sql<{ readonly name: string }>`
      select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`
    const rows = yield* Effect.forEach(tables, ({ name }) =>
      Effect.map(
        sql.unsafe<{ readonly row: string }>(`select row_to_json(one)::text as row from ${name} one`),
        (found): Evidence => ({ channel: `table ${name}`, bytes: found.map(({ row }) => row).join("\n") })
      )
    )
    yield* sql`checkpoint`
    return rows
  }).pipe(Effect.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })), Effect.orDie)

/** The command lines of this process and of all below it, at this moment. */
export const commandLines = (): string => execFileSync("ps", ["-eo", "pid,ppid,args", "ww"], { encoding: "utf8" })
