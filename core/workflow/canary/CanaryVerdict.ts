/**
 * Decides from the ended runs of two versions whether the new one stays: a sequential test, and hard limits.
 *
 * Both versions have had their runs in the same time, so that a site that is down makes both fail alike.
 */
import { Schema } from "effect"

const Ended = Schema.Struct({ succeeded: Schema.Int, failed: Schema.Int })

/** The ended runs of both versions since the canary began. Runs that were stopped do not count. */
export const Evidence = Schema.Struct({ base: Ended, candidate: Ended })
export type Evidence = typeof Evidence.Type

export type Verdict =
  | { readonly _tag: "Continue" }
  | { readonly _tag: "Promote"; readonly reason: string }
  | { readonly _tag: "Stop"; readonly reason: string }

/**
 * The probability that the test ever stops a version that is as good as the other one is at most this. It is spent over
 * the ended runs of the new version: the n-th has its part `alpha / (n (n + 1))`.
 */
const alpha = 0.005

/** A version that has never succeeded in so many runs is stopped, unless the other one fails always as well. */
const neverSucceeded = 10

/** The other version fails always after so many failed runs and none that succeeded: the site is down. */
const alwaysFails = 8

/** The verdict on a canary. A stop comes before a promotion. */
export const of = (limits: { readonly runs: number; readonly max_failures: number }, evidence: Evidence): Verdict => {
  const { base, candidate } = evidence
  const ended = candidate.succeeded + candidate.failed
  const counted = `${candidate.failed} of ${ended} runs failed, and ${base.failed} of ${base.succeeded + base.failed} of the version before`
  const stop = (why: string): Verdict => ({ _tag: "Stop", reason: `${why}: ${counted}` })
  if (candidate.failed >= limits.max_failures) return stop(`It reached max_failures (${limits.max_failures})`)
  const isOutage = base.succeeded === 0 && base.failed >= alwaysFails
  if (candidate.succeeded === 0 && ended >= neverSucceeded && !isOutage) return stop("It never succeeded")
  if (ended > 0 && worseByChance(evidence) < alpha / (ended * (ended + 1))) {
    return stop("It fails more often than by chance")
  }
  return ended >= limits.runs ? { _tag: "Promote", reason: `It did no worse: ${counted}` } : { _tag: "Continue" }
}

/**
 * The probability of at least so many of the failures among the runs of the new version, if the failures fell on the runs of
 * both by chance (the exact test of Fisher, one-sided).
 */
export const worseByChance = ({ base, candidate }: Evidence): number => {
  const ended = candidate.succeeded + candidate.failed
  const failed = candidate.failed + base.failed
  const others = base.succeeded + base.failed
  if (candidate.failed === 0 || others === 0) return 1
  const total = lnChoose(ended + others, ended)
  let sum = 0
  for (let of = candidate.failed; of <= Math.min(ended, failed); of++) {
    sum += Math.exp(lnChoose(failed, of) + lnChoose(ended + others - failed, ended - of) - total)
  }
  return Math.min(sum, 1)
}

/** The logarithm of the number of ways to choose `of` from `all`; minus infinity where there is none. */
const lnChoose = (all: number, of: number): number =>
  of < 0 || of > all ? -Infinity : lnFactorial(all) - lnFactorial(of) - lnFactorial(all - of)

/** The logarithm of a factorial, from 16 on by the series of Stirling, which is then right to ten digits. */
const lnFactorial = (n: number): number => {
  if (n >= 16) return n * Math.log(n) - n + Math.log(2 * Math.PI * n) / 2 + 1 / (12 * n) - 1 / (360 * n ** 3)
  let sum = 0
  for (let factor = 2; factor <= n; factor++) sum += Math.log(factor)
  return sum
}
