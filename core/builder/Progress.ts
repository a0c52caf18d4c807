/** Which steps of a draft were carried out on the page that is open. */
import { Schema } from "effect"
import type { NodeId } from "../workflow/language/graph/Graph.ts"
import * as Json from "../workspace/Json.ts"
import type { Draft } from "./Draft.ts"

export const StepState = Schema.Literals(["done", "skipped", "failed"])
export type StepState = typeof StepState.Type

/** A file that a step has kept, with its size in bytes. */
export const KeptFile = Schema.Struct({ name: Schema.String, bytes: Schema.Int }).annotate({
  identifier: "BuilderKeptFile"
})
export type KeptFile = typeof KeptFile.Type

export const Progress = Schema.Struct({
  /** The outcome of the last time that a step was carried out, by its id. A step that was changed since has none. */
  steps: Schema.Record(Schema.String, StepState),
  /** The files that steps have kept then, by the id of the step. */
  files: Schema.optionalKey(Schema.Record(Schema.String, Schema.Array(KeptFile))),
  /** The step after which the page is as it is; `null` before the first one. It may have been removed since. */
  last: Schema.NullOr(Schema.String)
}).annotate({ identifier: "BuilderProgress" })
export type Progress = typeof Progress.Type

export const none: Progress = { steps: {}, last: null }

/** The progress after a step. One that was skipped or failed left the page as it was, as far as is known. */
export const reached = (
  { files = {}, last, steps }: Progress,
  id: NodeId,
  state: StepState,
  kept: ReadonlyArray<KeptFile> = []
): Progress => {
  const { [id]: _, ...others } = files
  return {
    steps: { ...steps, [id]: state },
    ...withFiles(kept.length === 0 ? others : { ...others, [id]: kept }),
    last: state === "done" ? id : last
  }
}

const withFiles = (files: NonNullable<Progress["files"]>) => (Object.keys(files).length === 0 ? {} : { files })

/** The progress after a change of the draft: a step that is another one now was not carried out. */
export const changed = (progress: Progress, before: Draft, after: Draft): Progress => {
  if (before.content.nodes === after.content.nodes) return progress
  const former = textsOf(before)
  const present = textsOf(after)
  const unchanged = <A>(byId: Readonly<Record<string, A>>) =>
    Object.fromEntries(Object.entries(byId).filter(([id]) => former.get(id) === present.get(id)))
  const { files = {}, ...others } = progress
  return { ...others, steps: unchanged(progress.steps), ...withFiles(unchanged(files)) }
}

const textsOf = ({ content }: Draft): ReadonlyMap<string, string> =>
  new Map(
    (Array.isArray(content.nodes) ? content.nodes : []).map((node) => {
      const { action, id, parameters } = Json.objectOf(node)
      return [String(id), JSON.stringify([action, parameters])]
    })
  )
