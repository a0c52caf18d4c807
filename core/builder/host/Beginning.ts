/**
 * What the page of a conversation begins with, and what the conversation signs in with on it.
 */
import type { Effect } from "effect"
import type { PageFailure } from "../../browser/PageFailure.ts"
import * as Session from "../../browser/Session.ts"
import type { Account, AccountUnavailable } from "../../vault/Account.ts"
import type { LoginCodes } from "../../vault/otp/LoginCodes.ts"
import type { Conversation } from "../Conversation.ts"

export interface Beginning {
  /** What the browser begins with; `Session.secrets` are those of its values that must not be shown. */
  readonly session: Session.Session
  /** The credentials that the inputs name, by alias, without those that cannot be used. */
  readonly accounts: ReadonlyMap<string, Account>
  /** Why the others cannot be used. */
  readonly unavailable: ReadonlyArray<AccountUnavailable>
  /** Where one-time codes come from; `null` when each is taken from the inputs. */
  readonly codes: LoginCodes["Service"] | null
}

/** Finds out what a conversation begins with, each time that its page is opened. */
export type BeginningOf = (one: Conversation) => Effect.Effect<Beginning, PageFailure>

/** A conversation that brings nothing and cannot sign in. */
export const empty: Beginning = { session: Session.empty, accounts: new Map(), unavailable: [], codes: null }
