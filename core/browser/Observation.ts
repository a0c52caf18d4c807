/**
 * Watching a session, and taking its mouse and keyboard: for evidence, recoveries and remote control.
 */
import type { Effect, Scope } from "effect"
import type { Exchange, StartedRequest } from "./Exchange.ts"
import type { Appearance } from "./element/Appearance.ts"
import type { Candidate } from "./element/Likeness.ts"
import type { PageFailure } from "./PageFailure.ts"
import type { StoredState } from "./Session.ts"
import type { RemoteHand } from "./vision/RemoteHand.ts"
import type { Screencast } from "./vision/Screencast.ts"
import type { Covered, Shot } from "./vision/Shot.ts"

export interface Observation extends RemoteHand, Screencast {
  /** The current state of the page, as cheaply as possible, also while the page loads. */
  readonly glimpse: (covered?: Covered) => Effect.Effect<Shot, PageFailure>
  /**
   * The whole page as one HTML document that shows what a person sees and does nothing: documents of frames, of other
   * origins too, and open shadow roots in their places, the values of fields as attributes (never those of password
   * fields), no script. A document is cut at `maxBytes`, with a note at its end.
   */
  readonly snapshot: (options: { readonly maxBytes: number }) => Effect.Effect<string, PageFailure>
  /**
   * The visible elements that support the same use as the wanted one, also in shadow roots and frames, each with a
   * selector that matches it alone. Bounded: the first elements of a large document, and 20 frames of a page.
   */
  readonly candidates: (wanted: Appearance) => Effect.Effect<ReadonlyArray<Candidate>, PageFailure>
  /**
   * Reports every request of the session after this call, once it is answered or has failed, until the scope closes.
   * Closing waits briefly for answers that are still being read, and then reports the unfinished requests.
   */
  readonly watchNetwork: (
    tell: (exchange: Exchange) => void,
    options?: {
      /** Called for each request when it begins. The later exchange has the same address and instant. */
      readonly begun?: (request: StartedRequest) => void
      /** Maximum length of an answer that is reported with its body, in bytes. */
      readonly largestBody?: number
      /** Reports the `bytes` of answers of every type, in place of the text of some. */
      readonly bytes?: boolean
    }
  ) => Effect.Effect<void, never, Scope.Scope>
  /**
   * All cookies that the session has, and the storage of those of its origins that are `wanted`. The session cannot be
   * used afterwards: its page may be another one.
   */
  readonly remembered: (wanted: (origin: string) => boolean) => Effect.Effect<StoredState, PageFailure>
}
