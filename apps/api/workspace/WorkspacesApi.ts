/** The endpoints of workspaces, their settings and their API keys. */

import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import * as TextLength from "../../../core/window/TextLength.ts"
import { Kind as RetentionKind } from "../../../core/workspace/retention/RetentionDays.ts"
import { Role, Scope, signedUrlTtlSeconds } from "../../../core/workspace/Workspace.ts"
import { Needs, NeedsFreshSignIn, TellsSecret } from "../Annotations.ts"
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

const retentionDays = Schema.Record(RetentionKind, Schema.NullOr(Schema.Int))

export const WorkspaceSettings = Schema.Struct({
  workspace_id: Schema.String,
  name: Schema.String,
  /** How long a run may wait before it is stopped; `null`: without limit. */
  waiting_ttl_seconds: Schema.NullOr(Schema.Finite),
  /** How long a run waits for corrected inputs. */
  input_required_timeout_seconds: Schema.Int,
  /** How long the signed addresses of files, screenshots and videos work. */
  signed_url_ttl_seconds: Schema.Int,
  retention_days: retentionDays.annotate({
    description:
      "For how many days after the end of a run the workspace keeps each kind; null where the workspace has not set it"
  }),
  retention_days_in_force: retentionDays.annotate({
    description: "The same with the settings of the installation; null is without limit"
  }),
  /** The number of the workspace's own that codes come to by SMS. */
  phone_number: Schema.NullOr(Schema.String)
}).annotate({ identifier: "WorkspaceSettings" })

export const title = Schema.String.check(Schema.isNonEmpty({ message: "Expected a name" }), TextLength.atMost(256))

/** What a key is restricted to; without them it may do what its role allows. */
export const scopes = optional(Schema.Array(Scope).check(Schema.isMinLength(1), Schema.isMaxLength(3)))

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
  retention_days: optional(
    Schema.Record(RetentionKind, optional(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 36_500 }))))
  ).annotate({
    description:
      "For how many days after the end of a run each kind is kept, at most as long as the installation keeps it. runs are removed with everything of them; the other kinds may be removed before their runs. Kinds that are left out do not change; null gives a kind back to the setting of the installation"
  }),
  phone_number: optional(Schema.String.check(TextLength.atMost(64))).annotate({
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
  revoked_at: Schema.NullOr(Schema.String),
  scopes: Schema.NullOr(Schema.Array(Scope)).annotate({
    description: "What the key is restricted to, of what its role allows; null where it is not restricted"
  }),
  expires_at: Schema.NullOr(Schema.String),
  last_used_at: Schema.NullOr(Schema.String).annotate({
    description: "When the key was last used: written once a minute, so that it may be a minute behind"
  })
}

export const ApiKeyRecord = Schema.Struct(apiKey).annotate({ identifier: "ApiKey" })

const aDay = 86_400

const MadeWorkspace = Schema.Struct({
  ...workspace,
  api_key: Schema.Struct({ ...apiKey, key: Schema.String }).annotate({
    description: "A key of the Owner of the new workspace, which is returned only once"
  })
}).annotate({ identifier: "MadeWorkspace" })

const RotatedApiKey = Schema.Struct({
  ...apiKey,
  key: Schema.String,
  former: Schema.Struct(apiKey)
}).annotate({ identifier: "RotatedApiKey" })

export const NewApiKey = Schema.Struct({ ...apiKey, key: Schema.String }).annotate({ identifier: "NewApiKey" })

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
  HttpApiEndpoint.post("createWorkspace", "/workspaces", {
    payload: Schema.Struct({ name: title }).annotate({ identifier: "WorkspaceToMake" }),
    success: MadeWorkspace.pipe(HttpApiSchema.status(201)),
    error: [Errors.BadRequest, Errors.Forbidden]
  })
    .annotate(
      OpenApi.Summary,
      "Create a workspace with a key of its Owner; only Owners of the first workspace of the installation may"
    )
    .annotate(Needs, "manage")
    .annotate(NeedsFreshSignIn, true)
    .annotate(TellsSecret, true),
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
    payload: Schema.Struct({
      role: Role,
      name: optional(title),
      scopes: scopes.annotate({
        description:
          "Restricts the key: read; run, which also starts runs, stops them and answers what they ask; or edit, which also changes workflows and credentials. A restricted key never manages keys or settings. If omitted, it may do what its role allows"
      }),
      expires_in_seconds: optional(Schema.Int.check(Schema.isBetween({ minimum: 60, maximum: 10 * aYear }))).annotate({
        description: "The key is not accepted any more after this time; if omitted, it does not expire"
      })
    }).annotate({ identifier: "ApiKeyToMake" }),
    success: NewApiKey.pipe(HttpApiSchema.status(201)),
    error: [Errors.BadRequest, Errors.Forbidden]
  })
    .annotate(OpenApi.Summary, "Create an API key for a new user; the key is returned only once")
    .annotate(Needs, "manage")
    .annotate(NeedsFreshSignIn, true)
    .annotate(TellsSecret, true),
  HttpApiEndpoint.post("rotateApiKey", "/api-keys/:api_key_id/rotate", {
    params: { api_key_id: Schema.String },
    payload: Schema.Struct({
      grace_seconds: optional(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 30 * aDay }))).annotate({
        description: "For how long the former key is still accepted; a day if omitted"
      })
    }).annotate({ identifier: "ApiKeyRotation" }),
    success: RotatedApiKey.pipe(HttpApiSchema.status(201)),
    error: edits
  })
    .annotate(
      OpenApi.Summary,
      "Replace an API key by a new one of the same user, role, scopes and expiry; the former one expires after a grace period"
    )
    .annotate(Needs, "manage")
    .annotate(NeedsFreshSignIn, true)
    .annotate(TellsSecret, true),
  HttpApiEndpoint.delete("revokeApiKey", "/api-keys/:api_key_id", {
    params: { api_key_id: Schema.String },
    success: ApiKeyRecord,
    error: [Errors.Forbidden, Errors.NotFound, Errors.Conflict]
  })
    .annotate(OpenApi.Summary, "Revoke an API key immediately, unless it is the last one with the role Owner")
    .annotate(Needs, "manage")
) {}
