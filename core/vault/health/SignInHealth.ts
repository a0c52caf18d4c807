/**
 * The health of a credential: a fold of what runs and checks found out about signing in with it.
 *
 * Everything here is a function of its arguments; instants are epoch milliseconds. Nothing here is secret.
 */
import { Schema } from "effect"
import { effectiveExpiresAt, type VaultEntry } from "../VaultEntry.ts"
import { type FailureKind, isSuccess, type SignInReport, type SignInState } from "./SignInReport.ts"

/** How many ended sessions are remembered. */
const mostEndings = 5

/** How long before its likely end a session that a person has to renew counts as expiring. */
const expiringMillis = 86_400_000

export const HealthStatus = Schema.Literals(["unknown", "healthy", "expiring", "failing"])
export type HealthStatus = typeof HealthStatus.Type

const later = (one: number | null, other: number): number => Math.max(one ?? other, other)

/**
 * The state after a report. `changedAt` is when the credential was last changed: what was said of it before does not count
 * any more, except for how long its sessions last. Reports of runs side by side may come in any order: the latest stays the
 * latest, and a failure before the last sign-in is not counted.
 */
export const after = (before: SignInState | null, report: SignInReport, changedAt: number): SignInState => {
  const { at, result } = report
  const known = before === null || before.latest.at < changedAt ? null : before
  const isLatest = known === null || at >= known.latest.at
  const success = isSuccess(result)
  const hasSignedIn = result === "signed_in"
  const isStale = before?.signedInAt != null && at < before.signedInAt
  return {
    latest: isLatest ? report : known.latest,
    lastSuccessAt: success ? later(before?.lastSuccessAt ?? null, at) : (before?.lastSuccessAt ?? null),
    signedInAt: hasSignedIn ? later(before?.signedInAt ?? null, at) : (before?.signedInAt ?? null),
    provenAt: success ? later(before?.provenAt ?? null, at) : (before?.provenAt ?? null),
    needsPerson: hasSignedIn && !isStale ? report.askedPerson : (before?.needsPerson ?? false),
    endings: endingsAfter(before, report),
    failures: hasSignedIn ? since(known, at) : success || isStale ? (known?.failures ?? {}) : counted(known, result, at)
  }
}

/** The kinds of failure that were seen after a sign-in, where it is reported late. */
const since = (known: SignInState | null, at: number): SignInState["failures"] =>
  Object.fromEntries(Object.entries(known?.failures ?? {}).filter(([, one]) => one !== undefined && one.lastAt > at))

const counted = (known: SignInState | null, kind: SignInReport["result"], at: number): SignInState["failures"] => {
  if (isSuccess(kind)) return known?.failures ?? {}
  const one = known?.failures[kind]
  return { ...known?.failures, [kind]: { count: (one?.count ?? 0) + 1, lastAt: later(one?.lastAt ?? null, at) } }
}

/** A saved session has ended when a run that brought it had to sign in. Only one that the site ever accepted tells how long. */
const endingsAfter = (
  before: SignInState | null,
  { at, broughtSession, result }: SignInReport
): SignInState["endings"] => {
  if (before === null) return []
  const { endings, provenAt, signedInAt } = before
  const wasProven = signedInAt !== null && provenAt !== null && provenAt > signedInAt && at > provenAt
  return result === "signed_in" && broughtSession && wasProven
    ? [...endings, { provenMillis: provenAt - signedInAt, goneMillis: at - signedInAt }].slice(-mostEndings)
    : endings
}

/**
 * When the saved session of a credential is likely to have ended; `null` where it has none, or nothing is known. It is the
 * earliest of its own expiry and of the shortest time after which one of the last five sessions was found ended.
 */
export const sessionEnd = (entry: VaultEntry): number | null => {
  if (entry.sessionDataSetAt === null) return null
  const { endings = [], provenAt = null, signedInAt = null } = entry.health ?? {}
  const shortest = Math.min(...endings.map(({ goneMillis }) => goneMillis))
  const learnt = signedInAt === null || provenAt === null ? Infinity : Math.max(signedInAt + shortest, provenAt)
  const end = Math.min(learnt, effectiveExpiresAt(entry) ?? Infinity)
  return end === Infinity ? null : end
}

/** What is known of a credential since it was last changed; `null` for nothing. */
export const current = ({ health, updatedAt }: VaultEntry): SignInState | null =>
  health === undefined || health.latest.at < updatedAt ? null : health

/**
 * The health of a credential at an instant. `expiring`: its session is likely to end within a day, and its last sign-in
 * asked a person.
 */
export const statusOf = (entry: VaultEntry, at: number): HealthStatus => {
  const known = current(entry)
  if (known === null) return "unknown"
  if (!isSuccess(known.latest.result)) return "failing"
  const end = sessionEnd(entry)
  return known.needsPerson && end !== null && end - at <= expiringMillis ? "expiring" : "healthy"
}

/** How often signing in failed in each way since the last sign-in and the last change, the latest kind first. */
export const failuresOf = (
  entry: VaultEntry
): ReadonlyArray<{ readonly kind: FailureKind; readonly count: number; readonly lastAt: number }> =>
  // All keys are kinds. The type of `Object.entries` does not express this.
  Object.entries(current(entry)?.failures ?? {})
    .map(([kind, one]) => ({ kind: kind as FailureKind, ...one }))
    .sort((one, other) => other.lastAt - one.lastAt)
