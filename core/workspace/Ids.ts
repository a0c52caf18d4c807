/**
 * Ids, and the errors for an id that is unknown in a workspace.
 */
import { Schema } from "effect"

export const WorkspaceId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("WorkspaceId"))
export type WorkspaceId = typeof WorkspaceId.Type

export const UserId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("UserId"))
export type UserId = typeof UserId.Type

/** Whether a text has the form of the ids of this module. */
export const isUuid = Schema.is(Schema.String.check(Schema.isUUID()))

export const WorkflowId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("WorkflowId"))
export type WorkflowId = typeof WorkflowId.Type

export const VersionId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("VersionId"))
export type VersionId = typeof VersionId.Type

/** Raised for a workflow, or a version of one, that does not exist in the workspace. */
export class WorkflowNotFound extends Schema.TaggedError<WorkflowNotFound>()("WorkflowNotFound", {
  workflowId: Schema.String
}) {
  override get message() {
    return `Workflow "${this.workflowId}" not found in this workspace`
  }
}

/** Identifies a run. The interface calls it `session_id`; a UUIDv7, so that ids sort by submission. */
export const RunId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("RunId"))
export type RunId = typeof RunId.Type

/** Raised for a run that does not exist in the workspace. */
export class RunNotFound extends Schema.TaggedError<RunNotFound>()("RunNotFound", { sessionId: Schema.String }) {
  override get message() {
    return `Run "${this.sessionId}" not found in this workspace`
  }
}
