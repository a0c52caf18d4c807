/**
 * The memory of pages, in their own processes and in the shared processes of a browser.
 *
 * Blobs, caches, databases and textures of a page are in the shared processes, which do not report their owner. Their
 * growth is charged to the pages that ran in that period, in proportion to their processor time, and credited in
 * proportion when they shrink. A page that works beside one that fills memory may therefore be charged for a part of
 * it.
 */

export interface Measured {
  readonly pid: number
  readonly type: string
  /** The private memory of the process, in bytes. */
  readonly bytes: number
  /** Processor time since its start, in any unit that all processes share. */
  readonly time: number
}

export interface Charges {
  /** The memory of the shared processes at the last measurement, in bytes. */
  readonly shared: number
  /** The processor time of each page process at the last measurement. */
  readonly times: ReadonlyMap<number, number>
  /** The memory charged to each page process, in bytes. */
  readonly charged: ReadonlyMap<number, number>
}

const isPage = ({ type }: Measured): boolean => type === "renderer"

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((total, one) => total + one, 0)

/** The charges after a measurement; `null` before the first one, which charges no page. */
export const charge = (before: Charges | null, processes: ReadonlyArray<Measured>): Charges => {
  const shared = sum(processes.filter((process) => !isPage(process)).map(({ bytes }) => bytes))
  const pages = processes.filter(isPage)
  const times = new Map(pages.map(({ pid, time }) => [pid, time]))
  if (before === null) return { shared, times, charged: new Map() }
  const growth = shared - before.shared
  const used = new Map(pages.map(({ pid, time }) => [pid, Math.max(time - (before.times.get(pid) ?? 0), 0)]))
  const [allUsed, allCharged] = [sum([...used.values()]), sum([...before.charged.values()])]
  const kept = growth >= 0 || allCharged === 0 ? 1 : Math.max(1 + growth / allCharged, 0)
  const added = growth > 0 && allUsed > 0 ? growth / allUsed : 0
  return {
    shared,
    times,
    charged: new Map(
      pages.map(({ pid }) => [pid, (before.charged.get(pid) ?? 0) * kept + (used.get(pid) ?? 0) * added])
    )
  }
}

/** The page processes charged with more than `limit` bytes, and their charges. */
export const tooLarge = (
  processes: ReadonlyArray<Measured>,
  { charged }: Charges,
  limit: number
): ReadonlyArray<number> =>
  processes.flatMap((process) =>
    isPage(process) && process.bytes + (charged.get(process.pid) ?? 0) > limit ? [process.pid] : []
  )
