/**
 * Whether a credential is checked now, later or not at all. A check is an attempt to sign in, so it is never made where one
 * more failure may lock the account.
 */
import type { SignInState } from "./SignInReport.ts"

/** How many sign-ins that the site may have counted as wrong are borne before a check is refused. */
const mostFailures = 2

/** One check a day, also on the day that summer time makes an hour shorter. */
const dayMillis = 82_800_000

export interface CheckQuestion {
  /** What is known since the credential was last changed, as `SignInHealth.current` says it. */
  readonly known: SignInState | null
  /** When the last check was made; `null` for never. */
  readonly lastCheckAt: number | null
  readonly at: number
  /** Whether a person asks for the check, and not the time. */
  readonly isAsked: boolean
  /** When the next window opens for which runs wait; `null` for none. */
  readonly opensAt: number | null
  /** How long before the opening a check is made. */
  readonly leadMillis: number
}

export type CheckDecision =
  | { readonly _tag: "Now" }
  | { readonly _tag: "Later"; readonly at: number; readonly why: "not_yet" | "checked_today" }
  | {
      readonly _tag: "Never"
      readonly why: "locked" | "refused" | "new_password" | "failed_often" | "proven" | "no_opening"
    }

/** Why one more attempt to sign in might lock the account; `null` where it would not. */
export const threatOf = (known: SignInState | null): "locked" | "refused" | "new_password" | "failed_often" | null => {
  const { code_refused, locked, new_password, refused, unexpected } = known?.failures ?? {}
  if (locked !== undefined) return "locked"
  if (refused !== undefined) return "refused"
  if (new_password !== undefined) return "new_password"
  return (code_refused?.count ?? 0) + (unexpected?.count ?? 0) >= mostFailures ? "failed_often" : null
}

export const decide = ({ at, isAsked, known, lastCheckAt, leadMillis, opensAt }: CheckQuestion): CheckDecision => {
  const threat = threatOf(known)
  if (threat !== null) return { _tag: "Never", why: threat }
  if (isAsked) return { _tag: "Now" }
  if (opensAt === null || opensAt <= at) return { _tag: "Never", why: "no_opening" }
  const due = opensAt - leadMillis
  if (due > at) return { _tag: "Later", at: due, why: "not_yet" }
  if (known?.lastSuccessAt != null && known.lastSuccessAt >= due) return { _tag: "Never", why: "proven" }
  const next = (lastCheckAt ?? -Infinity) + dayMillis
  return next > at ? { _tag: "Later", at: next, why: "checked_today" } : { _tag: "Now" }
}
