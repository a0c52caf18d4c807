/** The endpoints of links that open the console, and of its open sessions. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Needs, NoStore, TellsSecret } from "../Annotations.ts"
import * as Errors from "../http/Errors.ts"

const Link = Schema.Struct({
  link: Schema.String.annotate({
    description:
      "Signs in once: as {link} in a body of POST /console/session, or in the address #sign-in={link} of the console"
  }),
  expires_at: Schema.String
}).annotate({ identifier: "ConsoleLink" })

export const OpenSession = Schema.Struct({
  user_id: Schema.String,
  key_id: Schema.String.annotate({ description: "The API key whose role and scopes the session has" }),
  key_name: Schema.NullOr(Schema.String),
  opened_at: Schema.String,
  expires_at: Schema.String,
  current: Schema.Boolean.annotate({ description: "Whether the request was made with this session" })
}).annotate({ identifier: "OpenSession" })

const group = HttpApiGroup.make("console")
  .annotate(OpenApi.Description, "Opening the console in a browser without typing a key there")
  .annotate(NoStore, true)

export class ConsoleGroup extends group.add(
  HttpApiEndpoint.post("makeLink", "/sign-in-links", {
    success: Link.pipe(HttpApiSchema.status(201)),
    error: Errors.Forbidden
  })
    .annotate(
      OpenApi.Summary,
      "Make a sign-in link that opens one console session within an hour, with the role and the scopes of the key; needs an API key, not a session"
    )
    .annotate(Needs, "read")
    .annotate(TellsSecret, true),
  HttpApiEndpoint.get("listOpenSessions", "/console-sessions", {
    success: Schema.Struct({ sessions: Schema.Array(OpenSession) }).annotate({ identifier: "OpenSessions" })
  })
    .annotate(
      OpenApi.Summary,
      "List the open sessions at the console, newest first: all of the workspace for an Owner, their own for others"
    )
    .annotate(Needs, "read"),
  HttpApiEndpoint.delete("endOpenSession", "/console-sessions/:api_key_id/:opened_at", {
    params: { api_key_id: Schema.String, opened_at: Schema.String },
    success: OpenSession,
    error: Errors.NotFound
  })
    .annotate(OpenApi.Summary, "End an open session at the console, which its browser cannot use any more")
    .annotate(Needs, "read")
) {}
