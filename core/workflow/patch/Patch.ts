/**
 * Suggested changes of a workflow, found by its runs. A change is made only when a person applies it.
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
import * as PlainForm from "./PlainForm.ts"

/**
 * The change: a parameter of a node that names an element, how long a node waits, the pop-ups of the workflow, or the
 * parameters by which a node does without a model.
 */
export const PatchKind = Schema.Literals(["selector", "wait_time", "popup_xpath", "plain_form"])
export type PatchKind = typeof PatchKind.Type

/** A change that a run suggests. */
export const Offer = Schema.Struct({
  kind: PatchKind,
  /** The node and the parameter; `null` for the pop-ups of the workflow. */
  nodeId: Schema.NullOr(Schema.String),
  nodeName: Schema.NullOr(Schema.String),
  parameter: Schema.NullOr(Schema.String),
  before: Schema.NullOr(Schema.Union([Schema.String, Schema.Finite])),
  after: Schema.Union([Schema.String, Schema.Finite]),
  /** Of a plain form, whose `before` and `after` are parameters as JSON: where runs may use it before it is applied. */
  reach: Schema.optionalKey(PlainForm.Reach),
  /** The reason, as one sentence. */
  reason: Schema.String
})
export type Offer = typeof Offer.Type

export const PatchState = Schema.Literals(["offered", "applied", "dismissed"])

/** A suggested change and the decision about it. Instants are epoch milliseconds. */
export const Patch = Schema.Struct({
  ...Offer.fields,
  id: Schema.String,
  workflowId: WorkflowId,
  state: PatchState,
  /** The first and the last run that suggested the change, and their number. */
  firstRunId: Schema.String,
  lastRunId: Schema.String,
  confirmations: Schema.Int,
  createdAt: Schema.Finite,
  updatedAt: Schema.Finite,
  /** The user who applied or dismissed the patch. */
  decidedBy: Schema.NullOr(Schema.String),
  /** The version with the patch applied. */
  appliedVersion: Schema.NullOr(Schema.Int)
})
export type Patch = typeof Patch.Type

/** The identity of a patch is its change, so that the same change is offered once. */
export const kind: CollectionKind<Patch> = {
  name: "patches",
  schema: Patch,
  key: (patch) => keyOf(patch.workflowId, patch)
}

export const keyOf = (workflowId: WorkflowId, { after, before, kind: one, nodeId, parameter, reach }: Offer): string =>
  JSON.stringify([workflowId, one, nodeId, parameter, before, after, ...(reach === undefined ? [] : [reach])])

/** The plain form that a patch offers; `null` for other patches. */
export const plainFormOf = ({ after, before, kind: one, nodeId, reach }: Offer): PlainForm.PlainForm | null =>
  one === "plain_form" && nodeId !== null && reach !== undefined
    ? { nodeId, before: String(before), after: String(after), ...reach }
    : null

/** The offer of a plain form of a node. */
export const offerOf = (form: PlainForm.PlainForm, nodeName: string | null, reason: string): Offer => ({
  kind: "plain_form",
  nodeId: form.nodeId,
  nodeName,
  parameter: "execution",
  before: form.before,
  after: form.after,
  reach: { site: form.site, decides: form.decides },
  reason
})

/** Whether a patch offers another plain form in place of the one that another patch offers. */
export const replaces = (offer: Offer, former: Patch): boolean =>
  offer.kind === "plain_form" &&
  former.kind === "plain_form" &&
  former.state === "offered" &&
  offer.nodeId === former.nodeId &&
  offer.reach?.decides === former.reach?.decides &&
  keyOf(former.workflowId, offer) !== kind.key(former)

/** Whether a patch can still be applied: a plain form is of no use for a node that says something else by now. */
export const isCurrent = (patch: Patch, content: Content): boolean =>
  patch.kind !== "plain_form" || patch.state !== "offered" || Result.isSuccess(appliedTo(patch, content))

/** Raised for a patch that does not exist for the workflow. */
export class PatchNotFound extends Schema.TaggedError<PatchNotFound>()("PatchNotFound", { id: Schema.String }) {
  override get message() {
    return `Patch "${this.id}" not found for this workflow`
  }
}

/** Raised for a patch that is already applied or dismissed. */
export class PatchSettled extends Schema.TaggedError<PatchSettled>()("PatchSettled", {
  id: Schema.String,
  state: PatchState
}) {
  override get message() {
    return `Cannot change patch "${this.id}": it is already ${this.state}`
  }
}

/** Raised when the target of a patch has changed since the patch was offered. */
export class PatchOutdated extends Schema.TaggedError<PatchOutdated>()("PatchOutdated", {
  id: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `Cannot apply patch "${this.id}": ${this.reason}`
  }
}

/** Counts another run that suggests the patch. A decided patch stays decided. */
export const confirmed = (patch: Patch, runId: string, at: number): Patch =>
  patch.lastRunId === runId
    ? patch
    : { ...patch, lastRunId: runId, confirmations: patch.confirmations + 1, updatedAt: at }

/** A patch after a person decided about it. Fails with `PatchSettled` if it was decided before. */
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

/** The nodes and settings of a workflow with a patch applied. Fails with `PatchOutdated` if its target has changed. */
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
  const form = plainFormOf(patch)
  if (form !== null) {
    const merged = PlainForm.mergedInto(node.parameters, form)
    return merged === null
      ? outdated(`the node "${patch.nodeName}" was changed since it was offered`)
      : Result.succeed({ nodes: all.with(index, { ...node, parameters: merged }), settings })
  }
  if ((node.parameters[parameter] ?? null) !== patch.before) {
    return outdated(`${parameter} of the node "${patch.nodeName}" was changed since it was offered`)
  }
  const changed = { ...node, parameters: { ...node.parameters, [parameter]: patch.after } }
  return Result.succeed({ nodes: all.with(index, changed), settings })
}
