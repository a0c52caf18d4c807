/**
 * Signs in with the passkey of a credential, or has the site register one for it.
 *
 * An authenticator holds the passkey only during the step: at no other time does a page get a signature.
 */
import { Effect, Option } from "effect"
import type { PageFailure } from "../../browser/PageFailure.ts"
import type { Account } from "../../vault/Account.ts"
import type * as Passkey from "../../vault/passkey/Passkey.ts"
import * as PasskeySite from "../../vault/passkey/PasskeySite.ts"
import * as Domain from "../../vault/site/Domain.ts"
import type { NodeOf } from "../../workflow/language/graph/Graph.ts"
import { defaultWaitMillis } from "../../workflow/language/parameters/Fields.ts"
import { afterActing, ofPage, StepFailed } from "../Failure.ts"
import { next, type StepContext } from "../Step.ts"
import * as Memory from "../variables/Memory.ts"
import * as SecretUse from "../variables/SecretUse.ts"

/** The least time that a page gets to ask for a passkey after the click, in milliseconds. */
const shortestMillis = 2_000

/** Clicks the element at which the site asks for a passkey, and waits until it has been used or made. */
export const signIn = Effect.fnUntraced(function* (
  { parameters }: NodeOf<"TFA">,
  account: Account,
  { codes, memory, page }: StepContext<"elements" | "navigation">
) {
  if (codes === null) return yield* impossible("passkeys are not available here")
  const registers = parameters.register === true
  const waitMillis = parameters.wait_time ?? defaultWaitMillis
  const selector = yield* Memory.evaluateText(parameters.selector ?? "", memory, page)
  const target = { selector, waitMillis, guard: SecretUse.guardFor(account) }
  const failed = (failure: PageFailure) => ofPage("sign in with a passkey by", failure)
  // Before the passkey is read: the page, or the frame of the element, must be of the site of the credential.
  yield* Effect.mapError(page.elements.find(target), failed)
  const passkey = registers ? null : yield* taken(account, codes)
  if (passkey !== null) {
    yield* page.elements
      .find({ ...target, guard: (address) => refusal(passkey, address) })
      .pipe(
        Effect.catch((failure) =>
          failure.kind === "foreign" ? impossible(failure.reason) : Effect.fail(failed(failure))
        )
      )
  }
  yield* Effect.scoped(
    Effect.gen(function* () {
      const authenticator = yield* Effect.mapError(page.navigation.authenticator(passkey), failed)
      yield* Effect.mapError(page.elements.click(target, "click"), failed)
      const millis = Math.max(waitMillis, shortestMillis)
      if (passkey !== null) {
        const signed = yield* Effect.timeoutOption(authenticator.signed, millis)
        return Option.isSome(signed) ? undefined : yield* notAsked(`for the passkey of ${passkey.rpId}`, millis)
      }
      const made = yield* Effect.timeoutOption(authenticator.made, millis)
      if (Option.isNone(made)) return yield* notAsked("to register a passkey", millis)
      if (!PasskeySite.isOf(made.value, account.entry)) {
        return yield* afterActing(yield* Effect.flip(impossible(otherSite(made.value.rpId, account.entry.domain))))
      }
      yield* codes
        .keepPasskey(account.entry, made.value)
        .pipe(Effect.catch(({ message }) => Effect.flatMap(Effect.flip(impossible(message)), afterActing)))
    })
  )
  return next
})

const taken = Effect.fnUntraced(function* (
  { alias, entry }: Account,
  codes: NonNullable<StepContext["codes"]>
): Effect.fn.Return<Passkey.Passkey, StepFailed> {
  const passkey = yield* codes.passkey(entry).pipe(Effect.catch(({ message }) => impossible(message)))
  if (passkey !== null) return passkey
  return yield* impossible(
    `the credential ${alias} has no passkey: have the site register one by a TFA node with register, or keep one in the vault`
  )
})

/** A browser gives a document no passkey of another site. This says so before anything is clicked. */
const refusal = ({ rpId }: Passkey.Passkey, address: string): string | null => {
  const host = URL.parse(address)?.hostname ?? ""
  return Domain.isWithin(host, rpId) ? null : otherSite(rpId, host)
}

const otherSite = (rpId: string, host: string): string => `the passkey is for ${rpId}, and this is ${host}`

const impossible = (reason: string): Effect.Effect<never, StepFailed> =>
  Effect.fail(new StepFailed({ code: "TFA-E0003", sentence: `Cannot sign in: ${reason}`, original: reason }))

const notAsked = (what: string, millis: number): Effect.Effect<never, StepFailed> => {
  const reason = `the page did not ask ${what} within ${millis} ms after the click`
  return Effect.fail(
    new StepFailed({ code: "TFA-E0001", sentence: `Cannot sign in: ${reason}`, original: reason, acted: true })
  )
}
