/**
 * The credentials of an execution: the accounts behind its aliases, and the values of theirs that it has read.
 */
import { Effect, Redacted } from "effect"
import type { Secrets } from "../../redaction/Secrets.ts"
import type { Account, AccountUnavailable } from "../../vault/Account.ts"
import * as CredentialUse from "../../workflow/language/graph/CredentialUse.ts"
import { StepFailed } from "../Failure.ts"

export interface Credentials {
  readonly accounts: ReadonlyMap<string, Account>
  readonly secrets: Secrets
}

/** A secret of an account, hidden from then on; `null` when the credential does not have it. */
export const read = Effect.fnUntraced(function* (
  { secrets }: Credentials,
  account: Account,
  name: CredentialUse.SecretName
) {
  const opened = yield* Effect.mapError(account.secrets, unusable)
  const sealed = opened[CredentialUse.fields[name]]
  if (sealed === null) return null
  const value = Redacted.value(sealed)
  secrets.addOf(account.alias, value, name === "USER_NAME" ? "name" : "secret")
  return value
})

/**
 * The one-time code that the secret provider of an account makes now, hidden from then on; `null` when there is no provider
 * or it makes none.
 */
export const providedCode = Effect.fnUntraced(function* ({ secrets }: Credentials, account: Account) {
  const code = account.providedCode === undefined ? null : yield* Effect.mapError(account.providedCode, unusable)
  if (code !== null) secrets.addOf(account.alias, Redacted.value(code), "secret")
  return code
})

const unusable = ({ message, reason }: AccountUnavailable) =>
  new StepFailed({ code: "CREDENTIAL-E0001", sentence: message, original: reason })
