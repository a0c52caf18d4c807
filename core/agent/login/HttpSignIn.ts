/**
 * Signs in where a site asks for a name and a password by HTTP authentication (Basic or Digest).
 *
 * They are those of the first credential of the run whose secrets may be used at that address. The browser sends them to
 * that origin alone, and only after the site has asked.
 */
import { Effect, Redacted } from "effect"
import type { SessionParts } from "../../browser/Browser.ts"
import { redactUrl } from "../../browser/Exchange.ts"
import type { Account } from "../../vault/Account.ts"
import * as SecretSites from "../../vault/site/SecretSites.ts"
import { ofPage, StepFailed } from "../Failure.ts"
import * as Credentials from "../variables/Credentials.ts"
import type { Memory } from "../variables/Memory.ts"

/** The page, and the credentials of the run. */
export interface SignInContext {
  readonly memory: Memory
  readonly page: SessionParts<"elements" | "navigation">
}

/** How much of what a refused sign-in shows is quoted, in characters. */
const maxQuoted = 200

/** Loads an address, signing in where the site asks for it. */
export const goto = Effect.fnUntraced(function* (address: string, tried: string, context: SignInContext) {
  const { navigation } = context.page
  const loaded = yield* Effect.result(navigation.goto(address))
  if (loaded._tag === "Success") return
  const challenge = loaded.failure.kind === "auth" ? yield* navigation.challenge : null
  const isSignedIn = challenge !== null && (yield* answer(challenge, address, context))
  if (!isSignedIn) return yield* ofPage(tried, loaded.failure)
})

/**
 * Does a step, on a page that is signed in. A click may have led to a page that asks for it: that page is loaded again,
 * before the step, or after the step found no element there.
 */
export const around = Effect.fnUntraced(function* <A>(
  step: Effect.Effect<A, StepFailed>,
  context: SignInContext
): Effect.fn.Return<A, StepFailed> {
  const { challenge } = context.page.navigation
  const before = yield* challenge
  if (before !== null) yield* answer(before, before, context)
  const done = yield* Effect.result(step)
  if (done._tag === "Success") return done.success
  const after = done.failure.code === "SELECTOR-E0001" && done.failure.acted !== true ? yield* challenge : null
  if (after === null || !(yield* answer(after, after, context))) return yield* done.failure
  return yield* step
})

/** Signs in at an address that asks for it, and loads `address`. Returns `false` where no credential is for the site. */
const answer = Effect.fnUntraced(function* (challenge: string, address: string, { memory, page }: SignInContext) {
  const { origin } = new URL(challenge)
  const account = accountFor(memory, challenge)
  if (account === undefined) return false
  const userName = yield* Credentials.read(memory.credentials, account, "USER_NAME")
  const password = yield* Credentials.read(memory.credentials, account, "PASSWORD")
  if (userName === null || password === null) return false
  const tried = `sign in at ${origin}`
  yield* page.navigation
    .authenticate({ origin, userName: Redacted.make(userName), password: Redacted.make(password) })
    .pipe(Effect.mapError((failure) => ofPage(tried, failure)))
  const loaded = yield* Effect.result(page.navigation.goto(address))
  if (loaded._tag === "Success") return true
  if (loaded.failure.kind !== "auth" || (yield* page.navigation.challenge) === null) {
    return yield* ofPage(`open ${redactUrl(memory.credentials.secrets.hide(address))}`, loaded.failure)
  }
  return yield* refused(account, tried, { memory, page })
})

const accountFor = ({ credentials }: Memory, address: string): Account | undefined =>
  [...credentials.accounts.values()].find(({ entry }) => SecretSites.permits(entry, address))

const refused = Effect.fnUntraced(function* ({ alias }: Account, tried: string, { memory, page }: SignInContext) {
  const text = yield* page.elements.read({ selector: "//body", waitMillis: 0 }).pipe(Effect.orElseSucceed(() => null))
  const said = memory.credentials.secrets.hideWithin((text ?? "").replace(/\s+/g, " ").trim(), maxQuoted)
  const original = `the site refused the name and the password of the credential ${alias} by HTTP authentication${said === "" ? "" : `, saying "${said}"`}`
  return yield* new StepFailed({
    code: "LOGIN-E0001",
    sentence: `Cannot ${tried}: ${original}`,
    original,
    account: alias
  })
})
