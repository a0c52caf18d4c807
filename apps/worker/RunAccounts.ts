/**
 * The credentials of a run, opened for its attempt. No secret is read by this.
 */
import { Effect } from "effect"
import * as Credentials from "../../core/run/Credentials.ts"
import type { Run } from "../../core/run/Run.ts"
import type { Account } from "../../core/vault/Account.ts"
import { Accounts } from "../../core/vault/Accounts.ts"

/**
 * Makes the function that opens the credentials of a run, by alias: the one that was chosen of a pool, or else its first.
 * It fails with the first that cannot be used.
 */
export const make = Effect.map(Accounts, (accounts) =>
  Effect.fn("RunAccounts.open")(function* ({ credentials, workspaceId }: Run) {
    const opened = new Map<string, Account>()
    for (const credential of credentials) {
      const { alias, domain, permissionedUserIds } = credential
      const permissionedUserId = Credentials.chosen(credential) ?? permissionedUserIds[0] ?? ""
      opened.set(alias, yield* accounts.open(workspaceId, { alias, domain, permissionedUserId }))
    }
    return opened
  })
)
