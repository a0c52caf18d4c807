/** Answers the endpoints of the audit trail. */
import { Effect, Stream } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import type { Entry, Filter } from "../../../core/workspace/audit/Audit.ts"
import * as AuditAction from "../../../core/workspace/audit/AuditAction.ts"
import { AuditTrail } from "../../../core/workspace/audit/AuditTrail.ts"
import { Api } from "../Api.ts"
import { CurrentCaller } from "../http/Authorization.ts"
import * as Query from "../http/body/Query.ts"
import * as Errors from "../http/Errors.ts"
import { iso } from "../run/RunRecord.ts"
import { holderOf, Streams } from "../stream/Streams.ts"
import type { AuditEntry } from "./AuditApi.ts"
import * as Csv from "./Csv.ts"

const defaultLimit = 100
/** How many entries an export reads at a time. */
const exportedTogether = 500

export const layer = HttpApiBuilder.group(
  Api,
  "audit",
  Effect.fn(function* (handlers) {
    const trail = yield* AuditTrail
    const streams = yield* Streams
    return handlers
      .handle(
        "listAudit",
        Effect.fn(function* ({ query }) {
          const filter = yield* read(query)
          const { entries, next } = yield* trail.page(yield* CurrentCaller, {
            ...filter,
            limit: query.limit ?? defaultLimit,
            ...(query.cursor === undefined ? {} : { before: query.cursor })
          })
          return { entries: entries.map(record), next_cursor: next === null ? null : String(next) }
        })
      )
      .handleRaw(
        "exportAudit",
        Effect.fn(function* ({ query }) {
          const caller = yield* CurrentCaller
          const filter = { ...(yield* read(query)), limit: exportedTogether }
          const entries = Stream.map(yield* trail.all(caller, filter), record)
          const { contentType, lines, name } = query.format === "csv" ? asCsv(entries) : asLines(entries)
          return yield* streams.answer(holderOf(caller), Stream.encodeText(lines), {
            contentType,
            headers: { "cache-control": "no-store", "content-disposition": `attachment; filename="${name}"` }
          })
        })
      )
  })
)

type Json = typeof AuditEntry.Type

const asLines = <E>(entries: Stream.Stream<Json, E>) => ({
  contentType: "application/x-ndjson",
  name: "audit.jsonl",
  lines: Stream.map(entries, (entry) => `${JSON.stringify(entry)}\n`)
})

const columns = [
  "id",
  "at",
  "action",
  "resource_id",
  "resource_name",
  "user_id",
  "key_id",
  "reason",
  "before",
  "after"
] as const satisfies ReadonlyArray<keyof Json>

const asCsv = <E>(entries: Stream.Stream<Json, E>) => ({
  contentType: "text/csv; charset=utf-8",
  name: "audit.csv",
  lines: Stream.concat(
    Stream.succeed(Csv.line(columns)),
    Stream.map(entries, (entry) =>
      Csv.line(
        columns.map((column) => {
          const value = entry[column]
          return typeof value === "string" ? value : value === null ? "" : JSON.stringify(value)
        })
      )
    )
  )
})

const record = (entry: Entry): Json => ({
  id: String(entry.position),
  at: iso(entry.at),
  action: entry.action,
  resource_id: entry.resourceId,
  resource_name: entry.resourceName,
  user_id: entry.userId,
  key_id: entry.keyId,
  reason: entry.reason,
  before: entry.before,
  after: entry.after
})

interface AuditQuery {
  readonly action?: string
  readonly resource_id?: string
  readonly user_id?: string
  readonly key_id?: string
  readonly start_time?: string
  readonly end_time?: string
}

/** Reads the filter; everything that is wrong is reported at its parameter. */
const read = (query: AuditQuery): Effect.Effect<Omit<Filter, "limit">, Errors.BadRequest> => {
  const { instant, problems, uuid, wrong } = Query.reader<keyof AuditQuery>(query)
  const actions = query.action?.split(",").map((action) => action.trim())
  for (const action of actions ?? []) {
    const expected = AuditAction.expectedFor(action)
    if (expected !== null) problems.push(Query.problemAt("action", expected, action))
  }
  const [from, to] = [instant("start_time"), instant("end_time")]
  const [userId, keyId] = [uuid("user_id"), uuid("key_id")]
  if (from !== undefined && to !== undefined && to < from) wrong("end_time", "an instant that is not before start_time")
  if (problems.length > 0) return Effect.fail(Errors.invalid(problems))
  return Effect.succeed({
    ...(actions === undefined ? {} : { actions }),
    ...(query.resource_id === undefined ? {} : { resourceId: query.resource_id.toLowerCase() }),
    ...(userId === undefined ? {} : { userId }),
    ...(keyId === undefined ? {} : { keyId }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to })
  })
}
