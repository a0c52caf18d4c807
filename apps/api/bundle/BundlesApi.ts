/** The endpoints of bundles of evidence. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Needs } from "../Annotations.ts"
import { session } from "../http/body/Fields.ts"
import * as Errors from "../http/Errors.ts"

const group = HttpApiGroup.make("bundles").annotate(
  OpenApi.Description,
  "Everything that is kept of a run in one signed archive"
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
  HttpApiEndpoint.get("bundleKey", "/bundle-key", {
    success: Schema.Struct({
      algorithm: Schema.Literal("Ed25519"),
      public_key: Schema.String.annotate({ description: "32 bytes in hexadecimal" })
    }).annotate({ identifier: "BundleKey" })
  })
    .annotate(OpenApi.Summary, "Read the public key that bundles of this installation can be checked with")
    .annotate(Needs, "read")
) {}
