/**
 * Which entries a stream of a client may give: each once, those of a run in their order, and none before its submitter
 * received the id of the run.
 */
import type { Entry } from "../EventLog.ts"

/** How long the events of a run are delayed at most, until its submitter has its id, in milliseconds. */
export const longestDelay = 2_000

export class Admission {
  /** The sequence of the last entry of each run. */
  readonly #last = new Map<string, number>()
  /** The entries of runs that are kept back. */
  readonly #keptBack = new Map<string, Array<Entry>>()
  /** The runs whose last entry was given. */
  readonly #ended = new Set<string>()
  readonly #isAnnounced: (runId: string) => boolean

  /** `isAnnounced` is true when the submitter of a run has its id. */
  constructor(isAnnounced: (runId: string) => boolean) {
    this.#isAnnounced = isAnnounced
  }

  /** Of entries in their order, those that are new and may be given at `now`. New ones that may not are kept back. */
  admit(entries: ReadonlyArray<Entry>, now: number): ReadonlyArray<Entry> {
    return entries.filter((entry) => {
      if (entry.sequence <= (this.#last.get(entry.runId) ?? 0)) return false
      this.#last.set(entry.runId, entry.sequence)
      const before = this.#keptBack.get(entry.runId)
      if (before !== undefined) before.push(entry)
      else if (!this.#mayBegin(entry, now)) this.#keptBack.set(entry.runId, [entry])
      else return true
      return false
    })
  }

  /** The entries that were kept back and may be given at `now`. */
  release(now: number): ReadonlyArray<Entry> {
    return [...this.#keptBack].flatMap(([runId, entries]) => {
      const [first] = entries
      if (first === undefined || !this.#mayBegin(first, now)) return []
      this.#keptBack.delete(runId)
      return entries
    })
  }

  /** The first instant at which entries that are kept back may be given; infinite if there are none. */
  firstDue(): number {
    return Math.min(...[...this.#keptBack.values()].map(([first]) => (first?.submittedAt ?? 0) + longestDelay))
  }

  /** Notes that the last entry of a run was given. Older ones of it may still arrive, and are not given again. */
  end(runId: string): void {
    this.#ended.add(runId)
  }

  /** Forgets the runs that have ended. Call it when no entry of theirs can arrive. */
  forgetEnded(): void {
    for (const runId of this.#ended) this.#last.delete(runId)
    this.#ended.clear()
  }

  #mayBegin({ runId, submittedAt }: Entry, now: number): boolean {
    return this.#isAnnounced(runId) || submittedAt + longestDelay <= now
  }
}
