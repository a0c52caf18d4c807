/**
 * Files that a site serves for download.
 */
import type { Effect } from "effect"
import type { PageFailure } from "../PageFailure.ts"

/** A downloaded file. It exists until it is discarded or the session ends. */
export interface Download {
  /** A name that is one everywhere: no folders, no characters that file systems or terminals take for something else. */
  readonly fileName: string
  /**
   * By its name, such as `text/csv`; `application/octet-stream` where that is unspecific, or a browser would execute
   * it.
   */
  readonly mediaType: string
  readonly bytes: Effect.Effect<Uint8Array, PageFailure>
  readonly discard: Effect.Effect<void>
}

/** The downloads that are complete, oldest first, and why another is not there. */
export interface Downloads {
  readonly files: ReadonlyArray<Download>
  readonly failure: PageFailure | null
}

export interface Downloading {
  /** Forgets the downloads that were not taken: later ones belong to the next step. */
  readonly forgetDownloads: Effect.Effect<void>
  /**
   * Takes the downloads that have begun since they were last forgotten, in any window, each once it is complete: all that
   * there are when the first one is there. A document that the browser shows instead of saving it, such as a PDF, counts as
   * one, and so does a page that asked to be printed. Asked again, it takes those that have begun since; where more than one
   * was taken at once before, as many further calls have had theirs, and answer nothing.
   *
   * A download larger than allowed ends at that size.
   */
  readonly download: (waitMillis: number) => Effect.Effect<Downloads>
  /** The page as the PDF that printing it would give. */
  readonly print: Effect.Effect<Download, PageFailure>
}
