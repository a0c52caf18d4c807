/** Lists and counts of runs in memory. */
import { Clock, Effect } from "effect"
import { codeOf } from "../../../core/run/evidence/ErrorReports.ts"
import type * as Waits from "../../../core/run/hold/Waits.ts"
import * as RunCounts from "../../../core/run/list/RunCounts.ts"
import * as RunFilter from "../../../core/run/list/RunFilter.ts"
import * as Run from "../../../core/run/Run.ts"
import {
  byCount,
  type Filter,
  type ListedRun,
  type ListPage,
  mostCounted,
  mostNamed,
  type RunStore,
  type Tally,
  type Total,
  type ValueCount
} from "../../../core/run/RunStore.ts"
import { WorkflowId, type WorkspaceId } from "../../../core/workspace/Ids.ts"
import * as MemoryNamedLimits from "../run/MemoryNamedLimits.ts"
import { gateOf, type Tables } from "../Tables.ts"

/** The operations of the store that list and count runs. */
export const make = (tables: Tables["Service"]): Pick<RunStore["Service"], "list" | "count" | "counts" | "tally"> => {
  const newestFirst = (workspaceId: WorkspaceId) =>
    [...tables.runs.values()]
      .reverse()
      .filter((run) => run.workspaceId === workspaceId)
      .sort((a, b) => b.createdAt - a.createdAt)

  const facts = (run: Run.Run, at: number): Waits.Facts => ({
    run,
    gate: gateOf(tables, run),
    awaited: MemoryNamedLimits.awaited(tables, run, at),
    at
  })

  const listed = (run: Run.Run, at: number): ListedRun => ({
    ...run,
    status: Run.statusAt(run, gateOf(tables, run), at),
    workflowName: tables.workflows.get(run.workflowId)?.name ?? "",
    holds: RunFilter.holdsOf(facts(run, at)),
    error: run.errors.at(-1) ?? null
  })

  const count = Effect.fn("RunStore.count")((workspaceId: WorkspaceId, filter: RunFilter.RunFilter) =>
    Effect.map(Clock.currentTimeMillis, (now): Total => {
      const { text, ...others } = filter
      const selected = newestFirst(workspaceId).filter((run) => RunFilter.matches(others, facts(run, now)))
      if (text === undefined) {
        return { count: Math.min(selected.length, mostCounted), isExact: selected.length <= mostCounted }
      }
      const examined = selected.slice(0, RunFilter.searchedRuns)
      const count = examined.filter((run) => RunFilter.contains(run, text)).length
      return { count, isExact: examined.length === selected.length }
    })
  )

  return {
    list: Effect.fn("RunStore.list")((workspaceId, filter) =>
      Effect.map(Clock.currentTimeMillis, (now): ListPage => {
        const { limit, text, ...others } = filter
        const selected = newestFirst(workspaceId)
          .filter(behind(filter.before))
          .filter((run) => RunFilter.matches(others, facts(run, now)))
        const examined = text === undefined ? selected : selected.slice(0, RunFilter.searchedRuns)
        const found = examined.filter((run) => text === undefined || RunFilter.contains(run, text))
        const shown = found.slice(0, limit)
        const last = found.length > limit ? shown.at(-1) : examined.length < selected.length ? examined.at(-1) : null
        return {
          runs: shown.map((run) => listed(run, now)),
          next: last == null ? null : { at: last.createdAt, id: last.id }
        }
      })
    ),
    counts: Effect.fn("RunStore.counts")((workspaceId, filter) =>
      RunCounts.by(filter, (one) => count(workspaceId, one))
    ),
    count,
    tally: Effect.fn("RunStore.tally")((workspaceId, filter) =>
      Effect.map(Clock.currentTimeMillis, (now): Tally => {
        const selected = newestFirst(workspaceId).filter((run) => RunFilter.matches(filter, facts(run, now)))
        const counted = selected.slice(0, mostCounted)
        const workflows = tallied(counted, (run) => [run.workflowId])
        return {
          runs: counted.length,
          isComplete: counted.length === selected.length,
          workflows: workflows.map(({ count, value }) => ({
            id: WorkflowId.make(value),
            name: tables.workflows.get(value)?.name ?? "",
            count
          })),
          errorCodes: tallied(counted, ({ errors, id }) => (tables.uncounted.has(id) ? [] : errors.map(codeOf))),
          tags: tallied(counted, ({ tags }) => tags)
        }
      })
    )
  }
}

/** How many runs have each value. */
const tallied = (
  runs: ReadonlyArray<Run.Run>,
  valuesOf: (run: Run.Run) => ReadonlyArray<string>
): ReadonlyArray<ValueCount> => {
  const counts = new Map<string, number>()
  for (const run of runs) {
    for (const value of new Set(valuesOf(run))) counts.set(value, (counts.get(value) ?? 0) + 1)
  }
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort(byCount)
    .slice(0, mostNamed)
}

/** The runs of a sorted list that stand after the place where the page before ended. */
const behind = (before: Filter["before"]) => (run: Run.Run, index: number, sorted: ReadonlyArray<Run.Run>) => {
  if (before === undefined || run.createdAt < before.at) return true
  const place = sorted.findIndex(({ createdAt, id }) => createdAt === before.at && id === before.id)
  return run.createdAt === before.at && place >= 0 && index > place
}
