/**
 * Whether a site accepted a code that was typed into its field and submitted, judged by its page.
 */
import type { InspectedField } from "../../browser/element/InspectedField.ts"

/** The state of a page at an instant. `path` is its address without query and fragment. */
export interface PageState {
  readonly field: InspectedField
  readonly path: string
}

export type Verdict = "taken" | "refused" | "open"

/** For how long, in milliseconds, the field has been in its present state without interruption. */
export interface FieldDurations {
  readonly gone: number
  readonly empty: number
}

/** How long a field must be absent to count as removed: a page without a reload may only show that it is busy. */
const goneMillis = 1_000
const goneFromOtherMillis = 300

/** How long a field is empty before it was emptied to be filled again, and not because the code is being sent. */
const emptyMillis = 1_500

/** When a page that shows nothing new is no longer waited for, in milliseconds. */
export const longestMillis = 10_000

/**
 * The verdict on what is seen `elapsed` milliseconds after a code was sent.
 *
 * A code is refused if its field is shown again after a reload, stays empty, or gets a new complaint. It is accepted if
 * the field disappeared or another page is shown. If neither happens in time, an empty field or one with a complaint
 * means refused, and any other means taken.
 */
export const of = (sent: PageState, seen: PageState, lasting: FieldDurations, elapsed: number): Verdict => {
  const { field } = seen
  const isLate = elapsed >= longestMillis
  const isOther = seen.path !== sent.path
  if (field.loading && !isLate) return "open"
  if (!field.shown) {
    const enough = isOther || field.document !== sent.field.document ? goneFromOtherMillis : goneMillis
    return isLate || lasting.gone >= enough ? "taken" : "open"
  }
  if (isOther) return field.complaint === "" ? "taken" : "refused"
  if (field.document !== sent.field.document) return "refused"
  if (field.complaint !== "" && (isLate || field.complaint !== sent.field.complaint)) return "refused"
  if (field.empty && (isLate || lasting.empty >= emptyMillis)) return "refused"
  return isLate ? "taken" : "open"
}
