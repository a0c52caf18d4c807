/**
 * What a run or a check found out about signing in with a credential, and how an entry of the vault keeps it.
 */
import { Schema } from "effect"

/**
 * How a sign-in failed. `refused`: the site does not take the user name or password. `locked`: it has locked the account.
 * `code_refused`: it does not take the code. `no_code`: no code or key came. `new_password`: it asks for a new password.
 * `enrolment`: it asks to set up a second factor. `captcha`: it asks for a proof of being a person. `no_answer`: a person did
 * not answer. `no_secret`: the secret could not be read. `unexpected`: its page was not the one that follows a sign-in.
 */
export const FailureKind = Schema.Literals([
  "refused",
  "locked",
  "code_refused",
  "no_code",
  "new_password",
  "enrolment",
  "captcha",
  "no_answer",
  "no_secret",
  "unexpected"
])
export type FailureKind = typeof FailureKind.Type

/** `signed_in`: by the secrets. `session_valid`: the site accepted the saved session. */
export const SignInResult = Schema.Literals(["signed_in", "session_valid", ...FailureKind.literals])
export type SignInResult = typeof SignInResult.Type

export const isSuccess = (result: SignInResult): result is "signed_in" | "session_valid" =>
  result === "signed_in" || result === "session_valid"

export const SignInReport = Schema.Struct({
  result: SignInResult,
  at: Schema.Finite,
  runId: Schema.String,
  workflowId: Schema.String,
  /** Whether a person was asked during the sign-in. */
  askedPerson: Schema.Boolean,
  /** Whether the run began with a saved session. */
  broughtSession: Schema.Boolean,
  /** Whether a check found it out. */
  isCheck: Schema.Boolean
})
export type SignInReport = typeof SignInReport.Type

/** A session that was found ended: how long after its sign-in it was last accepted, and how long after it was gone. */
const Ending = Schema.Struct({ provenMillis: Schema.Finite, goneMillis: Schema.Finite })

const Failures = Schema.Struct({ count: Schema.Int, lastAt: Schema.Finite })

/** All that is kept of the reports of a credential. */
export const SignInState = Schema.Struct({
  latest: SignInReport,
  lastSuccessAt: Schema.NullOr(Schema.Finite),
  /** When the present session began. */
  signedInAt: Schema.NullOr(Schema.Finite),
  /** When the site last accepted it. */
  provenAt: Schema.NullOr(Schema.Finite),
  /** Whether the last sign-in asked a person. */
  needsPerson: Schema.Boolean,
  endings: Schema.Array(Ending),
  /** Those since the last sign-in and the last change. */
  failures: Schema.Record(FailureKind, Schema.optionalKey(Failures))
})
export type SignInState = typeof SignInState.Type
