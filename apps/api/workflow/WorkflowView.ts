/**
 * Workflows and their versions as the interface answers them.
 */
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import * as Gate from "../../../core/gate/Gate.ts"
import * as RunWindow from "../../../core/window/RunWindow.ts"
import { Canary } from "../../../core/workflow/canary/Canary.ts"
import * as Settings from "../../../core/workflow/Settings.ts"
import type { Problem, Workflow } from "../../../core/workflow/Workflow.ts"
import type { ListedWorkflow, StoredWorkflow, VersionSummary } from "../../../core/workflow/WorkflowStore.ts"
import * as InForce from "../gate/InForce.ts"
import { iso } from "../run/RunRecord.ts"
import { savedGraph } from "./WorkflowBody.ts"

const summaryFields = {
  id: Schema.String,
  name: Schema.String,
  description: Schema.NullOr(Schema.String),
  created_at: Schema.String,
  updated_at: Schema.String,
  workspace_id: Schema.String,
  created_by: Schema.String
}

/** A workflow as a list shows it. */
export const WorkflowItem = Schema.Struct({
  ...summaryFields,
  folder_path: Schema.NullOr(Schema.String),
  tags: Schema.Array(Schema.String),
  ...Settings.listed
}).annotate({ identifier: "WorkflowSummary" })

/** A workflow as other resources refer to it. */
export const WorkflowReference = Schema.Struct(summaryFields).annotate({ identifier: "WorkflowReference" })

/** Something that the author of a workflow probably did not mean, at its path. */
export const WorkflowWarning = Schema.Struct({ path: Schema.String, message: Schema.String }).annotate({
  identifier: "WorkflowWarning"
})

const viewFields = {
  ...summaryFields,
  workflow_id: Schema.String,
  version_id: Schema.String,
  version_number: Schema.Int,
  version_note: Schema.optionalKey(Schema.String),
  ...savedGraph,
  input_schema: Schema.JsonObject,
  output_schema: Schema.JsonObject,
  vault_schema: Schema.JsonObject,
  max_retries: Schema.Int,
  ...Settings.shown,
  run_window: Schema.NullOr(RunWindow.RunWindow),
  ...InForce.fields,
  canary_state: Schema.NullOr(Canary.fields.state).annotate({
    description: "State of the last canary of the workflow; null where it never had one"
  }),
  warnings: Schema.optionalKey(
    Schema.Array(WorkflowWarning).annotate({
      description:
        "Warnings, returned when the workflow is saved: what may be missing when a run gets there. Absent if there are none"
    })
  )
}

/** A workflow with one of its versions, every setting, and the current state of its window. */
export const WorkflowView = Schema.Struct(viewFields).annotate({ identifier: "Workflow" })

const { canary_state, lift, manual_pause, run_window, run_window_revision, warnings, ...versionFields } = viewFields

/** One version of a workflow. The run window is no part of it. */
export const VersionView = Schema.Struct(versionFields).annotate({ identifier: "WorkflowVersion" })

/** A workflow that an upsert saved, or created. */
export const Saved = Schema.Struct({ ...viewFields, created: Schema.Literal(false) }).annotate({
  identifier: "SavedWorkflow"
})
export const Created = Schema.Struct({ ...viewFields, created: Schema.Literal(true) })
  .annotate({ identifier: "CreatedWorkflow" })
  .pipe(HttpApiSchema.status(201))

export const VersionItem = Schema.Struct({
  version_id: Schema.String,
  version_number: Schema.Int,
  created_at: Schema.String,
  version_note: Schema.optionalKey(Schema.String),
  created_by: Schema.String
}).annotate({ identifier: "WorkflowVersionSummary" })

export const reference = (workflow: Workflow): typeof WorkflowReference.Type => ({
  id: workflow.id,
  name: workflow.name,
  description: workflow.description,
  created_at: iso(workflow.createdAt),
  updated_at: iso(workflow.updatedAt),
  workspace_id: workflow.workspaceId,
  created_by: workflow.createdBy
})

export const item = ({ settings, workflow }: ListedWorkflow): typeof WorkflowItem.Type => ({
  ...reference(workflow),
  ...Settings.complete(settings)
})

/** A workflow as it is at `at`. */
export const view = ({ canary, gate, version, workflow }: StoredWorkflow, at: number): typeof WorkflowView.Type => ({
  ...versionView({ version, workflow }),
  run_window: gate.runWindow,
  ...InForce.json(gate.windowRevision, Gate.inForce(gate, at)),
  canary_state: canary?.state ?? null
})

/** One version of a workflow, with the name and the description that it had in it. */
export const versionView = ({
  version,
  workflow
}: Pick<StoredWorkflow, "version" | "workflow">): typeof VersionView.Type => {
  const { edges, nodes, settings, ...content } = version.content
  return {
    ...reference(workflow),
    name: version.name,
    description: version.description,
    workflow_id: workflow.id,
    version_id: version.versionId,
    version_number: version.versionNumber,
    ...(version.versionNote === null ? {} : { version_note: version.versionNote }),
    // A save takes nothing else for nodes and edges.
    nodes: nodes as unknown as typeof savedGraph.nodes.Type,
    // As above.
    edges: edges as unknown as typeof savedGraph.edges.Type,
    ...content,
    ...Settings.complete(settings)
  }
}

/** A saved workflow with the warnings about it. */
export const withWarnings = (
  stored: StoredWorkflow,
  at: number,
  warnings: ReadonlyArray<Problem>
): typeof WorkflowView.Type => ({
  ...view(stored, at),
  ...(warnings.length === 0 ? {} : { warnings })
})

export const versionItem = (version: VersionSummary): typeof VersionItem.Type => ({
  version_id: version.versionId,
  version_number: version.versionNumber,
  created_at: iso(version.createdAt),
  created_by: version.createdBy,
  ...(version.versionNote === null ? {} : { version_note: version.versionNote })
})
