/** The endpoint by which a caller lets a person watch a run, or control its browser. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Needs } from "../Annotations.ts"
import { edits, session } from "../http/body/Fields.ts"
import * as Errors from "../http/Errors.ts"

const LiveConnection = Schema.Struct({
  /** The address of a page that shows the run, to open or to embed in a frame, with the token in its fragment. */
  url: Schema.String,
  sessionId: Schema.String,
  /** Opens one page, within 60 seconds. */
  authToken: Schema.String
}).annotate({ identifier: "LiveConnection" })

const group = HttpApiGroup.make("live").annotate(OpenApi.Description, "Live view of a running run")

export class LiveGroup extends group.add(
  HttpApiEndpoint.get("connection", "/live/sessions/:session_id/connection", {
    params: session,
    query: {
      /** Whether the page may also take control of the browser, which needs the role Member. */
      control: Schema.optionalKey(Schema.Literals(["true", "false", "1", "0"]))
    },
    success: LiveConnection,
    error: [...edits, Errors.Conflict]
  })
    .annotate(OpenApi.Summary, "Create a single-use link to the live view of a running run")
    .annotate(Needs, "read")
) {}
