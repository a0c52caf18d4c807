/** The tables of components and their versions. */
import {
  type Component,
  ComponentData,
  type ComponentId,
  type ComponentVersion
} from "../../../core/workflow/component/Component.ts"
import type { UserId, WorkflowId, WorkspaceId } from "../../../core/workspace/Ids.ts"
import * as Table from "./Table.ts"

const ofComponent = Table.of<Component>()

export const table = Table.make(
  "components",
  {
    id: ofComponent(Table.uuid<ComponentId>(), ({ id }) => id),
    workspace_id: ofComponent(Table.uuid<WorkspaceId>(), ({ workspaceId }) => workspaceId),
    name: ofComponent(Table.text, ({ name }) => name),
    created_at: ofComponent(Table.instant, ({ createdAt }) => createdAt),
    updated_at: ofComponent(Table.instant, ({ updatedAt }) => updatedAt),
    created_by: ofComponent(Table.uuid<UserId>(), ({ createdBy }) => createdBy)
  },
  ["id"]
)

export type Row = Table.Row<typeof table.columns>

export const toComponent = (row: Row): Component => {
  const stored = table.decode(row)
  return {
    id: stored.id,
    workspaceId: stored.workspace_id,
    name: stored.name,
    createdAt: stored.created_at,
    updatedAt: stored.updated_at,
    createdBy: stored.created_by
  }
}

const ofVersion = Table.of<ComponentVersion>()

export const versions = Table.make(
  "component_versions",
  {
    id: ofVersion(Table.uuid<string>(), ({ id }) => id),
    component_id: ofVersion(Table.uuid<ComponentId>(), ({ componentId }) => componentId),
    version_number: ofVersion(Table.integer, ({ versionNumber }) => versionNumber),
    created_at: ofVersion(Table.instant, ({ createdAt }) => createdAt),
    created_by: ofVersion(Table.uuid<UserId>(), ({ createdBy }) => createdBy),
    version_note: ofVersion(Table.nullable(Table.text), ({ versionNote }) => versionNote),
    component_data: ofVersion(Table.json(ComponentData), ({ data }) => data)
  },
  ["id"]
)

export type VersionRow = Table.Row<typeof versions.columns>

export const toVersion = (row: VersionRow): ComponentVersion => {
  const stored = versions.decode(row)
  return {
    id: stored.id,
    componentId: stored.component_id,
    versionNumber: stored.version_number,
    data: stored.component_data,
    createdAt: stored.created_at,
    createdBy: stored.created_by,
    versionNote: stored.version_note
  }
}

/** A component that the latest version of a workflow holds. */
interface Use {
  readonly componentId: string
  readonly workflowId: WorkflowId
}

const ofUse = Table.of<Use>()

export const uses = Table.make(
  "workflow_components",
  {
    component_id: ofUse(Table.uuid<string>(), ({ componentId }) => componentId),
    workflow_id: ofUse(Table.uuid<WorkflowId>(), ({ workflowId }) => workflowId)
  },
  ["component_id", "workflow_id"]
)
