/**
 * The places of a process that owners, such as workspaces, use, so that one owner never takes all of them, and the turns
 * of those that wait for one.
 *
 * Each process keeps count of its own places, which no other process can change: the limit is exact, and costs nothing.
 */

import { Effect } from "effect"

/** Who is given a place next. */
export interface Turns {
  /** Those that use as many places as they may: they are given none. */
  readonly full: ReadonlyArray<string>
  /** Those that were served, the one longest ago first. All others come before them. */
  readonly served: ReadonlyArray<string>
}

/** Everybody has a turn, and nobody was served. */
export const none: Turns = { full: [], served: [] }

/** Orders owners by their turns. */
export const order = ({ served }: Turns): ((one: string, other: string) => number) => {
  const place = new Map(served.map((owner, at) => [owner, at]))
  return (one, other) => (place.get(one) ?? -1) - (place.get(other) ?? -1)
}

/** How a process takes work of owners. */
export interface Taking<Work, E, R> {
  /** How many places one owner may have. */
  readonly most: number
  /** How many places are free. */
  readonly free: number
  readonly take: (next: { readonly limit: number; readonly turns: Turns }) => Effect.Effect<ReadonlyArray<Work>, E, R>
  readonly ownerOf: (work: Work) => string
}

/**
 * Takes work for the free places, of no owner more than it may have, and counts its places. Fails only when nothing was
 * taken.
 */
export const take = Effect.fnUntraced(function* <Work, E, R>(
  shares: Shares,
  { free, most, ownerOf, take }: Taking<Work, E, R>
) {
  const all: Array<Work> = []
  while (all.length < free) {
    const next = shares.next(Math.max(1, most), free - all.length)
    // What was taken before is carried out even if the store has become unreachable since.
    const some = yield* take(next).pipe(
      Effect.catch((error) => (all.length > 0 ? Effect.succeed([]) : Effect.fail(error)))
    )
    for (const work of some) shares.enter(ownerOf(work))
    all.push(...some)
    if (some.length < next.limit) break
  }
  return all
})

export interface Shares {
  /** Counts a place that an owner was given. */
  readonly enter: (owner: string) => void
  /** Counts a place that an owner gave back. */
  readonly leave: (owner: string) => void
  /** Who may be given places next, where one owner may have `most`, and how many at once, so that none gets more. */
  readonly next: (most: number, free: number) => { readonly limit: number; readonly turns: Turns }
}

/** The owners that are remembered. One that is forgotten has its turn as if it was never served. */
const mostServed = 1_000

export const make = (): Shares => {
  const used = new Map<string, number>()
  // In the order of their last turn.
  const served = new Set<string>()
  return {
    enter: (owner) => {
      used.set(owner, (used.get(owner) ?? 0) + 1)
      served.delete(owner)
      served.add(owner)
      for (const oldest of served) {
        if (served.size <= mostServed) break
        served.delete(oldest)
      }
    },
    leave: (owner) => {
      const left = (used.get(owner) ?? 0) - 1
      if (left > 0) used.set(owner, left)
      else used.delete(owner)
    },
    next: (most, free) => {
      const counts = [...used]
      const full = counts.flatMap(([owner, count]) => (count >= most ? [owner] : []))
      const largest = Math.max(0, ...counts.flatMap(([, count]) => (count < most ? [count] : [])))
      return { limit: Math.min(free, most - largest), turns: { full, served: [...served] } }
    }
  }
}
