/** Counts of runs by status and by hold, made of single totals. */
import { Effect } from "effect"
import * as Run from "../Run.ts"
import { type Counts, mostCounted, type Total } from "../RunStore.ts"
import { HoldReason, type RunFilter } from "./RunFilter.ts"

/** The total of so many runs, which is exact up to `mostCounted`. */
export const totalOf = (count: number): Total => ({
  count: Math.min(count, mostCounted),
  isExact: count <= mostCounted
})

/** The counts of the runs that satisfy a filter, by what counts the runs of one filter. */
export const by = <E, R>(
  filter: RunFilter,
  count: (filter: RunFilter) => Effect.Effect<Total, E, R>
): Effect.Effect<Counts, E, R> => {
  const counted = <A>(all: ReadonlyArray<A>, asked: ReadonlyArray<A> | undefined, as: (one: A) => RunFilter) =>
    Effect.forEach(
      all.filter((one) => asked?.includes(one) ?? true),
      (one) => Effect.map(count({ ...filter, ...as(one) }), (total) => [one, total] as const)
    )
  return Effect.gen(function* () {
    const statuses = yield* counted(Run.Status.literals, filter.statuses, (status) => ({ statuses: [status] }))
    const holds = yield* counted(HoldReason.literals, filter.holds, (hold) => ({ holds: [hold] }))
    // Every run reads as one status. With a text, only so many of the newest runs are examined, whatever their status.
    const total = filter.text === undefined ? sumOf(statuses.map(([, one]) => one)) : yield* count(filter)
    return { total, statuses, holds }
  })
}

const sumOf = (totals: ReadonlyArray<Total>): Total => {
  const { count, isExact } = totalOf(totals.reduce((sum, one) => sum + one.count, 0))
  return { count, isExact: isExact && totals.every((one) => one.isExact) }
}
