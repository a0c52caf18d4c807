/**
 * The processor time of the calling thread, in milliseconds. Unlike elapsed time, it does not grow when other threads and
 * processes keep the machine busy.
 */

/** The processor time of the thread since it started. */
export const usedMillis = (): number => {
  const { system, user } = process.threadCpuUsage()
  return (system + user) / 1_000
}

/** The processor time that work takes. */
export const processorMillis = (work: () => unknown): number => {
  const began = usedMillis()
  work()
  return usedMillis() - began
}

/**
 * The least processor time of several rounds of the same work, up to the first round below the bound. It excludes a garbage
 * collection in a single round, and includes the cost of the work itself, which is in every round. A round over the bound
 * counts as on the machine of the bounds (`slowdown`).
 */
export const leastMillis = (bound: number, work: () => unknown, rounds = 8): number => {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds && least >= bound; round++) {
    const used = processorMillis(work)
    least = Math.min(least, used < bound ? used : used / slowdown(used / bound))
  }
  return least
}

/** No machine counts as slower than this. */
const mostSlowdown = 4

/**
 * How many times as long a fixed work takes here and now as on the machine that bounds are stated for, from 1 to 4. Other
 * machines are slower, and so is a machine whose neighbours use its caches and its memory: the processor time of all work
 * grows then. What exceeds its bound by more than 4 times, the `excess`, exceeds it on any machine: then it is 4, not measured.
 */
export const slowdown = (excess = 1): number => {
  if (excess > mostSlowdown) return mostSlowdown
  const used = Math.min(...Array.from({ length: 3 }, () => processorMillis(reference)))
  return Math.min(mostSlowdown, Math.max(1, used / referenceMillis))
}

/** The processor time of the fixed work on the machine that bounds are stated for. */
const referenceMillis = 40

/**
 * Reads, writes and searches a megabyte of JSON five times. That uses the processor and the memory, as most bounded work
 * does, and takes many of the ticks of 4 ms in which the kernel counts.
 */
const reference = (): void => {
  for (let pass = 0; pass < 5; pass++) JSON.stringify(JSON.parse(referenceText)).replace(/[0-9]{5}/g, "")
}

const referenceText = JSON.stringify(
  Array.from({ length: 10_000 }, (_, index) => ({ id: index, name: `entry ${index * 7}`, text: "\\ab ".repeat(10) }))
)
