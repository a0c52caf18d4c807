/**
 * The store of workflows and their versions. A version never changes once it is kept.
 */
import { Context, type Effect, type Result } from "effect"
import type { Gate } from "../gate/Gate.ts"
import type { StoreUnavailable } from "../runtime/StoreUnavailable.ts"
import type { WorkflowId, WorkflowNotFound, WorkspaceId } from "../workspace/Ids.ts"
import type { Content, NameShared, Workflow, WorkflowExists, WorkflowVersion } from "./Workflow.ts"

/** A workflow with its latest version and its gate, as of one instant. */
export interface StoredWorkflow {
  readonly workflow: Workflow
  readonly version: WorkflowVersion
  readonly gate: Gate
}

/** A workflow as a list shows it, with the settings of its latest version. */
export interface ListedWorkflow {
  readonly workflow: Workflow
  readonly settings: Content["settings"]
}

/** At most `limit` workflows, behind the place of one in the list. */
export interface Page {
  readonly limit: number
  readonly after: { readonly updatedAt: number; readonly id: WorkflowId } | null
}

/** The contract of a version with its runs. */
export type RunTerms = Pick<WorkflowVersion, "versionId"> & {
  readonly content: Pick<WorkflowVersion["content"], "input_schema" | "vault_schema" | "max_retries">
}

/** The fields whose size is limited as the store keeps them, each with its size in bytes. */
export type StoredSizes = Readonly<
  Record<"nodes" | "edges" | "input_schema" | "output_schema" | "vault_schema", number>
>

export class WorkflowStore extends Context.Service<
  WorkflowStore,
  {
    /**
     * Keeps a new workflow with its first version and its gate.
     *
     * `accept` judges the sizes that the fields have in the store, which may compress them; what it refuses is not kept.
     * `WorkflowExists` names the one in the way: of the same id, be it in another workspace or deleted; or, where
     * `uniquelyNamed`, of the same name and folder. `NameShared` names all of these where there are several.
     */
    readonly create: <E>(
      stored: StoredWorkflow,
      accept: (sizes: StoredSizes) => Result.Result<void, E>,
      options?: { readonly uniquelyNamed: boolean }
    ) => Effect.Effect<void, E | WorkflowExists | NameShared | StoreUnavailable>

    /**
     * Stores the next version by a decision made while the workflow and its gate are locked.
     *
     * The decision sees the state before and answers the one after, whose version is new or the one before. It must be
     * pure: it may be called again. When it or `accept` refuses, nothing is changed.
     */
    readonly save: <E>(
      workspaceId: WorkspaceId,
      id: WorkflowId,
      decide: (before: StoredWorkflow, now: number) => Result.Result<StoredWorkflow, E>,
      accept: (sizes: StoredSizes) => Result.Result<void, E>
    ) => Effect.Effect<StoredWorkflow, E | WorkflowNotFound | StoreUnavailable>

    readonly get: (
      workspaceId: WorkspaceId,
      id: WorkflowId
    ) => Effect.Effect<StoredWorkflow, WorkflowNotFound | StoreUnavailable>

    /**
     * Deletes a workflow: from then on neither it nor its gate is found here, and its waiting runs do not start. Data
     * that its runs refer to is kept; the patches that were offered for it and what its elements looked like are
     * removed.
     */
    readonly remove: (
      workspaceId: WorkspaceId,
      id: WorkflowId
    ) => Effect.Effect<void, WorkflowNotFound | StoreUnavailable>

    /**
     * The input contract of the latest version of a workflow, or of an earlier one: for those who check that later. It
     * costs next to nothing for a workflow that was asked for before.
     */
    readonly recentTerms: (
      workspaceId: WorkspaceId,
      id: WorkflowId
    ) => Effect.Effect<RunTerms, WorkflowNotFound | StoreUnavailable>

    /** The workflows of a workspace, the one changed last first: all of them, or those of a page. */
    readonly list: (
      workspaceId: WorkspaceId,
      page?: Page
    ) => Effect.Effect<ReadonlyArray<ListedWorkflow>, StoreUnavailable>

    /** The versions of a workflow without their content, newest first. */
    readonly versions: (
      workspaceId: WorkspaceId,
      id: WorkflowId
    ) => Effect.Effect<ReadonlyArray<VersionSummary>, WorkflowNotFound | StoreUnavailable>

    /** One version of a workflow; the version the workflow lacks is reported like a workflow that does not exist. */
    readonly version: (
      workspaceId: WorkspaceId,
      id: WorkflowId,
      versionNumber: number
    ) => Effect.Effect<StoredWorkflow, WorkflowNotFound | StoreUnavailable>
  }
>()("sluice/core/workflow/WorkflowStore") {}

/** The description of a version without its content. Instants are epoch milliseconds. */
export type VersionSummary = Pick<
  WorkflowVersion,
  "versionId" | "versionNumber" | "createdAt" | "createdBy" | "versionNote"
>
