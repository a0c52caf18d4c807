/**
 * How long the turns of the event loop are: the processor time of the main thread in its longest turn, as a multiple of a
 * fixed work in the same process.
 */
import { readFileSync } from "node:fs"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { Effect } from "effect"
import { relative } from "./relativeCost.ts"

/** What a caller may hold the event loop for, in fixed works: ten are some 400 ms. A fault takes seconds. */
export const most = 10

export interface Watch {
  /** The longest turn since the last call, in fixed works, to be compared with a bound. */
  readonly lap: (bound?: number) => number
  readonly stop: () => void
}

/** Begins to watch the calling thread, which must be the main thread. */
export const start = (): Watch => {
  let last = processorMillis()
  let longest = 0
  const look = (): void => {
    const now = processorMillis()
    longest = Math.max(longest, now - last)
    last = now
  }
  const timer = setInterval(look, beatMillis)
  return {
    lap: (bound = most) => {
      look()
      const cost = relative(longest, bound)
      // The fixed work is none of what is watched.
      last = processorMillis()
      longest = 0
      return cost
    },
    stop: () => clearInterval(timer)
  }
}

/**
 * Repeats the same work until its longest turn is below the bound, and returns the last result with the least cost, in fixed
 * works. That excludes a garbage collection in a single round; the cost of the work itself is in every round. What earlier
 * work left in memory is collected before a repetition, and before work that cannot be repeated; not always, because it
 * takes as long as many requests.
 */
export const least = Effect.fnUntraced(function* <A, E, R>(act: Effect.Effect<A, E, R>, bound = most, rounds = 8) {
  let cost = Number.POSITIVE_INFINITY
  for (let round = 1; ; round++) {
    if (round > 1 || rounds === 1) collect()
    const watch = start()
    const value = yield* Effect.ensuring(act, Effect.sync(watch.stop))
    cost = Math.min(cost, watch.lap(bound))
    if (cost < bound || round === rounds) return { value, cost }
  }
})

/** Collects the garbage of the process. */
const collect = (): void => {
  setFlagsFromString("--expose-gc")
  const gc: unknown = runInNewContext("gc")
  if (typeof gc === "function") gc()
}

/** A late beat covers at least one turn. A short interval makes a beat cover few turns. */
const beatMillis = 5

/** The processor time that the main thread has used, in milliseconds. */
const processorMillis = (): number => {
  try {
    // The first field of schedstat is in nanoseconds.
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8").split(" ", 1)[0]) / 1e6
  } catch {
    return process.cpuUsage().user / 1e3
  }
}
