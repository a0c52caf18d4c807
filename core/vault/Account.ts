/**
 * A credential of a run: the entry of one user on one site, and its secrets, which are unsealed or fetched on first use.
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
  /** The alias of the credential in the workflow. */
  readonly alias: string
  /** The entry at the start of the run. */
  readonly entry: VaultEntry
  /** Read on first use, and cached for the run. */
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
