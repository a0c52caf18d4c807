/** The endpoints of workspaces, their settings and their API keys. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Role } from "../../../core/workspace/Workspace.ts"
import * as Errors from "../request/Errors.ts"
import { edits, optional } from "../request/Fields.ts"

const Me = Schema.Struct({ user_id: Schema.String, role: Role, workspace_id: Schema.String }).annotate({
  identifier: "Me"
})

const Member = Schema.Struct({ user_id: Schema.String, role: Role }).annotate({ identifier: "Member" })

/** There are no organisations above workspaces here: each workspace is its own. */
const workspace = {
  id: Schema.String,
  organization_id: Schema.String,
  name: Schema.String,
  created_at: Schema.String,
  /** The role of the key that asks. */
  role: Role
}

export const WorkspaceRecord = Schema.Struct({
  ...workspace,
  members: Schema.optionalKey(Schema.Array(Member))
}).annotate({ identifier: "Workspace" })

export const WorkspaceSettings = Schema.Struct({
  workspace_id: Schema.String,
  name: Schema.String,
  /** How long a run may wait before it is stopped; `null` lets it wait for ever. */
  waiting_ttl_seconds: Schema.NullOr(Schema.Finite)
}).annotate({ identifier: "WorkspaceSettings" })

const title = Schema.String.check(Schema.isNonEmpty({ message: "Expected a name" }), Schema.isMaxLength(256))

const aYear = 31_536_000

const SettingsChanges = Schema.Struct({
  name: optional(title),
  waiting_ttl_seconds: optional(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: aYear }))).annotate({
    description: "null lets runs wait for ever; left out, it stays as it is. Runs submitted before keep what they had"
  })
}).annotate({ identifier: "WorkspaceSettingsChanges", parseOptions: { errors: "all" } })

const apiKey = {
  id: Schema.String,
  name: Schema.NullOr(Schema.String),
  role: Role,
  user_id: Schema.String,
  created_at: Schema.String,
  revoked_at: Schema.NullOr(Schema.String)
}

export const ApiKeyRecord = Schema.Struct(apiKey).annotate({ identifier: "ApiKey" })

const NewApiKey = Schema.Struct({ ...apiKey, key: Schema.String }).annotate({ identifier: "NewApiKey" })

const settings = { workspace_id: Schema.String }

export class WorkspacesGroup extends HttpApiGroup.make("workspaces")
  .add(
    HttpApiEndpoint.get("me", "/me", { success: Me }).annotate(OpenApi.Summary, "Tell who the key speaks for"),
    HttpApiEndpoint.get("myWorkspaces", "/me/workspaces", { success: Schema.Array(WorkspaceRecord) }).annotate(
      OpenApi.Summary,
      "List the workspaces that the key belongs to, which is one"
    ),
    HttpApiEndpoint.get("listWorkspaces", "/workspaces", {
      query: {
        organization_id: Schema.optionalKey(Schema.String),
        load_members: Schema.optionalKey(Schema.Literals(["true", "false"]))
      },
      success: Schema.Array(WorkspaceRecord)
    }).annotate(OpenApi.Summary, "List the workspaces of the key, with load_members=true also who works in them"),
    HttpApiEndpoint.get("getSettings", "/workspaces/:workspace_id/settings", {
      params: settings,
      success: WorkspaceSettings,
      error: Errors.NotFound
    }).annotate(OpenApi.Summary, "Read the settings of the workspace"),
    HttpApiEndpoint.patch("changeSettings", "/workspaces/:workspace_id/settings", {
      params: settings,
      payload: SettingsChanges,
      success: WorkspaceSettings,
      error: edits
    }).annotate(OpenApi.Summary, "Change the given settings of the workspace"),
    HttpApiEndpoint.get("listApiKeys", "/api-keys", {
      success: Schema.Array(ApiKeyRecord),
      error: Errors.Forbidden
    }).annotate(
      OpenApi.Summary,
      "List the API keys of the workspace, revoked ones included; never the keys themselves"
    ),
    HttpApiEndpoint.post("makeApiKey", "/api-keys", {
      payload: Schema.Struct({ role: Role, name: optional(title) }).annotate({
        identifier: "ApiKeyToMake",
        parseOptions: { errors: "all" }
      }),
      success: NewApiKey.pipe(HttpApiSchema.status(201)),
      error: [Errors.BadRequest, Errors.Forbidden]
    }).annotate(OpenApi.Summary, "Make an API key of a new user; the key is shown this once"),
    HttpApiEndpoint.delete("revokeApiKey", "/api-keys/:api_key_id", {
      params: { api_key_id: Schema.String },
      success: ApiKeyRecord,
      error: [Errors.Forbidden, Errors.NotFound, Errors.Conflict]
    }).annotate(OpenApi.Summary, "Revoke an API key at once, unless it is the last one with the role Owner")
  )
  .annotate(OpenApi.Description, "The workspace of a key: who works in it, how it is set, and its API keys") {}
