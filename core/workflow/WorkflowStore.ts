/** The store of workflows and their versions. A stored version never changes. */
import { Context, type Effect, type Result } from "effect"
import type { Gate } from "../gate/Gate.ts"
import type { StoreUnavailable } from "../runtime/StoreUnavailable.ts"
import type { WorkflowId, WorkflowNotFound, WorkspaceId } from "../workspace/Ids.ts"
import type { Canary } from "./canary/Canary.ts"
import type { Content, NameShared, Workflow, WorkflowExists, WorkflowVersion } from "./Workflow.ts"

/** A workflow with its latest version and its gate, as of one instant. */
export interface StoredWorkflow {
  readonly workflow: Workflow
  readonly version: WorkflowVersion
  readonly gate: Gate
  /** The last canary of the workflow, which may be running. */
  readonly canary: Canary | null
}

/** A workflow as a list shows it, with the settings of its latest version. */
export interface ListedWorkflow {
  readonly workflow: Workflow
  readonly settings: Content["settings"]
}

/** At most `limit` workflows after a position in the list. */
export interface Page {
  readonly limit: number
  readonly after: { readonly updatedAt: number; readonly id: WorkflowId } | null
}

/** The contract of a version with its runs, and the canary by which a run gets it or the version before. */
export type RunTerms = Pick<WorkflowVersion, "versionId"> & {
  readonly content: Pick<WorkflowVersion["content"], "input_schema" | "vault_schema" | "max_retries">
  readonly canary: Canary | null
}

/** The fields whose size is limited as the store keeps them, each with its size in bytes. */
export type StoredSizes = Readonly<
  Record<"nodes" | "edges" | "input_schema" | "output_schema" | "vault_schema", number>
>

export class WorkflowStore extends Context.Service<
  WorkflowStore,
  {
    /**
     * Stores a new workflow with its first version and its gate. `accept` receives the stored sizes of the fields,
     * which may be compressed; when it refuses, nothing is stored. Fails with `WorkflowExists` if a workflow has the
     * same id, also a deleted one or one of another workspace, or, if `uniquelyNamed`, the same name and folder. Fails
     * with `NameShared` if several have that name and folder.
     */
    readonly create: <E>(
      stored: StoredWorkflow,
      accept: (sizes: StoredSizes) => Result.Result<void, E>,
      options?: { readonly uniquelyNamed: boolean }
    ) => Effect.Effect<void, E | WorkflowExists | NameShared | StoreUnavailable>

    /**
     * Stores the next version by a decision made while the workflow and its gate are locked.
     *
     * The decision maps the stored state to the next one, with a new version or the same. It must be pure, because it may be called again.
     * When it or `accept` refuses, nothing is changed.
     *
     * A running canary ends when another version is the latest. When one is stopped, its runs that have never started get
     * the version that is saved.
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
     * Deletes a workflow. Afterwards neither it nor its gate is found, and its waiting runs do not start. Data that its
     * runs refer to stays; its patches and element fingerprints are removed.
     */
    readonly remove: (
      workspaceId: WorkspaceId,
      id: WorkflowId
    ) => Effect.Effect<void, WorkflowNotFound | StoreUnavailable>

    /**
     * The terms of a version of a workflow that was the latest one a short time ago. They are cached, so the
     * caller must check that the version is still the one that its run gets.
     */
    readonly recentTerms: (
      workspaceId: WorkspaceId,
      id: WorkflowId
    ) => Effect.Effect<RunTerms, WorkflowNotFound | StoreUnavailable>

    /** The workflows of a workspace, most recently changed first: all of them, or one page. */
    readonly list: (
      workspaceId: WorkspaceId,
      page?: Page
    ) => Effect.Effect<ReadonlyArray<ListedWorkflow>, StoreUnavailable>

    /** The versions of a workflow without their content, newest first. */
    readonly versions: (
      workspaceId: WorkspaceId,
      id: WorkflowId
    ) => Effect.Effect<ReadonlyArray<VersionSummary>, WorkflowNotFound | StoreUnavailable>

    /** One version of a workflow. Fails with `WorkflowNotFound` for an unknown workflow or version. */
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
