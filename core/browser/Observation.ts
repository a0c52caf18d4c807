/**
 * Watching a session, and taking its mouse and keyboard: for evidence, recoveries and remote control.
 */
import type { Effect, Scope } from "effect"
import type { Begun, Exchange } from "./Exchange.ts"
import type { Appearance } from "./element/Appearance.ts"
import type { Candidate } from "./element/Likeness.ts"
import type { PageFailure } from "./PageFailure.ts"
import type { Remembered } from "./Session.ts"
import type { RemoteHand } from "./vision/RemoteHand.ts"
import type { Screencast } from "./vision/Screencast.ts"
import type { Shot } from "./vision/Shot.ts"

export interface Observation extends RemoteHand, Screencast {
  /** The current state of the page, at the least cost, also while the page loads. */
  readonly glimpse: Effect.Effect<Shot, PageFailure>
  /**
   * The whole page as one HTML document that shows what a person sees and does nothing: documents of frames, of other
   * origins too, and open shadow roots in their places, the values of fields as attributes (never those of password
   * fields), no script. Larger than `maxBytes`, the rest is left out, and the document says so.
   */
  readonly snapshot: (options: { readonly maxBytes: number }) => Effect.Effect<string, PageFailure>
  /**
   * The elements that can be seen and used in the way of the wanted one, those in shadow roots and frames too, each with a
   * selector that leads to it alone. Bounded: of a document with very many the first ones, and 20 frames of a page.
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
      readonly begun?: (request: Begun) => void
      /** Maximum length of an answer that is reported with its text, in bytes. */
      readonly largestBody?: number
    }
  ) => Effect.Effect<void, never, Scope.Scope>
  /**
   * All cookies that the session has, and the storage of those of its origins that are `wanted`. The session is of no
   * other use afterwards: the page may be another one.
   */
  readonly remembered: (wanted: (origin: string) => boolean) => Effect.Effect<Remembered, PageFailure>
}
