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
 * the bucket by its path, with a prefix if there is one. `sftp`: a file of an SSH server; its address begins at the root, or
 * with `/~` at the folder that the server gives the user.
 */
export const DestinationType = Schema.Literals(["http", "webdav", "s3", "sftp"])
export type DestinationType = typeof DestinationType.Type

/** Why a text is no address of a destination; `undefined` when it is one. Blanks around it are not removed. */
export const urlProblem = (text: string): string | undefined => {
  const url = URL.parse(text)
  if (url === null || !["http:", "https:", "sftp:"].includes(url.protocol)) {
    return "Expected an http or https URL, or for sftp an sftp URL"
  }
  if (url.username !== "" || url.password !== "") {
    return "Expected a URL without a user name and password: they are sealed as the access"
  }
  if (url.hash !== "") return "Expected a URL without a fragment"
  if (url.protocol !== "sftp:") return undefined
  // The parser does not check the host of such a URL.
  if (url.hostname === "" || URL.parse(text.replace(/^sftp:/i, "http:")) === null)
    return "Expected a URL with the name or address of a host"
  if (url.search !== "") return "Expected an sftp URL without a query"
  try {
    decodeURIComponent(url.pathname)
    return undefined
  } catch {
    return "Expected the folder of an sftp URL in UTF-8, with %25 for a percent sign"
  }
}

/** An absolute http, https or sftp URL of at most 2,048 characters. Blanks around it are removed. */
export const DestinationUrl = Schema.String.check(TextLength.atMost(2_048)).pipe(
  Schema.decodeTo(
    Schema.String.check(TextLength.atMost(2_048), Schema.makeFilter(urlProblem)),
    SchemaTransformation.trim()
  )
)

/** The fingerprint of the host key of an SSH server, as `ssh-keygen -l` prints it. */
export const HostKey = Schema.String.check(
  Schema.isPattern(/^SHA256:[A-Za-z0-9+/]{43}$/, {
    message: "Expected the fingerprint of the host key as ssh-keygen -l prints it: SHA256: and 43 characters"
  })
)

/** What happens where other content has the name of a file: it goes under another name, or is not delivered. */
export const OnConflict = Schema.Literals(["rename", "fail"])
export type OnConflict = typeof OnConflict.Type

/**
 * What a destination asks for: the user name and password of Basic authentication, or a Bearer token. For `s3` the access
 * key is the user name, the secret key the password, and the region that of the bucket. For `sftp` the user has a password or
 * a private key.
 */
export const Access = Schema.Struct({
  username: Schema.optionalKey(Schema.String),
  password: Schema.optionalKey(Schema.String),
  privateKey: Schema.optionalKey(Schema.String),
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
  /** What an `sftp` destination is known by. */
  hostKey: Schema.optionalKey(HostKey),
  onConflict: OnConflict,
  /** The JSON of its `Access`, sealed with the key of the workspace; `null` where none is needed. */
  sealedAccess: Schema.NullOr(Schema.String),
  createdAt: Schema.Finite,
  createdBy: Schema.String,
  updatedAt: Schema.Finite
})
export type FileDestination = typeof FileDestination.Type

/** What a person sets of a destination and depends on its type. An omitted field is not changed. */
export interface TypedFields {
  readonly url?: string
  readonly hostKey?: string
  /** `null` for none. */
  readonly access?: Access | null
}

/** What does not fit a type of destination; `null` for what does. It repeats nothing of the access. */
export const misfit = (
  type: DestinationType,
  { access, hostKey, url }: TypedFields
): { readonly path: string; readonly reason: string } | null => {
  const isSftp = type === "sftp"
  if (url !== undefined && (URL.parse(url)?.protocol === "sftp:") !== isSftp) {
    return { path: "url", reason: `Expected an ${isSftp ? "sftp" : "http or https"} URL for the type ${type}` }
  }
  if (hostKey !== undefined && !isSftp) {
    return { path: "host_key", reason: `Expected no host key for the type ${type}: only sftp has one` }
  }
  if (access === undefined) return null
  const reason = wrongAccess(type, access ?? {})
  return reason === null ? null : { path: "access", reason }
}

const wrongAccess = (type: DestinationType, { password, privateKey, username }: Access): string | null => {
  if (type === "sftp") {
    const isWhole = username !== undefined && (password === undefined) !== (privateKey === undefined)
    return isWhole ? null : "Expected a username with either a password or a private_key for the type sftp"
  }
  if (privateKey !== undefined) return `Expected no private_key for the type ${type}: only sftp takes one`
  return type !== "s3" || (username !== undefined && password !== undefined)
    ? null
    : "Expected the access key as username, and the secret key as password, for the type s3"
}

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
