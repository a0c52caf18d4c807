/**
 * A watchdog of the event loop: the longest time that a turn blocked it, in processor time.
 *
 * A turn of the loop is measured in processor time of the main thread where the platform reports it, so that a busy machine
 * does not look like a busy loop.
 */
import { readFileSync } from "node:fs"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { Effect } from "effect"
import { slowdown } from "./processorTime.ts"

export interface Held {
  /** The processor time of the main thread in its longest turn, in milliseconds. */
  readonly processorMillis: number
  /** The longest delay of a timer, in milliseconds. It grows on a busy machine. */
  readonly wallMillis: number
}

export interface Watchdog {
  /** The processor time of the longest turn since the last call, in milliseconds. */
  readonly lap: () => number
  /** Ends the watch. */
  readonly stop: () => Held
}

/** Begins to watch the calling thread, which must be the main thread. */
export const start = (): Watchdog => {
  const histogram = monitorEventLoopDelay({ resolution: 5 })
  histogram.enable()
  let last = processorMillis()
  let longest = 0
  let inLap = 0
  const look = (): void => {
    const now = processorMillis()
    longest = Math.max(longest, now - last)
    inLap = Math.max(inLap, now - last)
    last = now
  }
  const timer = setInterval(look, beatMillis)
  return {
    lap: () => {
      look()
      const held = inLap
      inLap = 0
      return held
    },
    stop: () => {
      look()
      clearInterval(timer)
      histogram.disable()
      return { processorMillis: longest, wallMillis: histogram.max / 1e6 }
    }
  }
}

/**
 * Repeats the same work until a round blocks the loop for less than the bound, and returns the last result with the least
 * time. That excludes a garbage collection in a single round; the cost of the work itself is in every round. What earlier
 * work left in memory is collected before a repetition, and before work that cannot be repeated; not always, because it
 * takes as long as many requests. A round over the bound counts as on the machine of the bounds (`slowdown`).
 */
export const least = Effect.fnUntraced(function* <A, E, R>(
  boundMillis: number,
  act: Effect.Effect<A, E, R>,
  rounds = 8
) {
  let heldMillis = Number.POSITIVE_INFINITY
  for (let round = 1; ; round++) {
    if (round > 1 || rounds === 1) collect()
    const watchdog = start()
    const value = yield* Effect.onError(act, () => Effect.sync(watchdog.stop))
    const held = watchdog.stop().processorMillis
    heldMillis = Math.min(heldMillis, held < boundMillis ? held : held / slowdown(held / boundMillis))
    if (heldMillis < boundMillis || round === rounds) return { value, heldMillis }
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
