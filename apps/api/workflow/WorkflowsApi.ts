/** The endpoints of workflows and their versions. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { InputError } from "../../../core/workflow/contract/InputContract.ts"
import { jsonObject } from "../../../core/workspace/request/ParsedJson.ts"
import { MaxBody, mebibytes, Needs, TakesForm, TakesTags } from "../Annotations.ts"
import * as InForce from "../gate/InForce.ts"
import { edits, optional, wholeNumber, workflow } from "../http/body/Fields.ts"
import { large } from "../http/body/LargeBody.ts"
import { sent } from "../http/body/Sent.ts"
import * as Errors from "../http/Errors.ts"
import * as IfMatch from "../http/IfMatch.ts"
import { ConvertedWorkflow, FileToConvert } from "./ConvertBody.ts"
import { Import, WorkflowBundle, WorkflowFork, WorkflowToSave, WorkflowToUpsert } from "./WorkflowBody.ts"
import {
  Created,
  Saved,
  VersionItem,
  VersionView,
  WorkflowItem,
  WorkflowView,
  WorkflowWarning
} from "./WorkflowView.ts"

const Metadata = Schema.Struct({
  input_schema: Schema.JsonObject,
  workspace_id: Schema.String,
  vault_schema: Schema.JsonObject,
  ...InForce.fields
}).annotate({ identifier: "WorkflowMetadata" })

/** A page of the workflows that lie in one folder, with the folders around. The top is the folder "". */
const FolderPage = Schema.Struct({
  folderPath: Schema.String,
  folders: Schema.Array(
    Schema.Struct({ name: Schema.String, path: Schema.String, workflow_count: Schema.Int }).annotate({
      description: "A folder directly below. The count takes in the workflows of all folders below it"
    })
  ),
  allFolderPaths: Schema.Array(Schema.String),
  workflows: Schema.Array(WorkflowItem),
  workflowTotal: Schema.Int,
  page: Schema.Int,
  pageSize: Schema.Int
}).annotate({ identifier: "WorkflowFolder" })

const InputVerdict = Schema.Struct({
  valid: Schema.Boolean,
  schema_error: Schema.NullOr(Schema.String),
  errors: Schema.NullOr(
    Schema.Array(
      Schema.Struct({
        field: InputError.fields.field,
        message: Schema.String,
        keyword: Schema.String,
        expected: Schema.JsonObject
      })
    )
  )
}).annotate({ identifier: "InputVerdict" })

const ExamplePayload = Schema.Struct({
  name: Schema.String,
  payload: Schema.JsonObject,
  expectedOutcome: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "ExamplePayload" })

/** Describes the header that names the state of a workflow on which a change is based. */
const ifMatch = IfMatch.described(
  'The ETag of the workflow that was read, such as "5-3" of its version and its run window: another one is answered with 412. * is any'
)

const created = WorkflowView.pipe(HttpApiSchema.status(201))

const group = HttpApiGroup.make("workflows").annotate(
  OpenApi.Description,
  "Automations, in numbered versions that never change"
)

export class WorkflowsGroup extends group.add(
  HttpApiEndpoint.post("create", "/workflows", {
    payload: large(sent(WorkflowToSave)),
    success: created,
    error: [Errors.BadRequest, Errors.Forbidden]
  })
    .annotate(OpenApi.Summary, "Create a workflow with its first version, and its run window if the body contains one")
    .annotate(Needs, "edit")
    .annotate(MaxBody, mebibytes(5)),
  HttpApiEndpoint.get("list", "/workflows", {
    query: {
      folder_path: Schema.optionalKey(Schema.String),
      tag: Schema.optionalKey(Schema.String.annotate({ description: "Only workflows with this tag" })),
      limit: wholeNumber(1, 10_000),
      cursor: Schema.optionalKey(Schema.String)
    },
    success: Schema.Array(WorkflowItem),
    error: Errors.BadRequest
  })
    .annotate(
      OpenApi.Description,
      "A page of at most limit workflows, 10000 unless set. The header x-next-cursor is the cursor of the next page, where there is one"
    )
    .annotate(OpenApi.Summary, "List the workflows of the workspace, last changed first")
    .annotate(Needs, "read"),
  HttpApiEndpoint.get("folders", "/workflows/folders", {
    query: {
      folder_path: Schema.optionalKey(Schema.String),
      search: Schema.optionalKey(Schema.String),
      page: wholeNumber(0, 1_000_000),
      page_size: wholeNumber(1, 1_000)
    },
    success: FolderPage,
    error: Errors.BadRequest
  })
    .annotate(OpenApi.Summary, "List one folder of workflows page by page, with its subfolders")
    .annotate(Needs, "read")
    .annotateMerge(
      OpenApi.annotations({
        description:
          "The workflows of one folder, by page, and the folders below it. With a search, the workflows in the folder and below it that have the text in their name, and the folders directly below that do"
      })
    ),
  HttpApiEndpoint.post("upsert", "/workflows/upsert", {
    payload: large(sent(WorkflowToUpsert)),
    success: [Saved, Created],
    error: [...edits, Errors.Conflict]
  })
    .annotate(
      OpenApi.Summary,
      "Save the next version of the workflow with this id, or with this name in its folder; create it if there is none"
    )
    .annotate(Needs, "edit")
    .annotate(MaxBody, mebibytes(5))
    .annotateMerge(
      OpenApi.annotations({
        description:
          "Saves the workflow whose id (or workflow_id) the body has, or creates it with that id. Without an id, saves the workflow of exactly that name in the same folder, or creates it. The answer says which it was: created, with 200 or 201"
      })
    ),
  HttpApiEndpoint.post("import", "/workflows/import", {
    payload: large(sent(Import)),
    success: created,
    error: [Errors.BadRequest, Errors.Forbidden]
  })
    .annotate(OpenApi.Summary, "Create a workflow from a bundle, with the components that it needs")
    .annotate(Needs, "edit")
    .annotate(MaxBody, mebibytes(5))
    .annotateMerge(
      OpenApi.annotations({
        description:
          "Accepts an exported workflow, or one as it was read by GET, either as the body or as the field bundle. The ids of one that was read are ignored; the error codes that its nodes name must be those of this workspace. A run_window beside bundle replaces the run window of the bundle, and null removes it. Components are matched by name and content, or created"
      })
    ),
  HttpApiEndpoint.post("convert", "/workflows/convert", {
    payload: large(FileToConvert),
    success: ConvertedWorkflow,
    error: [Errors.BadRequest, Errors.Forbidden]
  })
    .annotate(
      OpenApi.Summary,
      "Make a workflow of a recording, a script or a workflow of another program, with a report on each of its steps"
    )
    .annotate(Needs, "edit")
    .annotate(MaxBody, mebibytes(10))
    .annotate(TakesForm, true)
    .annotateMerge(
      OpenApi.annotations({
        description:
          "Recognises the format by the content. Takes a form with the file as well; what is wrong in it is reported at content. Saves nothing: the answer has the workflow as the body that creates it. The report has one entry for each step of the file. Passwords, codes and tokens in the file are not in the answer"
      })
    ),
  HttpApiEndpoint.get("get", "/workflows/:workflow_id", {
    params: workflow,
    success: WorkflowView,
    error: Errors.NotFound
  })
    .annotate(OpenApi.Summary, "Read a workflow with its latest version")
    .annotate(Needs, "read"),
  HttpApiEndpoint.put("save", "/workflows/:workflow_id", {
    params: workflow,
    payload: large(sent(WorkflowToSave)),
    success: WorkflowView,
    error: [...edits, Errors.Conflict, Errors.PreconditionFailed]
  })
    .annotate(
      OpenApi.Summary,
      "Save the next version of a workflow, if anything in it changes; its run window changes only if the body has run_window, and null deletes it"
    )
    .annotate(Needs, "edit")
    .annotate(MaxBody, mebibytes(5))
    .annotate(TakesTags, true)
    .annotateMerge(ifMatch),
  HttpApiEndpoint.delete("remove", "/workflows/:workflow_id", {
    params: workflow,
    success: Schema.Struct({ success: Schema.Boolean, id: Schema.String }),
    error: [Errors.Forbidden, Errors.NotFound, Errors.PreconditionFailed]
  })
    .annotate(OpenApi.Summary, "Delete a workflow; its waiting runs are stopped, and the records of its runs are kept")
    .annotate(Needs, "edit")
    .annotate(TakesTags, true)
    .annotateMerge(ifMatch)
    .annotateMerge(
      OpenApi.annotations({
        description:
          "Deletes a workflow and its versions. Waiting runs are stopped with WORKFLOW_DELETED, running ones finish, and the records of its runs stay"
      })
    ),
  HttpApiEndpoint.get("versions", "/workflows/:workflow_id/versions", {
    params: workflow,
    success: Schema.Array(VersionItem),
    error: Errors.NotFound
  })
    .annotate(OpenApi.Summary, "List the versions of a workflow, newest first")
    .annotate(Needs, "read"),
  HttpApiEndpoint.get("version", "/workflows/:workflow_id/versions/:version_number", {
    params: { ...workflow, version_number: Schema.String },
    success: VersionView,
    error: Errors.NotFound
  })
    .annotate(OpenApi.Summary, "Read one version of a workflow")
    .annotate(Needs, "read"),
  HttpApiEndpoint.get("metadata", "/workflows/:workflow_id/metadata", {
    params: workflow,
    success: Metadata,
    error: Errors.NotFound
  })
    .annotate(OpenApi.Summary, "Read which inputs and credentials a run of the workflow needs")
    .annotate(Needs, "read"),
  HttpApiEndpoint.get("export", "/workflows/:workflow_id/export", {
    params: workflow,
    success: WorkflowBundle,
    error: Errors.NotFound
  })
    .annotate(OpenApi.Summary, "Export a workflow as a bundle that can be imported elsewhere")
    .annotate(Needs, "read")
    .annotateMerge(
      OpenApi.annotations({
        description:
          "The latest version with its window and components, and nothing that belongs to this workspace: no ids of it, no secrets. The same workflow gives the same bundle"
      })
    ),
  HttpApiEndpoint.post("fork", "/workflows/:workflow_id/fork", {
    params: workflow,
    payload: [Schema.Null, sent(WorkflowFork)],
    success: created,
    error: edits
  })
    .annotate(OpenApi.Summary, "Copy a workflow from its latest version or from a given one")
    .annotate(Needs, "edit"),
  HttpApiEndpoint.post("validateInput", "/workflows/:workflow_id/validate-input", {
    params: workflow,
    payload: [Schema.Null, large(Schema.Struct({ run_input_variables: optional(jsonObject) }))],
    success: InputVerdict,
    error: [Errors.BadRequest, Errors.NotFound]
  })
    .annotate(OpenApi.Summary, "Validate an input as a submission would, without starting a run")
    .annotate(Needs, "read")
    .annotate(MaxBody, mebibytes(25))
    .annotateMerge(
      OpenApi.annotations({
        description: "Validates an input as a submission would. A placeholder such as <bank> stands for any credential"
      })
    ),
  HttpApiEndpoint.post("examplePayloads", "/workflows/:workflow_id/example-payloads", {
    params: workflow,
    success: Schema.Array(ExamplePayload),
    error: Errors.NotFound
  })
    .annotate(OpenApi.Summary, "Generate inputs that satisfy the input schema from its examples, defaults and choices")
    .annotate(Needs, "read"),
  HttpApiEndpoint.get("warnings", "/workflows/:workflow_id/warnings", {
    params: workflow,
    success: Schema.Struct({ warnings: Schema.Array(WorkflowWarning) }).annotate({ identifier: "WorkflowWarnings" }),
    error: Errors.NotFound
  })
    .annotate(OpenApi.Summary, "Read the warnings about the latest version of a workflow")
    .annotate(Needs, "read")
) {}
