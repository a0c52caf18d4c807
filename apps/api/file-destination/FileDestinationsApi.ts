/** The endpoints of destinations of files, and of what was delivered to them. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { FileDeliveryStatus } from "../../../core/run/delivery/FileDelivery.ts"
import { DestinationType, DestinationUrl, HostKey, OnConflict } from "../../../core/run/delivery/FileDestination.ts"
import * as TextLength from "../../../core/window/TextLength.ts"
import { RunId } from "../../../core/workspace/Ids.ts"
import { Needs } from "../Annotations.ts"
import { edits, optional, wholeNumber } from "../http/body/Fields.ts"
import * as Errors from "../http/Errors.ts"
import { FileDeliveryRecord } from "./FileDeliveryJson.ts"

const params = { destination_id: Schema.String }

const name = Schema.String.check(
  Schema.makeFilter((text: string) => text.trim() !== "" || "Expected a name"),
  TextLength.atMost(256)
)
const secret = Schema.String.check(Schema.isBetweenLength(1, 4_096))

const visible = secret.check(Schema.isPattern(/^[!-~]+$/, { message: "Expected visible ASCII characters" }))

/** What goes together: a user name with a password, one with a private key, or a token. */
const forms = /^(xx--|x-x-|---x)$/

const AccessRequest = Schema.Struct({
  username: optional(secret),
  password: optional(secret),
  /** The private key of the user of an `sftp` destination, in the OpenSSH or PEM form and without a passphrase. */
  private_key: optional(Schema.String.check(Schema.isBetweenLength(1, 16_384))),
  token: optional(visible),
  /** The region of the bucket of an `s3` destination. */
  region: optional(visible)
})
  .check(
    Schema.makeFilter(({ password, private_key, token, username }) =>
      [username, password, private_key, token]
        .map((one) => (one == null ? "-" : "x"))
        .join("")
        .match(forms)
        ? undefined
        : { path: [], issue: "Expected either a token, or a username with either a password or a private_key" }
    )
  )
  .annotate({ identifier: "FileDestinationAccess" })

const settings = {
  /** What an `sftp` destination is known by: the SHA-256 fingerprint of its host key. */
  host_key: optional(HostKey),
  /** What happens where other content has the name of a file; `rename` when left out. */
  on_conflict: Schema.optionalKey(OnConflict),
  /** Stored sealed and never returned; `null` for none. */
  access: optional(AccessRequest)
}

export const FileDestinationRecord = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  type: DestinationType,
  url: Schema.String,
  /** The fingerprint of the host key of an `sftp` destination; `null` for others. */
  host_key: Schema.NullOr(Schema.String),
  on_conflict: OnConflict,
  /** Whether it has an access. */
  has_access: Schema.Boolean,
  created_at: Schema.String,
  created_by: Schema.String,
  updated_at: Schema.String
}).annotate({ identifier: "FileDestination" })

const group = HttpApiGroup.make("fileDestinations")
  .annotate(OpenApi.Title, "file destinations")
  .annotate(OpenApi.Description, "Places that the files of runs are sent to, and the result of each delivery")

export class FileDestinationsGroup extends group.add(
  HttpApiEndpoint.get("listDestinations", "/file-destinations", { success: Schema.Array(FileDestinationRecord) })
    .annotate(OpenApi.Summary, "List the file destinations of the workspace")
    .annotate(Needs, "read"),
  HttpApiEndpoint.post("createDestination", "/file-destinations", {
    payload: Schema.Struct({ name, type: DestinationType, url: DestinationUrl, ...settings }).annotate({
      identifier: "FileDestinationRequest"
    }),
    success: FileDestinationRecord.pipe(HttpApiSchema.status(201)),
    error: [Errors.BadRequest, Errors.Forbidden, Errors.Conflict]
  })
    .annotate(OpenApi.Summary, "Register a destination that workflows name as their file_destination")
    .annotate(Needs, "manage"),
  HttpApiEndpoint.get("getDestination", "/file-destinations/:destination_id", {
    params,
    success: FileDestinationRecord,
    error: Errors.NotFound
  })
    .annotate(OpenApi.Summary, "Read a file destination")
    .annotate(Needs, "read"),
  HttpApiEndpoint.patch("changeDestination", "/file-destinations/:destination_id", {
    params,
    payload: Schema.Struct({
      name: Schema.optionalKey(name),
      url: Schema.optionalKey(DestinationUrl),
      ...settings
    }).annotate({ identifier: "FileDestinationChange" }),
    success: FileDestinationRecord,
    error: [...edits, Errors.Conflict]
  })
    .annotate(
      OpenApi.Summary,
      "Change the given fields of a file destination; pending deliveries go to its new address"
    )
    .annotate(Needs, "manage"),
  HttpApiEndpoint.delete("removeDestination", "/file-destinations/:destination_id", {
    params,
    success: FileDestinationRecord,
    error: [Errors.Forbidden, Errors.NotFound]
  })
    .annotate(OpenApi.Summary, "Delete a file destination; pending deliveries to it fail")
    .annotate(Needs, "manage"),
  HttpApiEndpoint.get("listFileDeliveries", "/file-deliveries", {
    query: {
      status: Schema.optionalKey(FileDeliveryStatus),
      session_id: Schema.optionalKey(RunId),
      limit: wholeNumber(1, 1_000),
      /** The `next_cursor` of the page before. */
      cursor: wholeNumber(1, Number.MAX_SAFE_INTEGER)
    },
    success: Schema.Struct({
      deliveries: Schema.Array(FileDeliveryRecord),
      /** The cursor of the next page; `null` after the last. */
      next_cursor: Schema.NullOr(Schema.String)
    }).annotate({ identifier: "FileDeliveries" }),
    error: Errors.BadRequest
  })
    .annotate(OpenApi.Summary, "List deliveries of files, newest first; with session_id, those of one run")
    .annotate(Needs, "read"),
  HttpApiEndpoint.post("retryFileDelivery", "/file-deliveries/:file_delivery_id/retry", {
    params: { file_delivery_id: Schema.String },
    success: FileDeliveryRecord,
    error: [Errors.Forbidden, Errors.NotFound, Errors.Conflict]
  })
    .annotate(OpenApi.Summary, "Try a failed delivery of a file again")
    .annotate(Needs, "edit")
) {}
