/**
 * Whether a page is at rest, decided from what is known of it.
 */
/** What is going on in a document. */
export interface Stirring {
  /** Whether a timer is pending that the last act began. */
  readonly actTimer: boolean
  /** Whether a timer is pending that began while the document was loaded. */
  readonly loadTimer: boolean
  /** The same, for one of at most half a second. */
  readonly soonTimer: boolean
  /**
   * When other timers that are pending were begun, of at most half a second each, by the clock of the browser: those that
   * follow each other for at most two seconds count from the first.
   */
  readonly otherTimers: ReadonlyArray<number>
  /** Whether the document has a script that is a module, which may wait for what it asks for. */
  readonly modules: boolean
  /** Whether the document is loaded, with all that it shows. */
  readonly loaded: boolean
  /** How long ago the document last changed other than by an act, in milliseconds. */
  readonly changedMillis: number
  /** The instant of that, by the clock of the browser. */
  readonly changedAt: number
  /** Whether something that can be seen says that it is busy. */
  readonly busy: boolean
  /** How many rows its one list says that it has; `null` where none does, or several do. */
  readonly declared: number | null
  /** Whether a frame was drawn since `frame` was last asked for. */
  readonly drawn: boolean
  /** Whether nothing was seen to change since a control was clicked last, in a document whose changes can be seen. */
  readonly quiet: boolean
}

/** What is known of a page at the end of a read. */
export interface Facts {
  /** How much of what is wanted was found. */
  readonly found: "all" | "none" | "shell"
  /** How many requests are waited for. */
  readonly requests: number
  /** Whether it is on its way to another document. */
  readonly departing: boolean
  /** What is going on in the documents that were read. */
  readonly documents: ReadonlyArray<Stirring>
  /**
   * How long before the read the last request ended, in milliseconds: negative for one that ended meanwhile; `null` for none
   * since the document was parsed.
   */
  readonly endedMillis: number | null
  /** When the answer to the last request began, by the clock of the browser: a page may act on its head alone. */
  readonly answeredAt: number
  /** When the last requests ended, by the clock of the browser. */
  readonly answers: ReadonlyArray<number>
  /** How long before the read it began to listen to a stream, as `endedMillis`; `null` for none. */
  readonly streamMillis: number | null
  /** What the read before found: the same, with nothing begun or ended in between; something else; or `null` for the first. */
  readonly before: "same" | "other" | null
  /** Whether marks that say that the page is busy are known to stay. */
  readonly marksStay: boolean
}

/** What to do: take what was read, or wait for requests, for a frame, or a moment. */
export type Verdict = "rest" | "requests" | "frame" | "moment"

/** What happened so lately may still have effects, in milliseconds. */
const latelyMillis = 100

/** How long a page must be at rest for nothing to be taken for an answer, once it has loaded something. */
const patienceMillis = 500

/** How long a stream is waited for that has brought nothing yet, in milliseconds. */
const streamMillis = 2_000

/** How far two clocks of a browser may differ, in milliseconds. */
const clockMillis = 10

const isWithin = (millis: number, since: number | null): boolean => since !== null && since < millis

/** How long after an answer its page may begin a timer for it, in milliseconds. */
const beginsMillis = 250

/** Whether a timer is pending that an answer has begun. */
const isBegunByAnswer = ({ answers, documents }: Facts): boolean =>
  documents.some(({ otherTimers }) =>
    otherTimers.some((at) => answers.some((answer) => at >= answer - clockMillis && at <= answer + beginsMillis))
  )

export const verdictOf = (facts: Facts): Verdict => {
  const { before, departing, documents, endedMillis, found, marksStay, requests } = facts
  if (requests > 0 || departing) return "requests"
  if (documents.some(({ actTimer }) => actTimer) || isBegunByAnswer(facts)) return "moment"
  if (!marksStay && documents.some(({ busy }) => busy)) return "moment"
  if (found === "shell") return "moment"
  if (found === "none") {
    if (documents.some(({ loaded, loadTimer }) => loadTimer || !loaded)) return "moment"
    if (isWithin(patienceMillis, endedMillis) || isWithin(streamMillis, facts.streamMillis)) return "moment"
  }
  if (before === "other") return "moment"
  if (before === "same") return "rest"
  // Rows that come in pieces come in short intervals.
  if (documents.some(({ changedMillis }) => changedMillis < latelyMillis)) return "moment"
  return isWithin(latelyMillis, endedMillis) ? "frame" : "rest"
}

/** Whether nothing that was found on a page at rest may be for another reason than that there is nothing. */
export const isUnsure = ({ answeredAt, documents, endedMillis, found }: Facts): boolean => {
  if (found === "all" || endedMillis === null) return false
  // The answer came, and nothing changed by it.
  return !documents.some(({ changedAt }) => changedAt >= answeredAt - clockMillis)
}
