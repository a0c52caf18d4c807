/**
 * Files that a site serves for download.
 */
import type { Effect } from "effect"
import type { PageFailure } from "../PageFailure.ts"

/** A downloaded file. It exists until it is discarded or the session ends. */
export interface Download {
  /** A portable file name: no folders, no characters that are special to file systems or terminals. */
  readonly fileName: string
  /**
   * By the extension, such as `text/csv`; `application/octet-stream` for unknown extensions and for types that a browser
   * would execute.
   */
  readonly mediaType: string
  /** The address that it was downloaded from; absent for a page that was printed. */
  readonly url?: string
  readonly bytes: Effect.Effect<Uint8Array, PageFailure>
  readonly discard: Effect.Effect<void>
}

/** The completed downloads, oldest first, and why another one failed. */
export interface Downloads {
  readonly files: ReadonlyArray<Download>
  readonly failure: PageFailure | null
}

export interface Downloading {
  /** Discards the downloads that were not taken: later ones belong to the next step. */
  readonly forgetDownloads: Effect.Effect<void>
  /**
   * What `download` would take without a wait: a `file` that the browser saves or a page that asked to be printed, since
   * they were last forgotten, or the `document` that the active tab shows, a PDF. `null` for neither.
   */
  readonly downloadable: Effect.Effect<"file" | "document" | null>
  /**
   * Takes the downloads that have begun since they were last forgotten, in any tab, each once it is complete: all that
   * are complete when the first one is. A document that the browser shows instead of saving it, such as a PDF, counts as
   * one, and so does a page that asked to be printed. Asked again, it takes those that have begun since; where more than one
   * was taken at once before, as many further calls have had theirs, and answer nothing.
   *
   * A download larger than allowed ends at that size.
   */
  readonly download: (waitMillis: number) => Effect.Effect<Downloads>
  /** The page as a PDF, as printing produces it. */
  readonly print: Effect.Effect<Download, PageFailure>
}
