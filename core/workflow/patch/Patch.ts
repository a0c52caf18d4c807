/**
 * Changes of a workflow that its runs found out to help. They are offered, and made only when a person says so.
 *
 * ```
 *          offer            apply
 *  (none) -------> offered -------> applied
 *                     '-----------> dismissed
 *                        dismiss
 * ```
 */
import { Result, Schema } from "effect"
import type { Kind as CollectionKind } from "../../workspace/Collection.ts"
import { WorkflowId } from "../../workspace/Ids.ts"
import * as Json from "../../workspace/Json.ts"
import type { Content } from "../Workflow.ts"

/** The change: a parameter of a node that names an element, how long a node waits, or the pop-ups of the workflow. */
export const PatchKind = Schema.Literals(["selector", "wait_time", "popup_xpath"])
export type PatchKind = typeof PatchKind.Type

/** A change that a run found out to help. */
export const Offer = Schema.Struct({
  kind: PatchKind,
  /** The node, and which of its parameters; `null` for the pop-ups of the workflow. */
  nodeId: Schema.NullOr(Schema.String),
  nodeName: Schema.NullOr(Schema.String),
  parameter: Schema.NullOr(Schema.String),
  before: Schema.NullOr(Schema.Union([Schema.String, Schema.Finite])),
  after: Schema.Union([Schema.String, Schema.Finite]),
  /** Why, in a sentence. */
  reason: Schema.String
})
export type Offer = typeof Offer.Type

export const PatchState = Schema.Literals(["offered", "applied", "dismissed"])

/** An offered change and what became of it. Instants are epoch milliseconds. */
export const Patch = Schema.Struct({
  ...Offer.fields,
  id: Schema.String,
  workflowId: WorkflowId,
  state: PatchState,
  /** The run that suggested it first, the last one that did, and how many did in all. */
  firstRunId: Schema.String,
  lastRunId: Schema.String,
  confirmations: Schema.Int,
  createdAt: Schema.Finite,
  updatedAt: Schema.Finite,
  /** The user who applied or dismissed it. */
  decidedBy: Schema.NullOr(Schema.String),
  /** The version that it became. */
  appliedVersion: Schema.NullOr(Schema.Int)
})
export type Patch = typeof Patch.Type

/** A patch is known by what it changes, so that the same change is offered once. */
export const kind: CollectionKind<Patch> = {
  name: "patches",
  schema: Patch,
  key: (patch) => keyOf(patch.workflowId, patch)
}

export const keyOf = (workflowId: WorkflowId, { after, before, kind: one, nodeId, parameter }: Offer): string =>
  JSON.stringify([workflowId, one, nodeId, parameter, before, after])

/** Raised for a patch that does not exist for the workflow. */
export class PatchNotFound extends Schema.TaggedError<PatchNotFound>()("PatchNotFound", { id: Schema.String }) {
  override get message() {
    return `Patch "${this.id}" not found for this workflow`
  }
}

/** Raised for a patch that cannot be applied or dismissed any more. */
export class PatchSettled extends Schema.TaggedError<PatchSettled>()("PatchSettled", {
  id: Schema.String,
  state: PatchState
}) {
  override get message() {
    return `Cannot change patch "${this.id}": it was ${this.state} already`
  }
}

/** Raised when what a patch changes is not as it was when the patch was offered. */
export class PatchOutdated extends Schema.TaggedError<PatchOutdated>()("PatchOutdated", {
  id: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `Cannot apply patch "${this.id}": ${this.reason}`
  }
}

/** Merges a patch that another run suggests again. One that a person decided about stays decided. */
export const confirmed = (patch: Patch, runId: string, at: number): Patch =>
  patch.lastRunId === runId
    ? patch
    : { ...patch, lastRunId: runId, confirmations: patch.confirmations + 1, updatedAt: at }

/** A patch after a person decided about it; refused when it is decided already. */
export const settled = (
  patch: Patch,
  state: "applied" | "dismissed",
  by: string,
  version: number | null,
  at: number
): Result.Result<Patch, PatchSettled> =>
  patch.state === "offered"
    ? Result.succeed({ ...patch, state, decidedBy: by, appliedVersion: version, updatedAt: at })
    : Result.fail(new PatchSettled({ id: patch.id, state: patch.state }))

/** The nodes and settings of a workflow with a patch in them; refused when what it changes is not as it was. */
export const appliedTo = (
  patch: Patch,
  { nodes, settings }: Content
): Result.Result<Pick<Content, "nodes" | "settings">, PatchOutdated> => {
  const outdated = (reason: string) => Result.fail(new PatchOutdated({ id: patch.id, reason }))
  if (patch.kind === "popup_xpath") {
    const known = settings.popup_xpaths ?? []
    const xpath = String(patch.after)
    if (known.includes(xpath)) return outdated("the workflow knows this pop-up already")
    return Result.succeed({ nodes, settings: { ...settings, popup_xpaths: [...known, xpath] } })
  }
  const { parameter } = patch
  const all = Array.isArray(nodes) ? nodes : []
  const index = all.findIndex((node) => Json.isObject(node) && node.id === patch.nodeId)
  const node = all[index]
  if (!Json.isObject(node) || !Json.isObject(node.parameters) || parameter === null) {
    return outdated(`the workflow has no node "${patch.nodeName}" any more`)
  }
  if ((node.parameters[parameter] ?? null) !== patch.before) {
    return outdated(`${parameter} of the node "${patch.nodeName}" was changed since it was offered`)
  }
  const changed = { ...node, parameters: { ...node.parameters, [parameter]: patch.after } }
  return Result.succeed({ nodes: all.with(index, changed), settings })
}
