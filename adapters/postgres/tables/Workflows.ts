/** The tables of workflows and their versions, and the column of patches that follows from a patch. */

import { Canary, threshold } from "../../../core/workflow/canary/Canary.ts"
import type { Patch } from "../../../core/workflow/patch/Patch.ts"
import * as Settings from "../../../core/workflow/Settings.ts"
import type { Content, Workflow, WorkflowVersion } from "../../../core/workflow/Workflow.ts"
import type { UserId, VersionId, WorkflowId, WorkspaceId } from "../../../core/workspace/Ids.ts"
import * as Contents from "../workflow/Contents.ts"
import * as Table from "./Table.ts"

const ofWorkflow = Table.of<Workflow>()

export const table = Table.make(
  "workflows",
  {
    id: ofWorkflow(Table.uuid<WorkflowId>(), ({ id }) => id),
    workspace_id: ofWorkflow(Table.uuid<WorkspaceId>(), ({ workspaceId }) => workspaceId),
    name: ofWorkflow(Table.text, ({ name }) => name),
    description: ofWorkflow(Table.nullable(Table.text), ({ description }) => description),
    created_at: ofWorkflow(Table.instant, ({ createdAt }) => createdAt),
    updated_at: ofWorkflow(Table.instant, ({ updatedAt }) => updatedAt),
    created_by: ofWorkflow(Table.uuid<UserId>(), ({ createdBy }) => createdBy)
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

/** The columns that lists of versions show. */
const facts = {
  version_id: ofVersion(Table.uuid<VersionId>(), ({ versionId }) => versionId),
  version_number: ofVersion(Table.integer, ({ versionNumber }) => versionNumber),
  created_at: ofVersion(Table.instant, ({ createdAt }) => createdAt),
  created_by: ofVersion(Table.uuid<UserId>(), ({ createdBy }) => createdBy),
  version_note: ofVersion(Table.nullable(Table.text), ({ versionNote }) => versionNote)
}

const settings = Table.json(Table.jsonObject)

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

const withoutContent = {
  ...facts,
  workflow_id: ofVersion(Table.uuid<WorkflowId>(), ({ workflowId }) => workflowId),
  name: ofVersion(Table.text, ({ name }) => name),
  description: ofVersion(Table.nullable(Table.text), ({ description }) => description)
}

export const versions = Table.make("workflow_versions", { ...withoutContent, ...content }, ["version_id"])

export type VersionRow = Table.Row<typeof versions.columns>

const heads = Table.make("workflow_versions", withoutContent, ["version_id"])
const contents = Table.make("workflow_versions", { version_id: facts.version_id, ...content }, ["version_id"])

/** The stored content of a version. */
export type ContentRow = Table.Row<typeof contents.columns>

export const toContent = (row: ContentRow): Content => {
  const { settings, version_id, ...rest } = contents.decode(row)
  return { ...rest, settings: Settings.stored(settings) }
}

/** Caches at most 16 million characters of content, which take a few times as many bytes. */
const contentOf = Contents.make(toContent, 16_000_000)

export const toVersion = (row: VersionRow): WorkflowVersion => {
  const head = heads.decode(row)
  return {
    versionId: head.version_id,
    workflowId: head.workflow_id,
    versionNumber: head.version_number,
    createdAt: head.created_at,
    createdBy: head.created_by,
    versionNote: head.version_note,
    name: head.name,
    description: head.description,
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
  settings: Table.placed(table, row, "settings of the latest version", () =>
    Settings.stored(settings.decode(row.settings))
  )
})

/** The last canary of a workflow. */
interface KeptCanary {
  readonly workflowId: WorkflowId
  readonly canary: Canary
}

const ofCanary = Table.of<KeptCanary>()

export const canaries = Table.make(
  "canaries",
  {
    workflow_id: ofCanary(Table.uuid<WorkflowId>(), ({ workflowId }) => workflowId),
    running: ofCanary(Table.flag, ({ canary }) => canary.state === "running"),
    base_id: ofCanary(Table.uuid<VersionId>(), ({ canary }) => canary.base.versionId),
    threshold: ofCanary(Table.bigint, ({ canary }) => threshold(canary.terms)),
    body: ofCanary(Table.json(Canary), ({ canary }) => canary)
  },
  ["workflow_id"]
)

export type CanaryRow = Table.Row<typeof canaries.columns>

export const toCanary = (row: CanaryRow): KeptCanary => {
  const { body, workflow_id } = canaries.decode(row)
  return { workflowId: workflow_id, canary: body }
}

const ofPatch = Table.of<Patch>()

/** The columns of patches in addition to those of every collection. */
export const patches = Table.make(
  "patches",
  { workflow_id: ofPatch(Table.uuid<string>(), ({ workflowId }) => workflowId) },
  []
)
