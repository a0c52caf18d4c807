/**
 * What can be learned of a page when a step could not be done there: the verbs of recoveries.
 */
import type { Effect } from "effect"
import type { PageFailure } from "../PageFailure.ts"
import type { Appearance } from "./Appearance.ts"
import type { Candidate } from "./Likeness.ts"
import type { Sought, Survey } from "./Survey.ts"
import type { Target } from "./Target.ts"

export interface Inspection {
  /**
   * Which of the selectors match something that can be seen, by position: in the document, or else in its shadow roots and
   * frames. One visit to the page for all of them, and one to each frame for those that are not in the document itself.
   */
  readonly seen: (selectors: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<number>, PageFailure>
  /**
   * What the page shows at this moment, with what lies over it in frames, and what is complained about fields in its shadow
   * roots and frames. It scrolls the element that is sought into view, and changes nothing else. Fails where the page does not tell within the time that it may answer nothing.
   */
  readonly survey: (sought: Sought) => Effect.Effect<Survey, PageFailure>
  /** What the one element that matches looks like, waiting for it. */
  readonly describe: (target: Target) => Effect.Effect<Appearance, PageFailure>
  /**
   * The elements that can be seen and used in the way of the wanted one, those in shadow roots and frames too, each with a
   * selector that leads to it alone. Bounded: of a document with very many the first ones, and 20 frames of a page.
   */
  readonly candidates: (wanted: Appearance) => Effect.Effect<ReadonlyArray<Candidate>, PageFailure>
}
