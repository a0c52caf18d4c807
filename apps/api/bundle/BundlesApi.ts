/** The endpoints of bundles of evidence. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Needs } from "../Annotations.ts"
import { session } from "../http/body/Fields.ts"
import * as Errors from "../http/Errors.ts"

const group = HttpApiGroup.make("bundles").annotate(
  OpenApi.Description,
  "All stored data of a run in one signed archive"
)

export class BundlesGroup extends group.add(
  HttpApiEndpoint.get("runBundle", "/run/:session_id/bundle", {
    params: session,
    success: HttpApiSchema.StreamUint8Array({ contentType: "application/x-tar" }),
    error: Errors.NotFound
  })
    .annotate(
      OpenApi.Summary,
      "Stream the record, events, model decisions, starts and files of a run as a signed tar archive"
    )
    .annotate(Needs, "read"),
  HttpApiEndpoint.get("exportStarts", "/starts", {
    query: {
      session_id: Schema.optionalKey(
        Schema.String.annotate({ description: "The run whose starts are streamed, instead of a time range" })
      ),
      start_time: Schema.optionalKey(
        Schema.String.annotate({
          description: "An instant in ISO 8601: the first of the time range; default a day before its end"
        })
      ),
      end_time: Schema.optionalKey(
        Schema.String.annotate({ description: "An instant in ISO 8601: the first after the time range; default now" })
      )
    },
    success: HttpApiSchema.StreamUint8Array({ contentType: "application/x-ndjson" }),
    error: [Errors.BadRequest, Errors.NotFound]
  })
    .annotate(
      OpenApi.Summary,
      "Stream the reasons for starts of runs, with the data to verify each, as JSON lines, oldest first; the last line names runs that started without an entry"
    )
    .annotate(Needs, "read"),
  HttpApiEndpoint.get("bundleKey", "/bundle-key", {
    success: Schema.Struct({
      algorithm: Schema.Literal("Ed25519"),
      public_key: Schema.String.annotate({ description: "32 bytes in hexadecimal" })
    }).annotate({ identifier: "BundleKey" })
  })
    .annotate(OpenApi.Summary, "Read the public key that bundles of this installation can be checked with")
    .annotate(Needs, "read")
) {}
