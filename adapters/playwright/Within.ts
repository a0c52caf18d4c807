/**
 * Waits for what may never come.
 */

/** What comes of some work within so many milliseconds; `null` when it fails or takes longer. It goes on all the same. */
export const within = async <A>(millis: number, work: Promise<A>): Promise<A | null> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, millis, null)
  })
  return Promise.race([work.catch(() => null), late]).finally(() => clearTimeout(timer))
}
