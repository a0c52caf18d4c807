/**
 * Credentials of a run, with constant secrets.
 */
import { Effect, Redacted } from "effect"
import type { Account, LoginSecrets } from "../../core/vault/Account.ts"
import type { VaultEntry } from "../../core/vault/VaultEntry.ts"
import { entryOf } from "./entries.ts"

/** The credential of a bank. */
export const entry = entryOf({}, { domain: "https://bank.example" })

/** A credential with these secrets. */
export const account = (
  alias: string,
  secrets: { readonly [Name in keyof LoginSecrets]?: string },
  of: VaultEntry = entry
): Account => {
  const redacted = (value: string | undefined) => (value === undefined ? null : Redacted.make(value))
  return {
    alias,
    entry: of,
    secrets: Effect.succeed({
      userName: redacted(secrets.userName),
      password: redacted(secrets.password),
      tfaSecret: redacted(secrets.tfaSecret)
    })
  }
}
