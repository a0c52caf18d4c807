/** The endpoints of components and their versions. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { CreateBody, RenameBody, SaveBody } from "../../../core/workflow/component/ComponentBody.ts"
import { Problem } from "../../../core/workflow/Workflow.ts"
import { Needs } from "../Annotations.ts"
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

const group = HttpApiGroup.make("workflow components").annotate(
  OpenApi.Description,
  'Parts of graphs that several workflows use. A node of a workflow that came from a component carries `source_component_instance_id`: the id of the component, followed by ":" and a UUID of the instance if the workflow contains the component more than once. `source_component_node_id` is the id of the node within the component, if that is not its own id. Saving a new version updates every workflow whose latest version contains the component, as the next version of each; a workflow that would become invalid is left unchanged and reported under `skipped`. Deleting a component leaves its nodes in the workflows, without these marks. Several components may have the same name.'
)

export class ComponentsGroup extends group.add(
  HttpApiEndpoint.get("listComponents", "/workflow-components", { success: Schema.Array(ComponentItem) })
    .annotate(OpenApi.Summary, "List the components of the workspace, oldest first")
    .annotate(Needs, "read"),
  HttpApiEndpoint.post("createComponent", "/workflow-components", {
    payload: sent(ComponentToCreate),
    success: ComponentView.pipe(HttpApiSchema.status(201)),
    error: [Errors.BadRequest, Errors.Forbidden]
  })
    .annotate(OpenApi.Summary, "Create a component with its first version; several components may have the same name")
    .annotate(Needs, "edit"),
  HttpApiEndpoint.get("getComponent", "/workflow-components/:component_id", {
    params: component,
    success: ComponentView,
    error: Errors.NotFound
  })
    .annotate(OpenApi.Summary, "Read a component with its latest version")
    .annotate(Needs, "read"),
  HttpApiEndpoint.put("saveComponent", "/workflow-components/:component_id", {
    params: component,
    payload: sent(ComponentToSave),
    success: ComponentSaved,
    error: edits
  })
    .annotate(
      OpenApi.Summary,
      "Save the next version of a component and, unless propagate is false, update the workflows that contain it"
    )
    .annotate(Needs, "edit"),
  HttpApiEndpoint.patch("renameComponent", "/workflow-components/:component_id", {
    params: component,
    payload: sent(RenameBody),
    success: ComponentView,
    error: edits
  })
    .annotate(OpenApi.Summary, "Rename a component without creating a new version")
    .annotate(Needs, "edit"),
  HttpApiEndpoint.delete("removeComponent", "/workflow-components/:component_id", {
    params: component,
    success: HttpApiSchema.NoContent,
    error: [Errors.Forbidden, Errors.NotFound]
  })
    .annotate(OpenApi.Summary, "Delete a component; workflows that contain it keep its nodes as their own")
    .annotate(Needs, "edit"),
  HttpApiEndpoint.get("componentVersions", "/workflow-components/:component_id/versions", {
    params: component,
    success: Schema.Array(ComponentVersionView),
    error: Errors.NotFound
  })
    .annotate(OpenApi.Summary, "List the versions of a component, newest first")
    .annotate(Needs, "read"),
  HttpApiEndpoint.get("componentVersion", "/workflow-components/:component_id/versions/:version_number", {
    params: { ...component, version_number: Schema.String },
    success: ComponentVersionView,
    error: Errors.NotFound
  })
    .annotate(OpenApi.Summary, "Read one version of a component")
    .annotate(Needs, "read"),
  HttpApiEndpoint.get("componentUsage", "/workflow-components/:component_id/usage", {
    params: component,
    success: Schema.Array(WorkflowReference),
    error: Errors.NotFound
  })
    .annotate(OpenApi.Summary, "List the workflows whose latest version contains a component")
    .annotate(Needs, "read")
) {}
