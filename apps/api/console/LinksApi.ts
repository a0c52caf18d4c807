/** The endpoint that makes links which open the console. */
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
    .annotate(TellsSecret, true)
) {}
