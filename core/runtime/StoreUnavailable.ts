/**
 * The failure that every store port may have: the store cannot be reached now.
 *
 * It is temporary. The failed operation usually changed nothing, but a write may have taken effect before its answer
 * was lost. Every other failure of a store is a defect and is never retried.
 */
import { Effect, Predicate, Schedule, Schema } from "effect"

/** Raised when the store does not answer, refuses connections, or ends them. `reason` is for the log of the operator. */
export class StoreUnavailable extends Schema.TaggedError<StoreUnavailable>()("StoreUnavailable", {
  reason: Schema.String
}) {
  override get message() {
    return `The database cannot be reached: ${this.reason}`
  }
}

/** Whether an error is `StoreUnavailable`, by its tag: a store may have a class of its own for it, or another copy of this one. */
export const is = (error: unknown): error is StoreUnavailable => Predicate.isTagged(error, "StoreUnavailable")

/** Turns every failure except `StoreUnavailable` into a defect. */
export const otherwiseDie = <A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, Extract<E, StoreUnavailable>, R> =>
  // The compiler extracts nothing from an open `E`.
  Effect.catch(effect, (error) => (is(error) ? Effect.fail(error as Extract<E, StoreUnavailable>) : Effect.die(error)))

/** Whether an error is not `StoreUnavailable`. */
export const isOther = (error: unknown): boolean => !is(error)

/**
 * Retries for one minute while the store cannot be reached, with growing pauses; no lease lasts longer. All other
 * failures and defects pass at once.
 */
export const retry = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  // Most operations succeed, and need no schedule.
  Effect.catchIf(effect, isUnavailable, (error) => {
    let isFirst = true
    const again = Effect.suspend(() => {
      if (!isFirst) return effect
      isFirst = false
      return Effect.fail(error)
    })
    return Effect.retry(again, { while: is, schedule: forAMinute })
  })

const isUnavailable = <E>(error: E): error is Extract<E, StoreUnavailable> => is(error)

const forAMinute = Schedule.exponential("100 millis").pipe(Schedule.upTo({ duration: "1 minute" }))

/**
 * Retries for as long as the store cannot be reached. Only for work under a lease, which is interrupted when the lease
 * expires.
 */
export const waitUntilBack = <A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, Exclude<E, StoreUnavailable>, R> =>
  // The schedule does not end, so that this failure is always tried again.
  Effect.retry(effect, { while: is, schedule: pauses }) as Effect.Effect<A, Exclude<E, StoreUnavailable>, R>

/** Growing pauses of at most five seconds, without an end. */
const pauses = Schedule.min([Schedule.exponential("100 millis"), Schedule.spaced("5 seconds")])
