/** The endpoints of invitations: an Owner makes them, and their tokens are accepted without a key. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { invitationSeconds, Role, Scope } from "../../../core/workspace/Workspace.ts"
import { Needs, NeedsFreshSignIn, TellsSecret } from "../Annotations.ts"
import { Authorization } from "../http/Authorization.ts"
import { optional } from "../http/body/Fields.ts"
import * as Errors from "../http/Errors.ts"
import { ApiKeyRecord, scopes, title } from "./WorkspacesApi.ts"

const fields = {
  id: Schema.String,
  role: Role,
  scopes: Schema.NullOr(Schema.Array(Scope)).annotate({
    description: "What the key is restricted to, of what its role allows; null where it is not restricted"
  }),
  name: Schema.NullOr(Schema.String).annotate({ description: "The name of the key" }),
  state: Schema.Literals(["open", "used", "expired"]),
  created_at: Schema.String,
  created_by: Schema.String,
  expires_at: Schema.String,
  used_at: Schema.NullOr(Schema.String),
  api_key_id: Schema.NullOr(Schema.String).annotate({ description: "The key that was made with it" }),
  user_id: Schema.NullOr(Schema.String).annotate({ description: "The user of that key" })
}

export const InvitationRecord = Schema.Struct(fields).annotate({ identifier: "Invitation" })

const NewInvitation = Schema.Struct({
  ...fields,
  token: Schema.String.annotate({ description: "What the invited person accepts it with; returned only once" })
}).annotate({ identifier: "NewInvitation" })

const AcceptedInvitation = Schema.Struct({
  ...ApiKeyRecord.fields,
  workspace_id: Schema.String,
  key: Schema.String
}).annotate({ identifier: "AcceptedInvitation" })

const group = HttpApiGroup.make("invitations").annotate(
  OpenApi.Description,
  "An Owner invites a person by a token, with which that person makes an API key of their own, once"
)

// Authorization stands at each endpoint: of a group that has it, and then an endpoint without it, the compiler writes the
// type in an order that differs each time, and releases could not be made again.
export class InvitationsGroup extends group.add(
  HttpApiEndpoint.get("listInvitations", "/invitations", {
    success: Schema.Array(InvitationRecord),
    error: Errors.Forbidden
  })
    .annotate(
      OpenApi.Summary,
      "List the invitations of the workspace, oldest first: open ones, and those that were used or have expired within the last 90 days; their tokens are never returned"
    )
    .annotate(Needs, "manage")
    .middleware(Authorization),
  HttpApiEndpoint.post("createInvitation", "/invitations", {
    payload: Schema.Struct({
      role: Role,
      name: optional(title).annotate({ description: "The name of the key that is made with it" }),
      scopes: scopes.annotate({
        description: "Restricts the key that is made with it, as in POST /api-keys"
      }),
      expires_in_seconds: optional(Schema.Int.check(Schema.isBetween(invitationSeconds))).annotate({
        description: "The invitation is not accepted any more after this time; 7 days if omitted, at most 30 days"
      })
    }).annotate({ identifier: "InvitationToMake" }),
    success: NewInvitation.pipe(HttpApiSchema.status(201)),
    error: [Errors.BadRequest, Errors.Forbidden]
  })
    .annotate(OpenApi.Summary, "Invite a person to the workspace; the token is returned only once")
    .annotate(Needs, "manage")
    .middleware(Authorization)
    .annotate(NeedsFreshSignIn, true)
    .annotate(TellsSecret, true),
  HttpApiEndpoint.delete("revokeInvitation", "/invitations/:invitation_id", {
    params: { invitation_id: Schema.String },
    success: InvitationRecord,
    error: [Errors.Forbidden, Errors.NotFound, Errors.Conflict]
  })
    .annotate(OpenApi.Summary, "Revoke an invitation that was not used; its token is not accepted any more")
    .annotate(Needs, "manage")
    .middleware(Authorization),
  HttpApiEndpoint.post("acceptInvitation", "/invitations/accept", {
    payload: Schema.Struct({
      token: Schema.String.check(Schema.isMaxLength(256))
    }).annotate({ identifier: "InvitationToAccept" }),
    success: AcceptedInvitation.pipe(HttpApiSchema.status(201)),
    error: [Errors.BadRequest, Errors.NotFound]
  })
    .annotate(
      OpenApi.Summary,
      "Make the API key of an invitation, for a new user; it needs no key, and the key is returned only once"
    )
    .annotate(Needs, "read")
    .annotate(TellsSecret, true)
) {}
