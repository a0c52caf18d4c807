/** The endpoint by which a caller lets somebody watch a run. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import * as Errors from "../request/Errors.ts"
import { session } from "../request/Fields.ts"

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
    success: LiveConnection,
    error: [Errors.NotFound, Errors.Conflict]
  })
) {}
