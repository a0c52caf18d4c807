/**
 * How outside stores of secrets are asked.
 */
import { Context, type Effect, type Redacted, Schema } from "effect"
import type { LoginSecrets } from "../Account.ts"

/** The configuration of a connection, under the names that it is given by. */
export type Access = Readonly<Record<string, string>>

/** A connection that is ready to be used. */
export interface Connection {
  readonly id: string
  readonly name: string
  readonly access: Redacted.Redacted<Access>
}

/** One item of an outside store, such as a login. `ref` is what an entry is bound to. */
export interface SecretItem {
  readonly id: string
  readonly title: string
  readonly ref: string
  readonly vaultName: string | null
}

/** The sign-in fields of an item: at least a password or a way to one-time codes. */
export interface ProvidedSecrets extends LoginSecrets {
  /** A code that the store generated just now, if it does not reveal the secret of the codes. */
  readonly oneTimeCode: Redacted.Redacted<string> | null
}

const fields = { provider: Schema.String, reason: Schema.String }

interface Failure {
  readonly provider: string
  readonly reason: string
}

const sentence = ({ provider, reason }: Failure) =>
  `Cannot get secrets from the secret provider "${provider}": ${reason}`

/** Raised when an outside store does not answer, not in time, or says that it cannot at present. */
export class SourceUnavailable extends Schema.TaggedError<SourceUnavailable>()("SourceUnavailable", fields) {
  override get message() {
    return sentence(this)
  }
}

/** Raised when an outside store refuses the access of the connection. */
export class AccessRefused extends Schema.TaggedError<AccessRefused>()("AccessRefused", fields) {
  override get message() {
    return sentence(this)
  }
}

/** Raised for a reference that names no item of the store, or more than one. */
export class ItemNotFound extends Schema.TaggedError<ItemNotFound>()("ItemNotFound", fields) {
  override get message() {
    return sentence(this)
  }
}

/** Raised for an item that holds neither a password nor a way to one-time codes. */
export class ItemIncomplete extends Schema.TaggedError<ItemIncomplete>()("ItemIncomplete", fields) {
  override get message() {
    return sentence(this)
  }
}

/** Raised for an answer that is not of the form that stores of the type give. It repeats nothing of the answer. */
export class MalformedAnswer extends Schema.TaggedError<MalformedAnswer>()("MalformedAnswer", fields) {
  override get message() {
    return sentence(this)
  }
}

export type SourceError = SourceUnavailable | AccessRefused | ItemNotFound | ItemIncomplete | MalformedAnswer

/** Errors of a connection, independent of the item. */
export type ConnectionError = Exclude<SourceError, ItemIncomplete>

/**
 * How stores of one type are asked. Each question is answered within 10 seconds, or fails; a failure that may pass is
 * tried once more within them. No failure repeats a secret.
 */
export interface SecretSource {
  /** The visible items of the connection, at most 5,000. */
  readonly items: (connection: Connection) => Effect.Effect<ReadonlyArray<SecretItem>, ConnectionError>

  /** The fields of an item. */
  readonly read: (connection: Connection, ref: string) => Effect.Effect<ProvidedSecrets, SourceError>

  /** Fails when the store does not answer, or does not accept the access. */
  readonly check: (connection: Connection) => Effect.Effect<void, ConnectionError>

  /** Why an address would be refused, if that can be decided without resolving its name; `null` otherwise. */
  readonly refusal: (url: string) => string | null
}

/** The types of store that this service can ask, by their names. */
export const SecretSources = Context.Reference<ReadonlyMap<string, SecretSource>>(
  "sluice/core/vault/providers/SecretSources",
  {
    defaultValue: () => new Map()
  }
)
