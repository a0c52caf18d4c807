/**
 * Collects the outputs of a system for a search: files, tables, command lines.
 */
import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import type { Evidence } from "./canaries.ts"

/** Every file in a folder and below it. */
export function* filesIn(channel: string, folder: string): Generator<Evidence> {
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) {
      const path = join(entry.parentPath, entry.name)
      const bytes = read(path)
      if (bytes !== null) yield { channel: `${channel} ${path.slice(folder.length + 1)}`, bytes: written(bytes) }
    }
  }
}

/** The bytes of a file; `null` when it has been removed in the meantime. */
const read = (path: string): Buffer | null => {
  try {
    return readFileSync(path)
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null
    throw error
  }
}

/** A file without the zero bytes at its end: log files are allocated in advance. */
const written = (bytes: Buffer): Buffer => {
  let end = bytes.length
  while (end > 0 && bytes[end - 1] === 0) end--
  return bytes.subarray(0, end)
}

/** Every row of every table as JSON, and the files of the database. */
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

/** The command lines of all processes at this moment. */
export const commandLines = (): ReadonlyArray<string> => {
  if (!existsSync("/proc/self/cmdline"))
    return execFileSync("ps", ["-eo", "args", "ww"], { encoding: "utf8" }).split("\n")
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      return [readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ")]
    } catch {
      // The process has ended in the meantime.
      return []
    }
  })
}
