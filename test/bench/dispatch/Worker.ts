/**
 * What the bench of dispatch and its worker processes say to each other: the bench names the work in the one argument of
 * a process and tells it when to begin; the process answers how many runs it has finished and when runs began.
 */

export interface Work {
  readonly url: string
  readonly name: string
  /** The number of runs at a time. */
  readonly capacity: number
  /** Whether the process tells when each run begins. */
  readonly tellsStarts: boolean
  /** The module of the reference, for its worker. */
  readonly reference: string | null
}

export type Said =
  | { readonly is: "ready" }
  | { readonly is: "finished"; readonly count: number }
  | { readonly is: "began"; readonly at: number }

/** The instant in milliseconds with fractions, comparable between processes of one machine. */
export const instant = (): number => performance.timeOrigin + performance.now()

/** The messages by which a worker process reports to the bench. */
export const telling = ({ tellsStarts }: Work) => {
  const say = (said: Said) => process.send?.(said)
  let count = 0
  setInterval(() => {
    if (count > 0) say({ is: "finished", count })
    count = 0
  }, 20)
  return {
    began: () => void (tellsStarts && say({ is: "began", at: instant() })),
    finished: () => void count++,
    /** Reports that the process is ready, and waits for the message to begin. */
    ready: () =>
      new Promise<void>((resolve) => {
        process.once("message", () => resolve())
        say({ is: "ready" })
      })
  }
}

/** The work of this process. */
export const given = (): Work => JSON.parse(process.argv[2] ?? "") as Work
