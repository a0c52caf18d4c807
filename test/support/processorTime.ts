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
 * collection in a single round, and includes the cost of the work itself, which is in every round.
 */
export const leastMillis = (bound: number, work: () => unknown, rounds = 8): number => {
  let least = processorMillis(work)
  for (let round = 1; round < rounds && least >= bound; round++) least = Math.min(least, processorMillis(work))
  return least
}
