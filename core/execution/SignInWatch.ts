/** Watches how an attempt signs in, and adds what it found out to the health of its credentials. */
import { Clock, Effect, Result } from "effect"
import type { Observer } from "../agent/Observer.ts"
import type { Failure, Outcome } from "../agent/Outcome.ts"
import type { Reporter } from "../run/Executor.ts"
import type { ClaimedRun } from "../run/RunStore.ts"
import * as Measures from "../runtime/Measures.ts"
import * as StoreUnavailable from "../runtime/StoreUnavailable.ts"
import type { Account } from "../vault/Account.ts"
import * as SignInHealth from "../vault/health/SignInHealth.ts"
import type { FailureKind, SignInReport, SignInResult } from "../vault/health/SignInReport.ts"
import { VaultEntries } from "../vault/VaultEntries.ts"
import { withoutExpired } from "../vault/VaultEntry.ts"

/** What is seen of one credential during an attempt. */
interface Seen {
  readonly phase: "begun" | "signed_in" | "session_valid"
  readonly askedPerson: boolean
}

/** Makes the function that watches an attempt with its opened credentials. */
export const make = Effect.map(
  VaultEntries,
  (entries) => (claimed: ClaimedRun, accounts: ReadonlyMap<string, Account>) => {
    const { run } = claimed
    const seen = new Map<string, Seen>()
    let hasBegun = false

    /** The reporter of the attempt, which hears when a person is asked. */
    const hearing = (reporter: Reporter): Reporter => ({
      ...reporter,
      event: (event) => {
        if (event.event === "interaction.waiting") {
          for (const [alias, one] of seen) if (one.phase === "begun") seen.set(alias, { ...one, askedPerson: true })
        }
        return reporter.event(event)
      }
    })

    const step = Effect.sync(() => {
      hasBegun = true
    })

    /** A credential that no step uses is over before the first step: that says nothing of it. */
    const login = (alias: string, phase: "begins" | "over") =>
      Effect.sync(() => {
        const before = seen.get(alias)
        if (phase === "begins") seen.set(alias, { phase: "begun", askedPerson: false })
        else if (before !== undefined) seen.set(alias, { ...before, phase: "signed_in" })
        else if (hasBegun) seen.set(alias, { phase: "session_valid", askedPerson: false })
      })

    const keep = Effect.fnUntraced(function* (alias: string, result: SignInResult, askedPerson: boolean) {
      const account = accounts.get(alias)
      if (account === undefined) return
      const at = yield* Clock.currentTimeMillis
      const report: SignInReport = {
        result,
        at,
        runId: run.id,
        workflowId: run.workflowId,
        askedPerson,
        broughtSession: withoutExpired(account.entry, run.startedAt).sessionDataSetAt !== null,
        isCheck: run.options.check !== undefined
      }
      yield* entries
        .change(run.workspaceId, account.entry.id, (entry) =>
          Result.succeed({ ...entry, health: SignInHealth.after(entry.health ?? null, report, entry.updatedAt) })
        )
        .pipe(Effect.catchTag("KeyTaken", Effect.die))
      yield* Measures.signedIn(result, report.isCheck)
    })

    /** Stores what was found out. Failures that say nothing of a credential, such as a lost browser, are left out. */
    const over = Effect.fnUntraced(function* (outcome: Outcome) {
      const failure = outcome._tag === "Failed" ? outcome.failure : null
      const refused = failure?.failedLogin ?? null
      const all = new Map(seen)
      if (refused !== null && !all.has(refused)) all.set(refused, { phase: "begun", askedPerson: false })
      for (const [alias, { askedPerson, phase }] of all) {
        // A run that succeeds has come through its sign-in, also where it ends before that is over.
        const succeeded = phase === "begun" ? "signed_in" : phase
        const hasFailed = failure !== null && (phase === "begun" || alias === refused)
        const result = hasFailed ? kindOf(failure, askedPerson) : succeeded
        if (result !== null) yield* StoreUnavailable.waitUntilBack(keep(alias, result, askedPerson))
      }
    })

    /** The observer of the attempt, which also watches its logins. */
    const observes = <E>(watching: Observer<E>): Observer<E> => ({
      ...watching,
      step: (...reached) => Effect.andThen(step, watching.step(...reached)),
      login: (alias, phase) => Effect.andThen(login(alias, phase), watching.login?.(alias, phase) ?? Effect.void)
    })

    return { hearing, observes, over }
  }
)

/** How a sign-in in progress failed; `null` where the failure is not one of signing in. */
export const kindOf = ({ category, code, failedLogin, subType }: Failure, askedPerson: boolean): FailureKind | null => {
  if (category === "PASSWORD_UPDATE_REQUIRED") return "new_password"
  switch (subType) {
    case "ACCOUNT_LOCKED":
      return "locked"
    case "MFA_CODE_REJECTED":
      return "code_refused"
    case "TFA_SETUP_REQUIRED":
      return "enrolment"
    case "INVALID_CREDENTIALS":
      return "refused"
  }
  switch (code) {
    case "TFA-E0001":
      return "code_refused"
    case "TFA-E0002":
    case "TFA-E0003":
      return askedPerson ? "no_answer" : "no_code"
    case "INTERACTION-E0001":
      return "no_answer"
    case "CAPTCHA-E0001":
      return "captcha"
    case "CREDENTIAL-E0001":
      return "no_secret"
    default:
      return failedLogin === null ? null : "unexpected"
  }
}
