/** The tables of workflows and their versions. */
import { Settings, type Workflow, type WorkflowVersion } from "../../../core/workflow/Workflow.ts"
import { UserId, VersionId, WorkflowId, WorkspaceId } from "../../../core/workspace/Ids.ts"
import * as Contents from "../workflow/Contents.ts"
import * as Table from "./Table.ts"

const ofWorkflow = Table.of<Workflow>()

export const table = Table.make(
  "workflows",
  {
    id: ofWorkflow(Table.uuid(WorkflowId), ({ id }) => id),
    workspace_id: ofWorkflow(Table.uuid(WorkspaceId), ({ workspaceId }) => workspaceId),
    name: ofWorkflow(Table.text, ({ name }) => name),
    description: ofWorkflow(Table.nullable(Table.text), ({ description }) => description),
    created_at: ofWorkflow(Table.instant, ({ createdAt }) => createdAt),
    updated_at: ofWorkflow(Table.instant, ({ updatedAt }) => updatedAt),
    created_by: ofWorkflow(Table.uuid(UserId), ({ createdBy }) => createdBy)
  },
  ["id"]
)

export type Row = Table.Row<typeof table.columns>

export const toWorkflow = (row: Row): Workflow => {
  const stored = table.decode(row)
  return {
    id: stored.id,
    workspaceId: stored.workspace_id,
    name: stored.name,
    description: stored.description,
    createdAt: stored.created_at,
    updatedAt: stored.updated_at,
    createdBy: stored.created_by
  }
}

const ofVersion = Table.of<WorkflowVersion>()

/** What lists of versions show. */
const facts = {
  version_id: ofVersion(Table.uuid(VersionId), ({ versionId }) => versionId),
  version_number: ofVersion(Table.integer, ({ versionNumber }) => versionNumber),
  created_at: ofVersion(Table.instant, ({ createdAt }) => createdAt),
  created_by: ofVersion(Table.uuid(UserId), ({ createdBy }) => createdBy),
  version_note: ofVersion(Table.nullable(Table.text), ({ versionNote }) => versionNote)
}

const settings = Table.json(Settings)

/** What says which version it is. */
const identity = { ...facts, workflow_id: ofVersion(Table.uuid(WorkflowId), ({ workflowId }) => workflowId) }

// Each column by the schema of its field in `Content`, but JSON is not checked again all the way down.
const content = {
  nodes: ofVersion(Table.json(Table.anyJson), ({ content }) => content.nodes),
  edges: ofVersion(Table.json(Table.anyJson), ({ content }) => content.edges),
  input_schema: ofVersion(Table.json(Table.jsonObject), ({ content }) => content.input_schema),
  output_schema: ofVersion(Table.json(Table.jsonObject), ({ content }) => content.output_schema),
  vault_schema: ofVersion(Table.json(Table.jsonObject), ({ content }) => content.vault_schema),
  max_retries: ofVersion(Table.integer, ({ content }) => content.max_retries),
  settings: ofVersion(settings, ({ content }) => content.settings)
}

export const versions = Table.make("workflow_versions", { ...identity, ...content }, ["version_id"])

const identities = Table.make("workflow_versions", identity, ["version_id"])
const contents = Table.make("workflow_versions", content, ["version_id"])

export type VersionRow = Table.Row<typeof versions.columns>

/** The content of a row. It has the names and values of the columns. */
const contentOf = Contents.make<VersionRow>(
  // They take a few times as many bytes.
  16_000_000,
  (row) => contents.decode(row),
  ({ edges, input_schema, nodes, output_schema, settings, vault_schema }) =>
    nodes.length + edges.length + input_schema.length + output_schema.length + settings.length + vault_schema.length
)

export const toVersion = (row: VersionRow): WorkflowVersion => {
  const stored = identities.decode(row)
  return {
    versionId: stored.version_id,
    workflowId: stored.workflow_id,
    versionNumber: stored.version_number,
    createdAt: stored.created_at,
    createdBy: stored.created_by,
    versionNote: stored.version_note,
    content: contentOf(row)
  }
}

const history = Table.make("workflow_versions", facts, ["version_id"])

/** A version without its content. */
export type HistoryRow = Table.Row<typeof history.columns>

export const toHistory = (row: HistoryRow) => {
  const { created_at, created_by, version_id, version_note, version_number } = history.decode(row)
  return {
    versionId: version_id,
    versionNumber: version_number,
    createdAt: created_at,
    createdBy: created_by,
    versionNote: version_note
  }
}

/** A workflow with the settings of its latest version. */
export type ListedRow = Row & { readonly settings: string }

export const toListed = (row: ListedRow) => ({
  workflow: toWorkflow(row),
  settings: Table.placed(table, row, "settings of the latest version", () => settings.decode(row.settings))
})
