/** The endpoint by which a caller lets somebody watch a run, or take its browser into their own hands. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { session } from "../http/body/Fields.ts"
import * as Errors from "../http/Errors.ts"

const LiveConnection = Schema.Struct({
  /** A page that shows the run while it goes on, to be opened or put into a frame. It carries the token in its fragment. */
  url: Schema.String,
  sessionId: Schema.String,
  /** Lets one page in, within 60 seconds. */
  authToken: Schema.String
}).annotate({ identifier: "LiveConnection" })

export class LiveGroup extends HttpApiGroup.make("live").add(
  HttpApiEndpoint.get("connection", "/live/sessions/:session_id/connection", {
    params: session,
    query: {
      /** Whether the page may also take control of the browser, which needs the role Member. */
      control: Schema.optionalKey(Schema.Literals(["true", "false", "1", "0"]))
    },
    success: LiveConnection,
    error: [Errors.BadRequest, Errors.Forbidden, Errors.NotFound, Errors.Conflict]
  })
) {}
