/** Tags of runs and workflows, by which users search for them. */
import { Schema } from "effect"

/** Maximum number of tags of a run or a workflow. */
export const most = 50

/** One tag. */
export const Tag = Schema.String.check(
  Schema.isPattern(/^[^\p{Cc}\p{Cs}\s](?:[^\p{Cc}\p{Cs}]{0,98}[^\p{Cc}\p{Cs}\s])?$/u, {
    message: "Expected 1 to 100 characters without control characters, and no space at the ends"
  })
)

/** The tags of a new run or workflow. Duplicates count once. */
export const Tags = Schema.Array(Tag).check(
  Schema.makeFilter((tags) => new Set(tags).size <= most || `Expected at most ${most} tags`)
)

/** Each tag once, in their order. */
export const distinct = (tags: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(tags)]
