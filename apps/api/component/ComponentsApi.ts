/** The endpoints of components and their versions. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { CreateBody, RenameBody, SaveBody } from "../../../core/workflow/component/ComponentBody.ts"
import { Problem } from "../../../core/workflow/Workflow.ts"
import { edits } from "../http/body/Fields.ts"
import { sent } from "../http/body/Sent.ts"
import * as Errors from "../http/Errors.ts"
import { ComponentDataToSave, SavedComponentData } from "../workflow/WorkflowBody.ts"
import { WorkflowReference } from "../workflow/WorkflowView.ts"

const ComponentToCreate = Schema.Struct({ ...CreateBody.fields, componentData: ComponentDataToSave }).annotate({
  identifier: "ComponentToCreate"
})

const ComponentToSave = Schema.Struct({ ...SaveBody.fields, componentData: ComponentDataToSave }).annotate({
  identifier: "ComponentToSave"
})

const component = { component_id: Schema.String }

const summary = {
  id: Schema.String,
  name: Schema.String,
  created_at: Schema.String,
  updated_at: Schema.String,
  created_by: Schema.String
}

export const ComponentItem = Schema.Struct(summary).annotate({ identifier: "ComponentSummary" })

/** A component with its latest version. */
export const ComponentView = Schema.Struct({
  ...summary,
  workspace_id: Schema.String,
  component_data: SavedComponentData,
  version_number: Schema.Int,
  version_note: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Component" })

export const ComponentVersionView = Schema.Struct({
  id: Schema.String,
  component_id: Schema.String,
  version_number: Schema.Int,
  component_data: SavedComponentData,
  created_at: Schema.String,
  version_note: Schema.NullOr(Schema.String),
  created_by: Schema.String
}).annotate({ identifier: "ComponentVersion" })

/** A new version, and the workflows that took it over or could not. */
export const ComponentSaved = Schema.Struct({
  version_number: Schema.Int,
  propagated: Schema.Array(Schema.String),
  skipped: Schema.Array(Schema.Struct({ workflow_id: Schema.String, problems: Schema.Array(Problem) }))
}).annotate({ identifier: "SavedComponent" })

export class ComponentsGroup extends HttpApiGroup.make("workflow components").add(
  HttpApiEndpoint.get("listComponents", "/workflow-components", { success: Schema.Array(ComponentItem) }),
  HttpApiEndpoint.post("createComponent", "/workflow-components", {
    payload: sent(ComponentToCreate),
    success: ComponentView.pipe(HttpApiSchema.status(201)),
    error: [Errors.BadRequest, Errors.Forbidden]
  }),
  HttpApiEndpoint.get("getComponent", "/workflow-components/:component_id", {
    params: component,
    success: ComponentView,
    error: Errors.NotFound
  }),
  HttpApiEndpoint.put("saveComponent", "/workflow-components/:component_id", {
    params: component,
    payload: sent(ComponentToSave),
    success: ComponentSaved,
    error: edits
  }),
  HttpApiEndpoint.patch("renameComponent", "/workflow-components/:component_id", {
    params: component,
    payload: sent(RenameBody),
    success: ComponentView,
    error: edits
  }),
  HttpApiEndpoint.delete("removeComponent", "/workflow-components/:component_id", {
    params: component,
    success: HttpApiSchema.NoContent,
    error: [Errors.Forbidden, Errors.NotFound]
  }),
  HttpApiEndpoint.get("componentVersions", "/workflow-components/:component_id/versions", {
    params: component,
    success: Schema.Array(ComponentVersionView),
    error: Errors.NotFound
  }),
  HttpApiEndpoint.get("componentVersion", "/workflow-components/:component_id/versions/:version_number", {
    params: { ...component, version_number: Schema.String },
    success: ComponentVersionView,
    error: Errors.NotFound
  }),
  HttpApiEndpoint.get("componentUsage", "/workflow-components/:component_id/usage", {
    params: component,
    success: Schema.Array(WorkflowReference),
    error: Errors.NotFound
  })
) {}
