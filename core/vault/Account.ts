/**
 * A credential as a run uses it: the entry of one user on one site, and its secrets, which are unsealed or fetched only
 * when something asks for them.
 */
import { type Effect, type Redacted, Schema } from "effect"
import type { VaultEntry } from "./VaultEntry.ts"

/** The secrets of a login. A field that the credential does not have is `null`. */
export interface LoginSecrets {
  readonly userName: Redacted.Redacted<string> | null
  readonly password: Redacted.Redacted<string> | null
  /** Base32 or an `otpauth://` address. */
  readonly tfaSecret: Redacted.Redacted<string> | null
}

export interface Account {
  /** The name that the workflow knows the credential by. */
  readonly alias: string
  /** As it was when the run began. */
  readonly entry: VaultEntry
  /** Found out on first use, and the same from then on. */
  readonly secrets: Effect.Effect<LoginSecrets, AccountUnavailable>
  /**
   * A one-time code that the secret provider of the entry makes at this instant, asked for each time; `null` where it
   * makes none. Absent from entries that are bound to no provider.
   */
  readonly providedCode?: Effect.Effect<Redacted.Redacted<string> | null, AccountUnavailable>
}

/** Raised for a credential that cannot be used. It repeats no secret. */
export class AccountUnavailable extends Schema.TaggedError<AccountUnavailable>()("AccountUnavailable", {
  alias: Schema.String,
  permissionedUserId: Schema.String,
  domain: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `Cannot use the credential ${this.alias} of "${this.permissionedUserId}" for "${this.domain}": ${this.reason}`
  }
}
