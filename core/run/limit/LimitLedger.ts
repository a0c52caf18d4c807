/** What limits allow the runs of one claim, and what the claim has given of that so far. */
import * as NamedLimit from "./NamedLimit.ts"

export interface LimitLedger {
  /** Adds limits as they were read. One that is known already is replaced, and what was given of it still counts. */
  readonly know: (limits: ReadonlyArray<NamedLimit.UsedLimit>) => void
  /** The known limits that a run draws on. */
  readonly of: (run: NamedLimit.Drawing) => ReadonlyArray<NamedLimit.UsedLimit>
  /** The first known limit that allows this run no start, with what was given of it; `null` where all allow one. */
  readonly spent: (run: NamedLimit.Drawing) => NamedLimit.UsedLimit | null
  /** Counts the start of a run for each known limit that it draws on. */
  readonly take: (run: NamedLimit.Drawing) => void
  /** The tags that are named by limits which allow no start. */
  readonly spentTags: (workspaceId: string) => ReadonlyArray<string>
  /** The limits of which starts were taken, with what is taken of their minute by these. */
  readonly taken: () => ReadonlyArray<{ readonly id: string; readonly takenUntil: number }>
}

export const make = (now: number): LimitLedger => {
  const known = new Map<string, NamedLimit.UsedLimit>()
  const given = new Map<string, number>()
  const of = (run: NamedLimit.Drawing) =>
    [...known.values()].filter(
      ({ limit, workspaceId }) => workspaceId === run.workspaceId && NamedLimit.drawsOn(limit, run)
    )
  const isSpent = ({ limit, running, takenUntil }: NamedLimit.UsedLimit) =>
    NamedLimit.allowance(limit, { running, takenUntil }, now) <= (given.get(limit.id) ?? 0)
  const withGiven = (one: NamedLimit.UsedLimit): NamedLimit.UsedLimit => {
    const starts = given.get(one.limit.id) ?? 0
    const takenUntil = NamedLimit.afterStarts(one.limit, one.takenUntil, starts, now)
    return { ...one, running: one.running + starts, takenUntil }
  }
  return {
    know: (limits) => {
      for (const one of limits) known.set(one.limit.id, one)
    },
    of,
    spent: (run) => {
      const found = known.size === 0 ? undefined : of(run).find(isSpent)
      return found === undefined ? null : withGiven(found)
    },
    take: (run) => {
      for (const { limit } of of(run)) given.set(limit.id, (given.get(limit.id) ?? 0) + 1)
    },
    spentTags: (workspaceId) => [
      ...new Set(
        [...known.values()].flatMap((one) =>
          one.workspaceId === workspaceId && one.limit.tags.length > 0 && isSpent(one) ? one.limit.tags : []
        )
      )
    ],
    taken: () =>
      [...given.keys()].flatMap((id) => {
        const one = known.get(id)
        if (one === undefined) return []
        const { takenUntil } = withGiven(one)
        return takenUntil === one.takenUntil ? [] : [{ id, takenUntil }]
      })
  }
}

/** A limit as a run that waits for it says so. */
export const spentLimit = (
  { limit, running, takenUntil }: NamedLimit.UsedLimit,
  at: number
): NamedLimit.SpentLimit => ({
  limit: limit.name,
  until: NamedLimit.nextChangeAt(limit, { running, takenUntil }, at)
})
