/** Waits for a promise with a time limit. */

/**
 * The result of some work within a number of milliseconds; `null` if it fails or takes longer. The work itself
 * continues.
 */
export const within = async <A>(millis: number, work: Promise<A>): Promise<A | null> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, millis, null)
  })
  return Promise.race([work.catch(() => null), late]).finally(() => clearTimeout(timer))
}
