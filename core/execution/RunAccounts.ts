/** Opens the credentials of a run for an attempt, without reading their secrets. */
import { Effect } from "effect"
import * as CredentialReferences from "../run/CredentialReferences.ts"
import type { Run } from "../run/Run.ts"
import type { Outcome } from "../run/Transition.ts"
import type { Account } from "../vault/Account.ts"
import { Accounts } from "../vault/Accounts.ts"

/**
 * Makes the function that opens the credentials of a run, by alias: of a pool, the chosen one, or else the first. Fails
 * with the first credential that cannot be used.
 */
export const make = Effect.map(Accounts, (accounts) =>
  Effect.fn("RunAccounts.open")(function* ({ credentials, workspaceId }: Run) {
    const opened = new Map<string, Account>()
    for (const credential of credentials) {
      opened.set(credential.alias, yield* accounts.open(workspaceId, used(credential)))
    }
    return opened
  })
)

/**
 * Makes the function that handles the end of an attempt: it drops the cached secret of a credential that the attempt
 * could not sign in with.
 */
export const forgetting = Effect.map(Accounts, (accounts) =>
  Effect.fn("RunAccounts.forget")(function* ({ credentials, workspaceId }: Run, outcome: Outcome) {
    if (outcome._tag !== "Failed" || outcome.failedLogin === undefined) return
    for (const credential of credentials.filter(({ alias }) => alias === outcome.failedLogin)) {
      yield* accounts.open(workspaceId, used(credential)).pipe(
        Effect.flatMap(({ entry }) => accounts.forget(entry)),
        Effect.ignore
      )
    }
  })
)

/** The user and the site that an attempt signs in with. */
const used = (credential: Run["credentials"][number]) => ({
  alias: credential.alias,
  domain: credential.domain,
  permissionedUserId: CredentialReferences.chosen(credential) ?? credential.permissionedUserIds[0] ?? ""
})
