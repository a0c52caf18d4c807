/**
 * What the commands of `sluice audit` do.
 */
import { open } from "node:fs/promises"
import { Console, Effect, Option, Stream } from "effect"
import * as Json from "../../../../../core/workspace/Json.ts"
import type { AuditEntry } from "../../../../api/audit/AuditApi.ts"
import { type ConnectionSettings, connected } from "../../../user/Connection.ts"
import { refused } from "../../../user/Ending.ts"
import { answer, type OutputSettings } from "../../../user/Output.ts"
import { cell, counted, table } from "../../../user/view/Table.ts"

const single = ["resource_id", "user_id", "key_id", "start_time", "end_time"] as const

type Single = { readonly [K in (typeof single)[number]]: Option.Option<string> }

interface Settings extends ConnectionSettings, OutputSettings, Single {
  readonly action: ReadonlyArray<string>
}

const queryOf = (settings: Settings): { readonly [K in (typeof single)[number] | "action"]?: string } => ({
  ...(settings.action.length === 0 ? {} : { action: settings.action.join(",") }),
  ...Object.fromEntries(single.flatMap((name) => Option.toArray(settings[name]).map((value) => [name, value])))
})

/** What an entry is about: its resource, or how many runs a verb for several did something to. */
const subject = ({ after, resource_id, resource_name }: typeof AuditEntry.Type): string => {
  if (resource_name !== null && resource_name !== "") return resource_name
  const { runs } = Json.objectOf(after)
  return resource_id ?? (typeof runs === "number" ? counted(runs, "run") : "")
}

const row = (entry: typeof AuditEntry.Type) => {
  const { action, at, key_id, reason, user_id } = entry
  return [
    `${at.slice(0, 19).replace("T", " ")}Z`,
    action,
    cell(subject(entry), 40),
    user_id ?? "operator",
    key_id ?? "",
    cell(reason ?? "", 40)
  ]
}

interface ListSettings extends Settings {
  readonly limit: number
  readonly cursor: Option.Option<string>
}

export const ls = (settings: ListSettings) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const cursor = Option.getOrUndefined(settings.cursor)
      if (cursor !== undefined && !/^\d{1,16}$/.test(cursor)) {
        return yield* refused("wrong", `--cursor: expected the next_cursor of a page, got "${cell(cursor, 40)}"`)
      }
      const page = yield* client.audit.listAudit({
        query: {
          ...queryOf(settings),
          limit: settings.limit,
          ...(cursor === undefined ? {} : { cursor: Number(cursor) })
        }
      })
      yield* answer(settings, page, () => {
        if (page.entries.length === 0) return "No changes"
        const rows = table(["WHEN", "ACTION", "WHAT", "BY USER", "WITH KEY", "REASON"], page.entries.map(row))
        return page.next_cursor === null ? rows : `${rows}\nThe next ones: --cursor ${page.next_cursor}`
      })
    })
  )

interface ExportSettings extends Settings {
  readonly format: "jsonl" | "csv"
  readonly file: Option.Option<string>
}

/** Writes all entries as they come. A file is written piece by piece, and each piece is on it before the next is read. */
export const exportAll = (settings: ExportSettings) =>
  connected(
    settings,
    Effect.fnUntraced(function* (client) {
      const lines = Stream.unwrap(
        client.audit.exportAudit({ query: { ...queryOf(settings), format: settings.format } })
      )
      if (Option.isNone(settings.file)) {
        return yield* lines.pipe(
          Stream.decodeText(),
          Stream.splitLines,
          Stream.runForEach((line) => Console.log(line))
        )
      }
      const path = settings.file.value
      const cannot = (cause: unknown) =>
        refused("failed", `Cannot write the file ${path}: ${cause instanceof Error ? cause.message : String(cause)}`)
      const attempt = <A>(act: () => Promise<A>) => Effect.tryPromise({ try: act, catch: cannot })
      yield* Effect.acquireUseRelease(
        attempt(() => open(path, "w", 0o600)),
        (file) => Stream.runForEach(lines, (piece) => attempt(() => file.appendFile(piece))),
        (file) => attempt(() => file.close())
      )
      yield* answer(settings, { file: path }, () => `Wrote ${path}`)
    })
  )
