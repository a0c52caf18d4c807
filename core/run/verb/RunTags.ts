/**
 * Tags of runs: words by which users find them. They are no part of what happened, so a run that has ended takes and loses
 * them like any other.
 */
import { most } from "../../workspace/request/Tags.ts"

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
