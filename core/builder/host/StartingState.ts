/**
 * The initial state of the page of a conversation, and the accounts that it signs in with.
 */

import { Effect, Result } from "effect"
import { PageFailure } from "../../browser/PageFailure.ts"
import * as Session from "../../browser/Session.ts"
import * as RunSession from "../../execution/RunSession.ts"
import * as CredentialReferences from "../../run/CredentialReferences.ts"
import { waitUntilBack } from "../../runtime/StoreUnavailable.ts"
import type { Account, AccountUnavailable } from "../../vault/Account.ts"
import { Accounts } from "../../vault/Accounts.ts"
import * as EntryAudit from "../../vault/EntryAudit.ts"
import { LoginCodes } from "../../vault/otp/LoginCodes.ts"
import { Audit } from "../../workspace/audit/Audit.ts"
import type { Conversation } from "../Conversation.ts"

export interface StartingState {
  /** The initial state of the browser; `Session.secrets` lists its secret values. */
  readonly session: Session.Session
  /** The usable credentials that the inputs name, by alias. */
  readonly accounts: ReadonlyMap<string, Account>
  /** The reasons why the other credentials cannot be used. */
  readonly unavailable: ReadonlyArray<AccountUnavailable>
  /** The source of one-time codes; `null` when each is taken from the inputs. */
  readonly codes: LoginCodes["Service"] | null
}

/** Determines the initial state of a conversation whenever its page is opened. */
export type StartingStateOf = (one: Conversation) => Effect.Effect<StartingState, PageFailure>

/** A conversation with an empty session that cannot sign in. */
export const empty: StartingState = { session: Session.empty, accounts: new Map(), unavailable: [], codes: null }

/**
 * Makes the function for the initial state of a conversation: its credentials, opened once, and the browser state that
 * the usable ones store. Nothing of its page is stored afterwards. The audit trail has each credential that is opened.
 */
export const ofConversations = Effect.gen(function* () {
  const vault = yield* Accounts
  const audit = yield* Audit
  const codes = yield* LoginCodes
  const begin = yield* RunSession.make
  const beginningOf: StartingStateOf = Effect.fn("StartingState.ofConversation")(function* (one) {
    const { draft, id, inputs, userId, workspaceId } = one
    const accounts = new Map<string, Account>()
    const unavailable: Array<AccountUnavailable> = []
    for (const { alias, domain, permissionedUserIds } of CredentialReferences.of(draft.content, inputs)) {
      const [permissionedUserId = ""] = permissionedUserIds
      const opened = yield* Effect.result(waitUntilBack(vault.open(workspaceId, { alias, domain, permissionedUserId })))
      if (Result.isFailure(opened)) unavailable.push(opened.failure)
      else {
        yield* waitUntilBack(audit.record({ workspaceId, userId }, EntryAudit.ofBuilder(opened.success.entry, id)))
        accounts.set(alias, opened.success)
      }
    }
    const asking = { workspaceId, id, accounts: accounts.values(), settings: draft.content.settings }
    const { session } = yield* begin(asking).pipe(
      waitUntilBack,
      Effect.mapError(({ message }) => new PageFailure({ kind: "proxy", reason: message }))
    )
    const blank = one.blankBrowser === true ? { cookies: [], localStorage: {}, sessionStorage: {} } : {}
    return { session: { ...session, ...blank }, accounts, unavailable, codes }
  })
  return beginningOf
})
