/**
 * The store of components and their versions, and of the workflows that contain them.
 */
import { Context, type Effect, type Result } from "effect"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import type { WorkflowId, WorkspaceId } from "../../workspace/Ids.ts"
import type { Caller } from "../../workspace/Workspace.ts"
import type { FieldsTooLarge } from "../FieldLimit.ts"
import type { InvalidWorkflow, Workflow } from "../Workflow.ts"
import type { StoredSizes, StoredWorkflow } from "../WorkflowStore.ts"
import type { Component, ComponentId, ComponentNotFound, ComponentVersion } from "./Component.ts"

/** A component with one of its versions. */
export interface StoredComponent {
  readonly component: Component
  readonly version: ComponentVersion
}

/** A new component of a caller at `at`, with its first version. */
export const firstVersion = (
  { userId, workspaceId }: Caller,
  {
    data,
    id,
    name,
    versionId,
    versionNote
  }: Pick<Component, "id" | "name"> &
    Pick<ComponentVersion, "data" | "versionNote"> & { readonly versionId: ComponentVersion["id"] },
  at: number
): StoredComponent => ({
  component: { id, workspaceId, name, createdAt: at, updatedAt: at, createdBy: userId },
  version: { id: versionId, componentId: id, versionNumber: 1, data, createdAt: at, createdBy: userId, versionNote }
})

/** Why a workflow cannot take over a change of a component. */
export type UpdateRefusal = InvalidWorkflow | FieldsTooLarge

/**
 * Decides what a workflow that contains a component becomes, while the workflow is locked; its version must be new. It
 * may be called again for the same workflow.
 */
export type UpdateWorkflow = (workflow: StoredWorkflow, now: number) => Effect.Effect<StoredWorkflow, UpdateRefusal>

/** How a change of a component is applied to the workflows that contain it, except the one that already has it. */
export interface ContainingUpdate {
  readonly to: UpdateWorkflow
  readonly except: WorkflowId | null
}

/** The results for the workflows that contain a component. */
export interface Propagation {
  readonly propagated: ReadonlyArray<WorkflowId>
  readonly skipped: ReadonlyArray<{ readonly workflowId: WorkflowId; readonly reason: UpdateRefusal }>
}

export class ComponentStore extends Context.Service<
  ComponentStore,
  {
    /** All components of a workspace, in the order in which they were created. */
    readonly list: (workspaceId: WorkspaceId) => Effect.Effect<ReadonlyArray<Component>, StoreUnavailable>

    /** A component with its latest version. */
    readonly get: (
      workspaceId: WorkspaceId,
      id: ComponentId
    ) => Effect.Effect<StoredComponent, ComponentNotFound | StoreUnavailable>

    /** The versions of a component, newest first. */
    readonly versions: (
      workspaceId: WorkspaceId,
      id: ComponentId
    ) => Effect.Effect<ReadonlyArray<ComponentVersion>, ComponentNotFound | StoreUnavailable>

    /** The workflows whose latest version contains the component, most recently changed first, without deleted ones. */
    readonly usage: (
      workspaceId: WorkspaceId,
      id: ComponentId
    ) => Effect.Effect<ReadonlyArray<Workflow>, ComponentNotFound | StoreUnavailable>

    /** Stores a new component with its first version. */
    readonly create: (stored: StoredComponent) => Effect.Effect<void, StoreUnavailable>

    /** Renames a component and updates its `updatedAt`. */
    readonly rename: (
      workspaceId: WorkspaceId,
      id: ComponentId,
      name: string
    ) => Effect.Effect<StoredComponent, ComponentNotFound | StoreUnavailable>

    /**
     * Stores the next version by a decision made while the component is locked, and updates the workflows that contain
     * it, all in one transaction. The decision also returns how to change those workflows, or `null` to leave them
     * unchanged. A workflow that cannot be updated is left unchanged and reported.
     *
     * `accept` receives the stored sizes of the fields of each workflow.
     */
    readonly save: (
      workspaceId: WorkspaceId,
      id: ComponentId,
      decide: (
        before: StoredComponent,
        now: number
      ) => { readonly after: StoredComponent; readonly carry: ContainingUpdate | null },
      accept: (sizes: StoredSizes) => Result.Result<void, FieldsTooLarge>
    ) => Effect.Effect<StoredComponent & Propagation, ComponentNotFound | StoreUnavailable>

    /**
     * Removes a component and its versions, and detaches its nodes in the workflows that contain it, all in one
     * transaction.
     */
    readonly remove: (
      workspaceId: WorkspaceId,
      id: ComponentId,
      carry: UpdateWorkflow
    ) => Effect.Effect<Propagation, ComponentNotFound | StoreUnavailable>
  }
>()("sluice/core/workflow/component/ComponentStore") {}
