/**
 * A page that requires an action of the account first: a new password, two-factor authentication, or to sign in again.
 * A person may do the first two; otherwise the failure reports the demand of the site instead of a missing element.
 */
import { Effect, type Schema } from "effect"
import { StepFailed } from "../Failure.ts"
import * as Classification from "./Classification.ts"
import { isAboutElement, type RecoveryStrategy, type Remedy } from "./RecoveryStrategy.ts"

/** How long a person is waited for, in milliseconds. */
const handMillis = 300_000

const schema: Schema.JsonObject = { type: "object", properties: { done: { type: "boolean" } }, required: ["done"] }

export const accountAction: RecoveryStrategy = Effect.fnUntraced(function* (trouble, { person, settings }) {
  const { failure, node, signedIn, survey, tried } = trouble
  const asked = isAboutElement(failure) ? Classification.demandOf(survey, signedIn) : null
  if (asked === null) return null
  const { code, description } = Classification.demands[asked]
  const byHand = asked === "password" ? settings.passwords : asked === "twoFactor" && settings.twoFactor
  if (byHand && tried === 0) {
    const message = `${description}. Do it in the live view of the run, and then answer done: true`
    const answer = yield* person.ask({ node, message, schema, timeoutMillis: handMillis })
    if (answer?.done === true) return { _tag: "Again", remedy: "A person did what the site asked for" } satisfies Remedy
  }
  const ended = new StepFailed({ code, sentence: `${description}: ${failure.sentence}`, original: failure.sentence })
  return { _tag: "End", remedy: "Ended, as only a person can do what the site asks", failure: ended } satisfies Remedy
})
