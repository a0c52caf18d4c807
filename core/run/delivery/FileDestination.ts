/**
 * Places outside that the files of runs are sent to when a run ends. The access to one is kept sealed and is never returned.
 */
import { Context, Effect, Schema, SchemaTransformation } from "effect"
import * as ReencryptionTargets from "../../vault/keys/ReencryptionTargets.ts"
import * as TextLength from "../../window/TextLength.ts"
import type { Collection, Kind } from "../../workspace/Collection.ts"

/**
 * How a destination is spoken to. `http`: each file is sent by PUT to an address below that of the destination. `webdav`: the
 * same, and folders of the path that are missing are made. `s3`: an object of an S3-compatible store, whose address is that of
 * the bucket by its path, with a prefix if there is one.
 */
export const DestinationType = Schema.Literals(["http", "webdav", "s3"])
export type DestinationType = typeof DestinationType.Type

/** Why a text is no address of a destination; `undefined` when it is one. */
const problemOf = (text: string): string | undefined => {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) return "Expected an http or https URL"
  if (url.username !== "" || url.password !== "") {
    return "Expected a URL without a user name and password: they are sealed as the access"
  }
  return url.hash === "" ? undefined : "Expected a URL without a fragment"
}

/** An absolute http or https URL of at most 2,048 characters. Blanks around it are removed. */
export const DestinationUrl = Schema.String.check(TextLength.atMost(2_048)).pipe(
  Schema.decodeTo(
    Schema.String.check(TextLength.atMost(2_048), Schema.makeFilter(problemOf)),
    SchemaTransformation.trim()
  )
)

/** What happens where other content has the name of a file: it goes under another name, or is not delivered. */
export const OnConflict = Schema.Literals(["rename", "fail"])
export type OnConflict = typeof OnConflict.Type

/**
 * What a destination asks for: the user name and password of Basic authentication, or a Bearer token. For `s3` the access
 * key is the user name, the secret key the password, and the region that of the bucket.
 */
export const Access = Schema.Struct({
  username: Schema.optionalKey(Schema.String),
  password: Schema.optionalKey(Schema.String),
  token: Schema.optionalKey(Schema.String),
  region: Schema.optionalKey(Schema.String)
})
export type Access = typeof Access.Type

/** A destination. Instants are epoch milliseconds. */
export const FileDestination = Schema.Struct({
  id: Schema.String,
  /** By which workflows name it. */
  name: Schema.String,
  type: DestinationType,
  /** The folder that paths begin at. */
  url: Schema.String,
  onConflict: OnConflict,
  /** The JSON of its `Access`, sealed with the key of the workspace; `null` where none is needed. */
  sealedAccess: Schema.NullOr(Schema.String),
  createdAt: Schema.Finite,
  createdBy: Schema.String,
  updatedAt: Schema.Finite
})
export type FileDestination = typeof FileDestination.Type

export const kind: Kind<FileDestination> = {
  name: "file_destinations",
  schema: FileDestination,
  key: ({ name }) => name
}

export class FileDestinationStore extends Context.Service<FileDestinationStore, Collection<FileDestination>>()(
  "sluice/core/run/delivery/FileDestinationStore"
) {}

/** The sealed access of destinations, for the exchange of encryption keys. */
export const sealedPlace = Effect.map(FileDestinationStore, (store) =>
  ReencryptionTargets.ofCollection("file destinations", store, (destination, renew) =>
    destination.sealedAccess === null ? destination : { ...destination, sealedAccess: renew(destination.sealedAccess) }
  )
)

/** Raised for a destination that does not exist in the workspace. */
export class DestinationNotFound extends Schema.TaggedError<DestinationNotFound>()("DestinationNotFound", {
  destinationId: Schema.String
}) {
  override get message() {
    return `File destination "${this.destinationId.slice(0, 80)}" not found in this workspace`
  }
}

/** Raised for a destination that cannot be kept. It repeats no value of the access. */
export class InvalidDestination extends Schema.TaggedError<InvalidDestination>()("InvalidDestination", {
  path: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `Cannot keep the file destination: ${this.path}: ${this.reason}`
  }
}
