/**
 * Tags of runs: words by which users find them. They are no part of what happened, so a run that has ended takes and loses
 * them like any other.
 */
import { Schema } from "effect"

/** How many tags a run has at most. */
export const most = 50

/** One tag. */
export const Tag = Schema.String.check(
  Schema.isPattern(/^[^\p{Cc}\p{Cs}\s](?:[^\p{Cc}\p{Cs}]{0,98}[^\p{Cc}\p{Cs}\s])?$/u, {
    message: "Expected 1 to 100 characters without control characters, and no space at the ends"
  })
)

/** The tags to take from a run, and those to give it. One that is in both is given. */
export interface Edit {
  readonly add: ReadonlyArray<string>
  readonly remove: ReadonlyArray<string>
}

/** The tags of a run after an edit, in their order; `null` if they are too many. */
export const edited = (tags: ReadonlyArray<string>, { add, remove }: Edit): ReadonlyArray<string> | null => {
  const left = tags.filter((tag) => !remove.includes(tag) || add.includes(tag))
  const all = [...new Set([...left, ...add])]
  return all.length > most && all.length > tags.length ? null : all
}
