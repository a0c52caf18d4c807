/**
 * Values that only those can read who have the encryption key of the workspace.
 *
 * A sealed value is hexadecimal: a random IV of 12 bytes, the JSON text of the value under AES-256-GCM, and its tag of 16
 * bytes. It does not say which key it is under: while a workspace exchanges its key, each is tried, the present one first.
 */
import { Context, type Effect, type Redacted, Schema } from "effect"
import type { StoreUnavailable } from "../../runtime/StoreUnavailable.ts"
import type { WorkspaceId } from "../../workspace/Ids.ts"
import type { KeyRing } from "./EncryptionKeys.ts"

/** Raised for a text that is no sealed value of the workspace. It does not repeat the text. */
export class CannotUnseal extends Schema.TaggedError<CannotUnseal>()("CannotUnseal", {
  reason: Schema.Literals(["form", "key", "json"])
}) {
  override get message() {
    return `Cannot unseal the value: ${reasons[this.reason]}`
  }
}

const reasons = {
  form: "expected the hexadecimal of a 12-byte IV, the AES-256-GCM ciphertext and its 16-byte tag",
  key: "it was not sealed with the encryption key of this workspace, or was changed since",
  json: "expected what is sealed to be JSON text, such as a string in double quotes"
}

/**
 * What a sealed value is known by, also after it was moved under another key: the first 5 bytes of its IV, in lower case.
 * Nobody without a key can change them.
 */
export const markOf = (sealed: string): string => sealed.slice(0, 10).toLowerCase()

/** The values that a caller has sealed. */
export interface AcceptedValue {
  readonly value: Redacted.Redacted<Schema.Json>
  /** The version of the key that the caller sealed it with. */
  readonly version: number
  /** The same under the present key, with the same mark: as it came, if that was the caller's. */
  readonly sealed: string
}

/** Seals and unseals with the keys of one workspace. */
export interface Cipher {
  readonly keys: KeyRing
  /** Seals with the present key. */
  readonly seal: (value: Redacted.Redacted<Schema.Json>) => Effect.Effect<string>
  /** Opens a stored value under any key of the workspace. */
  readonly unseal: (sealed: string) => Effect.Effect<Redacted.Redacted<Schema.Json>, CannotUnseal>
  /** Decrypts a value from a caller, unless its key is retired. */
  readonly accept: (sealed: string) => Effect.Effect<AcceptedValue, CannotUnseal>
  /**
   * The same value under the key of a version, or the present one where there is none: unchanged if it is so already, else
   * with the same mark.
   */
  readonly under: (version: number, sealed: string) => Effect.Effect<string, CannotUnseal>
}

export class Sealing extends Context.Service<
  Sealing,
  {
    /** The cipher of a workspace. Its keys are read once; get a new cipher for each piece of work. */
    readonly cipher: (workspaceId: WorkspaceId) => Effect.Effect<Cipher, StoreUnavailable>
    readonly seal: (
      workspaceId: WorkspaceId,
      value: Redacted.Redacted<Schema.Json>
    ) => Effect.Effect<string, StoreUnavailable>
    readonly unseal: (
      workspaceId: WorkspaceId,
      sealed: string
    ) => Effect.Effect<Redacted.Redacted<Schema.Json>, CannotUnseal | StoreUnavailable>
  }
>()("sluice/core/vault/keys/Sealing") {}
