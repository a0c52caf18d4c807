/** The endpoints of workspaces, their settings and their API keys. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Role, signedUrlTtlSeconds } from "../../../core/workspace/Workspace.ts"
import { Needs, TellsSecret } from "../Annotations.ts"
import { edits, optional } from "../http/body/Fields.ts"
import * as Errors from "../http/Errors.ts"

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
  /** How long a run may wait before it is stopped; `null`: without limit. */
  waiting_ttl_seconds: Schema.NullOr(Schema.Finite),
  /** How long a run waits for corrected inputs. */
  input_required_timeout_seconds: Schema.Int,
  /** How long the signed addresses of files, screenshots and videos work. */
  signed_url_ttl_seconds: Schema.Int,
  /** The number of the workspace's own that codes come to by SMS. */
  phone_number: Schema.NullOr(Schema.String)
}).annotate({ identifier: "WorkspaceSettings" })

const title = Schema.String.check(Schema.isNonEmpty({ message: "Expected a name" }), Schema.isMaxLength(256))

const aYear = 31_536_000

const SettingsChanges = Schema.Struct({
  name: optional(title),
  waiting_ttl_seconds: optional(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: aYear }))).annotate({
    description:
      "null lets runs wait without limit; if omitted, the setting does not change. Runs submitted earlier keep their limit"
  }),
  input_required_timeout_seconds: optional(Schema.Int).annotate({
    description: "Clamped to 5 to 300"
  }),
  signed_url_ttl_seconds: optional(Schema.Int.check(Schema.isBetween(signedUrlTtlSeconds))).annotate({
    description: "One hour to seven days, in seconds. Addresses signed earlier keep their expiry"
  }),
  phone_number: optional(Schema.String.check(Schema.isMaxLength(64))).annotate({
    description:
      "A number such as +15551234567, of no other workspace, whose SMS reach this service; null takes it away, left out, it stays"
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

const group = HttpApiGroup.make("workspaces").annotate(
  OpenApi.Description,
  "The workspace of a key: its members, its settings and its API keys"
)

export class WorkspacesGroup extends group.add(
  HttpApiEndpoint.get("me", "/me", { success: Me })
    .annotate(OpenApi.Summary, "Read the user, role and workspace of the key")
    .annotate(Needs, "read"),
  HttpApiEndpoint.get("myWorkspaces", "/me/workspaces", { success: Schema.Array(WorkspaceRecord) })
    .annotate(OpenApi.Summary, "List the workspaces of the key, which is exactly one")
    .annotate(Needs, "read"),
  HttpApiEndpoint.get("listWorkspaces", "/workspaces", {
    query: {
      organization_id: Schema.optionalKey(Schema.String),
      load_members: Schema.optionalKey(Schema.Literals(["true", "false"]))
    },
    success: Schema.Array(WorkspaceRecord)
  })
    .annotate(OpenApi.Summary, "List the workspaces of the key; with load_members=true, with their members")
    .annotate(Needs, "read"),
  HttpApiEndpoint.get("getSettings", "/workspaces/:workspace_id/settings", {
    params: settings,
    success: WorkspaceSettings,
    error: Errors.NotFound
  })
    .annotate(OpenApi.Summary, "Read the settings of the workspace")
    .annotate(Needs, "read"),
  HttpApiEndpoint.patch("changeSettings", "/workspaces/:workspace_id/settings", {
    params: settings,
    payload: SettingsChanges,
    success: WorkspaceSettings,
    error: [...edits, Errors.Conflict]
  })
    .annotate(OpenApi.Summary, "Change the given settings of the workspace")
    .annotate(Needs, "manage"),
  HttpApiEndpoint.get("listApiKeys", "/api-keys", {
    success: Schema.Array(ApiKeyRecord),
    error: Errors.Forbidden
  })
    .annotate(
      OpenApi.Summary,
      "List the API keys of the workspace, including revoked ones; the secret values are never returned"
    )
    .annotate(Needs, "manage"),
  HttpApiEndpoint.post("makeApiKey", "/api-keys", {
    payload: Schema.Struct({ role: Role, name: optional(title) }).annotate({
      identifier: "ApiKeyToMake"
    }),
    success: NewApiKey.pipe(HttpApiSchema.status(201)),
    error: [Errors.BadRequest, Errors.Forbidden]
  })
    .annotate(OpenApi.Summary, "Create an API key for a new user; the key is returned only once")
    .annotate(Needs, "manage")
    .annotate(TellsSecret, true),
  HttpApiEndpoint.delete("revokeApiKey", "/api-keys/:api_key_id", {
    params: { api_key_id: Schema.String },
    success: ApiKeyRecord,
    error: [Errors.Forbidden, Errors.NotFound, Errors.Conflict]
  })
    .annotate(OpenApi.Summary, "Revoke an API key immediately, unless it is the last one with the role Owner")
    .annotate(Needs, "manage")
) {}
