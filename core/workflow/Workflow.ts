/**
 * Workflows: automations in numbered versions that never change.
 */
import { Schema } from "effect"
import { told } from "../runtime/Problems.ts"
import { UserId, VersionId, WorkflowId, WorkspaceId } from "../workspace/Ids.ts"

/** What a workflow is known by. Instants are epoch milliseconds. */
export const Workflow = Schema.Struct({
  id: WorkflowId,
  workspaceId: WorkspaceId,
  name: Schema.String,
  description: Schema.NullOr(Schema.String),
  createdAt: Schema.Finite,
  updatedAt: Schema.Finite,
  createdBy: UserId
})
export type Workflow = typeof Workflow.Type

/** What a run executes. The names are those of the interface. */
export const Content = Schema.Struct({
  nodes: Schema.Json,
  edges: Schema.Json,
  input_schema: Schema.JsonObject,
  output_schema: Schema.JsonObject,
  vault_schema: Schema.JsonObject,
  /** How often a run that failed through no fault of the workflow is tried again. */
  max_retries: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100 })),
  /** The optional settings of a workflow, such as `popup_xpaths`, by their names in the interface. */
  settings: Schema.JsonObject
})
export type Content = typeof Content.Type

/** One version of a workflow. `versionNumber` counts from 1. */
export const WorkflowVersion = Schema.Struct({
  versionId: VersionId,
  workflowId: WorkflowId,
  versionNumber: Schema.Int,
  createdAt: Schema.Finite,
  createdBy: UserId,
  versionNote: Schema.NullOr(Schema.String),
  content: Content
})
export type WorkflowVersion = typeof WorkflowVersion.Type

/** Raised by keeping a workflow as a new one where there is one already: of the same id, or of the same name and folder. */
export class WorkflowExists extends Schema.TaggedError<WorkflowExists>()("WorkflowExists", {
  workflowId: WorkflowId
}) {
  override get message() {
    return `Cannot create workflow "${this.workflowId}": it exists already`
  }
}

/** A problem of what was sent, and where it lies, such as `nodes[3].parameters.selector`. */
export const Problem = Schema.Struct({ path: Schema.String, message: Schema.String })
export type Problem = typeof Problem.Type

/** Raised for a workflow that cannot be saved. */
export class InvalidWorkflow extends Schema.TaggedError<InvalidWorkflow>()("InvalidWorkflow", {
  problems: Schema.Array(Problem)
}) {
  override get message() {
    return told(this.problems)
  }
}
