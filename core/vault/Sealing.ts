/**
 * Values that only those can read who have the encryption key of the workspace.
 *
 * A sealed value is hexadecimal: a random IV of 12 bytes, the JSON text of the value under AES-256-GCM, and its tag of 16
 * bytes.
 */
import { Context, type Effect, type Redacted, Schema } from "effect"
import type { WorkspaceId } from "../workspace/Workspace.ts"

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

/** Seals and unseals with the key of one workspace. */
export interface Cipher {
  readonly seal: (value: Redacted.Redacted<Schema.Json>) => Effect.Effect<string>
  readonly unseal: (sealed: string) => Effect.Effect<Redacted.Redacted<Schema.Json>, CannotUnseal>
}

export class Sealing extends Context.Service<
  Sealing,
  {
    /** The cipher of a workspace. Its key is read once; get a cipher for each piece of work anew. */
    readonly cipher: (workspaceId: WorkspaceId) => Effect.Effect<Cipher>
    readonly seal: (workspaceId: WorkspaceId, value: Redacted.Redacted<Schema.Json>) => Effect.Effect<string>
    readonly unseal: (
      workspaceId: WorkspaceId,
      sealed: string
    ) => Effect.Effect<Redacted.Redacted<Schema.Json>, CannotUnseal>
  }
>()("sluice/core/vault/Sealing") {}
