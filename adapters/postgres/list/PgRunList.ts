/**
 * Lists and counts the runs of a workspace in PostgreSQL.
 *
 * Statements over many runs are not prepared: from their sixth execution on, PostgreSQL may plan a prepared statement for
 * any values instead of the given ones, of which one label may have 40,000 runs and another three.
 */
import { Clock, Effect, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import * as RunCounts from "../../../core/run/list/RunCounts.ts"
import {
  asSearched,
  HoldReason,
  type RunFilter,
  searchedCharacters,
  searchedRuns
} from "../../../core/run/list/RunFilter.ts"
import * as Run from "../../../core/run/Run.ts"
import {
  byCount,
  type Filter,
  type ListPage,
  mostCounted,
  mostNamed,
  type Tally,
  type Total
} from "../../../core/run/RunStore.ts"
import { RunId, WorkflowId, type WorkspaceId } from "../../../core/workspace/Ids.ts"
import { withoutSqlErrors } from "../Transaction.ts"
import * as Evidence from "../tables/Evidence.ts"
import * as Gates from "../tables/Gates.ts"
import * as Runs from "../tables/Runs.ts"
import * as Table from "../tables/Table.ts"
import * as PgBusyQueues from "./PgBusyQueues.ts"
import * as PgRunFilter from "./PgRunFilter.ts"
import { arrayOf, type Source } from "./PgRunSource.ts"
import * as PgWaitingCounts from "./PgWaitingCounts.ts"

const isWaiting = Schema.is(Run.Waiting)

type PageRow = Runs.ListedRow & { readonly found: boolean }

interface TallyRow {
  readonly kind: "runs" | "examined" | "workflow" | "error" | "tag"
  readonly value: string | null
  readonly n: number
  readonly name: string | null
}

type GateRow = Gates.Row & Gates.LimitedRow & { readonly name: string }

/** Maximum number of the newest runs of a label that are looked up one by one. */
const mostLookedUp = 4_000

/** Columns of the runs, and what they are called afterwards. */
interface Columns {
  readonly columns: Statement.Fragment
  readonly names: Statement.Fragment
}

/** The first runs of all sources, newest first, with further columns. */
const merging = (sql: SqlClient.SqlClient) => (sources: ReadonlyArray<Source>, limit: number, more?: Columns) => {
  const further = more === undefined ? sql`` : sql`, ${more.columns}`
  const named = more === undefined ? sql`` : sql`, ${more.names}`
  const newest = (source: Source) => {
    const { by, each, from, lookup, status, withRuns } = source
    // As a subquery the status is unknown to the planner, which would then sort instead of using the index of all
    // waiting runs.
    const where = status === null ? source.where : sql`${source.where} and runs.status = (select ${status}::text)`
    const place = (of: Source["by"]) => sql`${sql(`${of}.created_at`)} desc, ${sql(`${of}.sequence`)} desc`
    const id = by === "label" ? sql`label.run_id as id` : sql`runs.id`
    const columns = sql`${id}, ${sql(`${by}.created_at`)}, ${sql(`${by}.sequence`)} ${further}`
    if (each?.length === 1) {
      return sql`(select ${columns} from ${more === undefined ? from : withRuns}
        where runs.workflow_id = ${each[0]}::uuid and ${where} order by ${place(by)} limit ${limit})`
    }
    if (each !== null) {
      return sql`(select of_each.* from unnest(${arrayOf(each)}::uuid[]) as workflow (id), lateral (
            select ${columns} from ${more === undefined ? from : withRuns}
            where runs.workflow_id = workflow.id and ${where} order by ${place(by)} limit ${limit}) of_each
          order by of_each.created_at desc, of_each.sequence desc limit ${limit})`
    }
    const all = sql`select ${columns} from ${more === undefined ? from : withRuns} where ${where}`
    if (lookup === null || limit > mostLookedUp) return sql`(${all} order by ${place(by)} limit ${limit})`
    // A condition that many runs of the label satisfy fills the page from the newest of them. If it does not, the
    // planner decides how to read all of them, and does so for a complete result.
    const examined = Math.min(limit * 10, mostLookedUp)
    return sql`(
        with label as materialized (
          select label.* from ${lookup.labels.from} where ${lookup.labels.where} order by ${place("label")} limit ${examined}),
        near as materialized (
          select ${columns} from label ${lookup.runs.from} where ${lookup.runs.where}
          order by ${place("label")} limit ${limit}),
        is_enough as materialized (
          select (select count(*) from near) = ${limit} or (select count(*) from label) < ${examined} as yes)
        select * from near where (select yes from is_enough)
        union all
        select * from (${all} order by ${place(by)} limit ${limit}) far where not (select yes from is_enough))`
  }
  const all = sources.map(newest)
  const [first, ...rest] =
    all.length === 0 ? [sql`(select id, created_at, sequence ${further} from runs where false)`] : all
  const together = rest.reduce<Statement.Fragment>((before, one) => sql`${before} union all ${one}`, first ?? sql``)
  return sql`select id, created_at, sequence ${named} from (${together}) found
    order by created_at desc, sequence desc limit ${limit}`
}

/**
 * The code and the message of each failure in the JSON of the failures of a run. The database does not read JSON with every
 * character that a message may have.
 */
const failureTexts = String.raw`"(?:code|message)":("(?:[^"\\]|\\.)*")`

/**
 * The newest runs of all sources that are examined for a text, with further columns; `found` says whether the run has the
 * text, as `RunFilter.contains` does.
 */
const searching = (sql: SqlClient.SqlClient) => {
  const merged = merging(sql)
  return (text: string, sources: ReadonlyArray<Source>, more?: Columns) => {
    const searched = asSearched(text)
    // To count characters takes longer than to search them, and so many bytes have no more characters.
    const inColumn = (column: string) => sql`position(${searched} in lower(
      case when octet_length(${sql(column)}) <= ${searchedCharacters} then ${sql(column)}
        else left(${sql(column)}, ${searchedCharacters}) end collate "C")) > 0`
    const inErrors = sql`(errors <> '[]' and exists (select from regexp_matches(errors, ${failureTexts}, 'g') as part
      where position(${searched} in lower(left(part[1], ${searchedCharacters}) collate "C")) > 0))`
    const found = sql`(${inColumn("input")} or ${inColumn("data")} or ${inErrors}) as found`
    const names = more === undefined ? sql`` : sql`, ${more.names}`
    const all = sql`select id, created_at, sequence ${names}, ${found}`
    // A label is read without the rows of its runs. Their texts are looked up one by one, as a plain join may read all runs.
    if (sources.some(({ by }) => by === "label")) {
      return sql`${all} from (${merged(sources, searchedRuns, more)}) examined
        cross join lateral (select input, data, errors from runs where runs.id = examined.id offset 0) texts`
    }
    const texts = { columns: sql`runs.input, runs.data, runs.errors`, names: sql`input, data, errors` }
    const read =
      more === undefined
        ? texts
        : { columns: sql`${more.columns}, ${texts.columns}`, names: sql`${more.names}, ${texts.names}` }
    return sql`${all} from (${merged(sources, searchedRuns, read)}) examined`
  }
}

/** The numbers of runs that satisfy a filter. */
const counting = (sql: SqlClient.SqlClient) => {
  const searched = searching(sql)

  /** The total of a filter for waiting runs only, if a pass over all of them determines it. */
  const countOfWaiting = Effect.fnUntraced(function* (workspaceId: WorkspaceId, filter: RunFilter, now: number) {
    const { holds, statuses } = filter
    const isOfWaiting =
      statuses === undefined ? holds !== undefined : statuses.length > 0 && statuses.every(PgRunFilter.isUnstarted)
    if (!isOfWaiting || !PgWaitingCounts.knows(filter)) return null
    const { ofHold, ofStatus } = yield* PgRunFilter.waitingConditions(sql, workspaceId, now)
    const { counts, isComplete } = yield* PgWaitingCounts.count(sql, workspaceId, filter, {
      conditions: [
        sql.and([
          sql`true`,
          ...(statuses === undefined ? [] : [ofStatus(statuses)]),
          ...(holds === undefined ? [] : [ofHold(holds)])
        ])
      ],
      now
    })
    const [counted = 0] = counts
    return isComplete || counted > mostCounted ? RunCounts.totalOf(counted) : null
  })

  const count = Effect.fn("RunStore.count")((workspaceId: WorkspaceId, filter: RunFilter) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      return (yield* countOfWaiting(workspaceId, filter, now)) ?? (yield* countBySources(workspaceId, filter, now))
    }).pipe(withoutSqlErrors)
  )

  const countBySources = (workspaceId: WorkspaceId, filter: RunFilter, now: number) =>
    Effect.gen(function* () {
      const sources = yield* PgRunFilter.sources(sql, workspaceId, filter, now)
      if (filter.text !== undefined) {
        const [row] = yield* sql<{ readonly n: number; readonly examined: number }>`
          select count(*) filter (where found)::int as n, count(*)::int as examined
          from (${searched(filter.text, sources)}) examined`.unprepared
        return { count: row?.n ?? 0, isExact: (row?.examined ?? 0) < searchedRuns } satisfies Total
      }
      let counted = 0
      for (const { each, from, status, where } of sources) {
        const ofStatus = status === null ? sql`true` : sql`runs.status = ${status}`
        const place = each === null ? sql`true` : sql`runs.workflow_id = any(${arrayOf(each)}::uuid[])`
        const [row] = yield* sql<{ readonly n: number }>`
          select count(*)::int as n from (select from ${from} where ${place} and ${ofStatus} and ${where} limit ${mostCounted + 1 - counted}) found`
          .unprepared
        counted += row?.n ?? 0
        if (counted > mostCounted) break
      }
      return RunCounts.totalOf(counted)
    })

  /**
   * Counts all in one pass if that determines the result; numbers that the pass did not complete are counted
   * separately.
   */
  const counts = Effect.fn("RunStore.counts")((workspaceId: WorkspaceId, filter: RunFilter) =>
    Effect.gen(function* () {
      if (filter.statuses !== undefined || filter.holds !== undefined || !PgWaitingCounts.knows(filter)) {
        return yield* RunCounts.by(filter, (one) => count(workspaceId, one))
      }
      const now = yield* Clock.currentTimeMillis
      const statuses = Run.Status.literals.filter(PgRunFilter.isUnstarted)
      const holds = HoldReason.literals.filter((hold) => PgWaitingCounts.knows({ holds: [hold] }))
      const { ofHold, ofStatus } = yield* PgRunFilter.waitingConditions(sql, workspaceId, now)
      const { counts, isComplete } = yield* PgWaitingCounts.count(sql, workspaceId, filter, {
        conditions: [...statuses.map((status) => ofStatus([status])), ...holds.map((hold) => ofHold([hold]))],
        now
      })
      const known = new Map<Run.Status | HoldReason, Total>(
        [...statuses, ...holds].flatMap((one, place) => {
          const counted = counts[place] ?? 0
          return isComplete || counted > mostCounted ? [[one, RunCounts.totalOf(counted)] as const] : []
        })
      )
      return yield* RunCounts.by(filter, (one) => {
        const [asked] = one.statuses ?? one.holds ?? []
        const total = asked === undefined ? undefined : known.get(asked)
        return total === undefined ? countBySources(workspaceId, one, now) : Effect.succeed(total)
      })
    }).pipe(withoutSqlErrors)
  )

  return { count, counts }
}

/** Counts the values of the newest runs of a filter. */
const tallying = (sql: SqlClient.SqlClient) => {
  const merged = merging(sql)
  const searched = searching(sql)
  return Effect.fn("RunStore.tally")((workspaceId: WorkspaceId, filter: RunFilter) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const sources = yield* PgRunFilter.sources(sql, workspaceId, filter, now)
      const examined = filter.text === undefined ? mostCounted + 1 : searchedRuns
      const more = {
        columns: sql`runs.workflow_id, runs.tags, runs.errors <> '[]' as failed`,
        names: sql`workflow_id, tags, failed`
      }
      const candidates =
        filter.text === undefined
          ? sql`select *, true as found from (${merged(sources, examined, more)}) examined`
          : searched(filter.text, sources, more)
      const rows = yield* sql<TallyRow>`
        with candidates as materialized (${candidates}),
        counted as materialized (select * from candidates where found limit ${mostCounted}),
        workflow as (
          select workflow_id::text as value, count(*)::int as n from counted group by 1 order by n desc, 1
          limit ${mostNamed}),
        error as (
          select error_code as value, count(*)::int as n
          from (select id from counted where failed) failure
          cross join lateral (select distinct error_code from run_errors where run_id = failure.id offset 0) of_run
          group by 1 order by n desc limit ${mostNamed}),
        tag as (
          select tag as value, count(*)::int as n from (select tags from counted where tags <> '{}') tagged, unnest(tags) tag
          group by 1 order by n desc limit ${mostNamed})
        select 'runs' as kind, null as value, (select count(*)::int from counted) as n, null as name
        union all select 'examined', null, (select count(*)::int from candidates), null
        union all select 'workflow', value, n, name from workflow join workflows on id = value::uuid
        union all select 'error', value, n, null from error
        union all select 'tag', value, n, null from tag`.unprepared
      const of = (kind: TallyRow["kind"]) => rows.filter((row) => row.kind === kind)
      const only = (kind: TallyRow["kind"]) => of(kind)[0]?.n ?? 0
      const named = (kind: TallyRow["kind"]) => of(kind).map(({ n, value }) => ({ value: value ?? "", count: n }))
      return {
        runs: only("runs"),
        isComplete: only("examined") < examined,
        workflows: of("workflow")
          .map(({ n, name, value }) => ({
            id: WorkflowId.make(value ?? ""),
            value: value ?? "",
            name: name ?? "",
            count: n
          }))
          .sort(byCount)
          .map(({ count, id, name }) => ({ id, name, count })),
        errorCodes: named("error")
          .map(({ count, value }) => ({ value: Evidence.toCode({ error_code: value }), count }))
          .sort(byCount),
        tags: named("tag").sort(byCount)
      } satisfies Tally
    }).pipe(withoutSqlErrors)
  )
}

export const make = (sql: SqlClient.SqlClient) => {
  const merged = merging(sql)
  const searched = searching(sql)

  /**
   * The runs of a page and one more, newest first. With a text, the last of the runs that were examined for it comes
   * with them, if there may be more behind it.
   */
  const pageOf = (sources: ReadonlyArray<Source>, { limit, text }: Filter) => {
    const shown = sql`${Table.names(sql, Runs.listed, "runs")}, runs.sequence`
    if (text === undefined) {
      return sql<PageRow>`
        with page as materialized (${merged(sources, limit + 1)})
        select ${shown}, true as found from page join runs using (id)
        order by runs.created_at desc, runs.sequence desc`.unprepared
    }
    return sql<PageRow>`
      with examined as materialized (${searched(text, sources)}),
      page as (
        (select id, true as found from examined where found order by created_at desc, sequence desc limit ${limit + 1})
        union all
        (select id, false from examined where (select count(*) from examined) = ${searchedRuns}
          order by created_at, sequence limit 1))
      select ${shown}, found from page join runs using (id)
      order by page.found desc, runs.created_at desc, runs.sequence desc`.unprepared
  }

  const gatesOf = (workflowIds: ReadonlySet<string>) => sql<GateRow>`
    select gates.*, workflows.name
    from gates join workflows on workflows.id = workflow_id where workflow_id = any(${arrayOf([...workflowIds])}::uuid[])`

  const list = Effect.fn("RunStore.list")((workspaceId: WorkspaceId, filter: Filter) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const sources = yield* PgRunFilter.sources(sql, workspaceId, filter, now)
      const page = yield* pageOf(sources, filter)
      const found = page.filter((row) => row.found)
      const rows = found.slice(0, filter.limit)
      const next = found.length > filter.limit ? rows.at(-1) : page.find((row) => !row.found)
      const gates = rows.length === 0 ? [] : yield* gatesOf(new Set(rows.map((row) => row.workflow_id)))
      const known = new Map(gates.map((row) => [row.workflow_id, { gate: Gates.toGate(row), name: row.name }]))
      const waiting = rows.filter((row) => isWaiting(row.status))
      const limited = new Set(gates.filter((row) => row.limited !== null).map((row) => row.workflow_id))
      const busy = yield* PgBusyQueues.ofRuns(
        sql,
        waiting,
        waiting.filter((row) => limited.has(row.workflow_id)),
        now
      )
      return {
        runs: rows.map((row) => {
          const workflow = known.get(row.workflow_id)
          if (workflow === undefined) throw new Error(`Run ${row.id} has no gate`)
          return Runs.toListed(row, { ...workflow, awaited: busy.awaitedBy(row) }, now)
        }),
        next: next === undefined ? null : { at: next.created_at.getTime(), id: RunId.make(next.id) }
      } satisfies ListPage
    }).pipe(withoutSqlErrors)
  )

  return { list, ...counting(sql), tally: tallying(sql) }
}
