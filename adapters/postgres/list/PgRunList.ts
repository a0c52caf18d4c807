/** Lists and counts the runs of a workspace in PostgreSQL. */
import { Clock, Effect, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { asSearched, type RunFilter, searchedCharacters, searchedRuns } from "../../../core/run/list/RunFilter.ts"
import { Waiting } from "../../../core/run/Run.ts"
import { type Filter, type ListPage, mostCounted, type Total } from "../../../core/run/RunStore.ts"
import { RunId, type WorkspaceId } from "../../../core/workspace/Ids.ts"
import { withoutSqlErrors } from "../Transaction.ts"
import * as Gates from "../tables/Gates.ts"
import * as Runs from "../tables/Runs.ts"
import * as PgBusyQueues from "./PgBusyQueues.ts"
import * as PgRunFilter from "./PgRunFilter.ts"

const isWaiting = Schema.is(Waiting)

interface Place {
  readonly id: string
  readonly created_at: Date
}

type GateRow = Gates.Row & { readonly name: string }

export const make = (sql: SqlClient.SqlClient) => {
  /** The first runs of all sources, newest first. */
  const merged = (sources: ReadonlyArray<PgRunFilter.Source>, limit: number) => {
    const newest = ({ from, where }: PgRunFilter.Source) => sql`
      (select runs.id, runs.created_at, runs.sequence from ${from} where ${where}
        order by runs.created_at desc, runs.sequence desc limit ${limit})`
    const all = sources.map(newest)
    const [first, ...rest] = all.length === 0 ? [sql`select id, created_at, sequence from runs where false`] : all
    const together = rest.reduce<Statement.Fragment>((before, one) => sql`${before} union all ${one}`, first ?? sql``)
    return sql`select id, created_at, sequence from (${together}) found
      order by created_at desc, sequence desc limit ${limit}`
  }

  const contains = (text: string) => {
    const searched = asSearched(text)
    const inColumn = (column: string) =>
      sql`position(${searched} in lower(left(runs.${sql(column)}, ${searchedCharacters}) collate "C")) > 0`
    return sql`(${inColumn("input")} or ${inColumn("data")})`
  }

  /** The runs among those of the sources that have the text, and the place behind those that were examined. */
  const searched = Effect.fnUntraced(function* (
    sources: ReadonlyArray<PgRunFilter.Source>,
    text: string,
    limit: number
  ) {
    const examined = yield* sql<Place>`${merged(sources, searchedRuns)}`
    if (examined.length === 0) return { found: [], last: null }
    const found = yield* sql<Place>`
      select id, created_at, sequence from runs where ${sql.in(
        "id",
        examined.map(({ id }) => id)
      )} and ${contains(text)} order by created_at desc, sequence desc limit ${limit}`
    return { found, last: examined.length === searchedRuns ? (examined.at(-1) ?? null) : null }
  })

  const pageOf = Effect.fnUntraced(function* (workspaceId: WorkspaceId, filter: Filter, now: number) {
    const { limit, text } = filter
    const sources = yield* PgRunFilter.sources(sql, workspaceId, filter, now)
    const { found, last } =
      text === undefined
        ? { found: yield* sql<Place>`${merged(sources, limit + 1)}`, last: null }
        : yield* searched(sources, text, limit + 1)
    const shown = found.slice(0, limit)
    return { shown, next: found.length > limit ? (shown.at(-1) ?? null) : last }
  })

  const rowsOf = (ids: ReadonlyArray<string>) => sql<Runs.ListedRow>`
    select id, workspace_id, workflow_id, options, trigger, tags, created_at, status, queue, started_at, ended_at,
      not_before, released_at, released_by, released_pause, errors
    from runs where ${sql.in("id", ids)} order by created_at desc, sequence desc`

  const gatesOf = (workflowIds: ReadonlySet<string>) => sql<GateRow>`
    select gates.*, workflows.name
    from gates join workflows on workflows.id = workflow_id where ${sql.in("workflow_id", [...workflowIds])}`

  const list = Effect.fn("RunStore.list")((workspaceId: WorkspaceId, filter: Filter) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const { next, shown } = yield* pageOf(workspaceId, filter, now)
      const rows = shown.length === 0 ? [] : yield* rowsOf(shown.map(({ id }) => id))
      const gates = rows.length === 0 ? [] : yield* gatesOf(new Set(rows.map((row) => row.workflow_id)))
      const known = new Map(gates.map((row) => [row.workflow_id, { gate: Gates.toGate(row), name: row.name }]))
      const naming = rows.filter((row) => row.queue !== "" && isWaiting(row.status))
      const busy = yield* PgBusyQueues.ofRuns(
        sql,
        naming.map(({ id }) => id),
        now
      )
      return {
        runs: rows.map((row) => {
          const workflow = known.get(row.workflow_id)
          if (workflow === undefined) throw new Error(`Run ${row.id} has no gate`)
          return Runs.toListed(row, { ...workflow, awaitsCredential: busy.has(row.queue) }, now)
        }),
        next: next === null ? null : { at: next.created_at.getTime(), id: RunId.make(next.id) }
      } satisfies ListPage
    }).pipe(withoutSqlErrors)
  )

  const count = Effect.fn("RunStore.count")((workspaceId: WorkspaceId, filter: RunFilter) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const sources = yield* PgRunFilter.sources(sql, workspaceId, filter, now)
      if (filter.text !== undefined) {
        const { found, last } = yield* searched(sources, filter.text, searchedRuns)
        return { count: found.length, isExact: last === null } satisfies Total
      }
      let counted = 0
      for (const { from, where } of sources) {
        const [row] = yield* sql<{ readonly n: number }>`
          select count(*)::int as n from (select from ${from} where ${where} limit ${mostCounted + 1 - counted}) found`
        counted += row?.n ?? 0
        if (counted > mostCounted) break
      }
      return { count: Math.min(counted, mostCounted), isExact: counted <= mostCounted } satisfies Total
    }).pipe(withoutSqlErrors)
  )

  return { list, count }
}
