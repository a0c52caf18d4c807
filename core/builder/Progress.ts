/** Which steps of a draft were carried out on the page that is open. */
import { Schema } from "effect"
import type { NodeId } from "../workflow/language/graph/Graph.ts"
import * as Json from "../workspace/Json.ts"
import type { Draft } from "./Draft.ts"

export const StepState = Schema.Literals(["done", "skipped", "failed"])
export type StepState = typeof StepState.Type

export const Progress = Schema.Struct({
  /** The outcome of the last time that a step was carried out, by its id. A step that was changed since has none. */
  steps: Schema.Record(Schema.String, StepState),
  /** The step after which the page is as it is; `null` before the first one. It may have been removed since. */
  last: Schema.NullOr(Schema.String)
}).annotate({ identifier: "BuilderProgress" })
export type Progress = typeof Progress.Type

export const none: Progress = { steps: {}, last: null }

/** The progress after a step. One that was skipped or failed left the page as it was, as far as is known. */
export const reached = ({ last, steps }: Progress, id: NodeId, state: StepState): Progress => ({
  steps: { ...steps, [id]: state },
  last: state === "done" ? id : last
})

/** The progress after a change of the draft: a step that is another one now was not carried out. */
export const changed = (progress: Progress, before: Draft, after: Draft): Progress => {
  if (before.content.nodes === after.content.nodes) return progress
  const former = textsOf(before)
  const present = textsOf(after)
  const kept = Object.entries(progress.steps).filter(([id]) => former.get(id) === present.get(id))
  return { ...progress, steps: Object.fromEntries(kept) }
}

const textsOf = ({ content }: Draft): ReadonlyMap<string, string> =>
  new Map(
    (Array.isArray(content.nodes) ? content.nodes : []).map((node) => {
      const { action, id, parameters } = Json.objectOf(node)
      return [String(id), JSON.stringify([action, parameters])]
    })
  )
