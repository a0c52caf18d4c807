/**
 * The runs that a process has claimed, as their rows were then: the end of a run whose row was not written since is
 * decided without reading it again.
 *
 * That a row was not written is checked when the end is written. Code of this process that writes the row of a claimed
 * run, or appends a file to the run, forgets the run here first: an end is decided without its files, and the check would
 * fail.
 */
import type { RunningRun } from "../../../core/run/Run.ts"
import type { LeaseRef } from "../../../core/run/RunStore.ts"

export interface HeldRun {
  readonly run: RunningRun
  /** The `xmin` of its row. */
  readonly seen: string
}

export interface HeldRuns {
  readonly keep: (held: HeldRun) => void
  readonly get: (lease: LeaseRef) => HeldRun | undefined
  readonly forget: (lease: LeaseRef) => void
}

/** Ends that are lost leave their runs here, until this many later ones were claimed. */
const most = 1_000

/** Runs whose input and output have more characters than this are not kept. */
const longest = 8_192

/** The key of a lease in a map. */
export const keyOf = ({ fence, id }: LeaseRef): string => `${id} ${fence}`

export const make = (): HeldRuns => {
  const all = new Map<string, HeldRun>()
  return {
    keep: (held) => {
      const { attempts, data, id, input, lease } = held.run
      // Earlier attempts may have brought files.
      if (attempts > 1 || JSON.stringify([input, data]).length > longest) return
      all.set(keyOf({ id, fence: lease.fence }), held)
      const [oldest] = all.keys()
      if (all.size > most && oldest !== undefined) all.delete(oldest)
    },
    get: (lease) => all.get(keyOf(lease)),
    forget: (lease) => void all.delete(keyOf(lease))
  }
}
