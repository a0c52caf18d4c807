/**
 * Secrets of outside stores that may be used again for a while, in the memory of the process only.
 */
import { Clock, Deferred, Effect, Exit, type Scope } from "effect"

/** How many secrets are kept at most. The one that was kept longest ago goes first. */
export const maxKept = 1_000

interface Kept<A> {
  readonly value: A
  readonly askedAt: number
  readonly goodUntil: number
}

/** How one reader wants a secret. */
export interface Freshness {
  /** For how long it may be used after it was asked for, in milliseconds; 0 asks each time and keeps nothing. */
  readonly ttlMillis: number
  /** Values that were read before this instant are not used. */
  readonly notBefore: number
}

export interface SecretCache<A, E> {
  /**
   * The secret of a key: the cached one, or else the result of `ask`. Concurrent callers of the same key share one
   * request, and a caller that is interrupted does not stop the others. Failures are not cached.
   */
  readonly get: (key: string, wanted: Freshness, ask: Effect.Effect<A, E>) => Effect.Effect<A, E>

  /** Forgets the secret of a key, and what is being asked for at present. */
  readonly forget: (key: string) => Effect.Effect<void>
}

export const make = <A, E>(scope: Scope.Scope): SecretCache<A, E> => {
  const kept = new Map<string, Kept<A>>()
  const asked = new Map<string, PendingRead<A, E>>()

  const keep = (key: string, one: Kept<A>, now: number) => {
    for (const [other, { goodUntil }] of kept) if (goodUntil <= now) kept.delete(other)
    kept.delete(key)
    kept.set(key, one)
    const [oldest] = kept.keys()
    if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest)
  }

  const finish = (key: string, mine: PendingRead<A, E>, exit: Exit.Exit<A, E>) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      // The key was not forgotten since the request.
      if (asked.get(key) === mine) {
        asked.delete(key)
        const goodUntil = mine.askedAt + mine.ttlMillis
        if (Exit.isSuccess(exit) && goodUntil > now) keep(key, { ...mine, value: exit.value, goodUntil }, now)
      }
      yield* Deferred.done(mine.answer, exit)
    })

  return {
    get: Effect.fnUntraced(function* (key, { notBefore, ttlMillis }, ask) {
      const now = yield* Clock.currentTimeMillis
      const known = kept.get(key)
      if (known !== undefined) {
        if (known.goodUntil <= now) kept.delete(key)
        else if (known.askedAt >= notBefore && now < known.askedAt + ttlMillis) return known.value
      }
      const current = asked.get(key)
      if (current !== undefined && current.askedAt >= notBefore) {
        current.ttlMillis = Math.max(current.ttlMillis, ttlMillis)
        return yield* Deferred.await(current.answer)
      }
      const mine: PendingRead<A, E> = { answer: Deferred.makeUnsafe(), askedAt: now, ttlMillis }
      asked.set(key, mine)
      yield* Effect.forkIn(
        Effect.onExit(ask, (exit) => finish(key, mine, exit)),
        scope
      )
      return yield* Deferred.await(mine.answer)
    }),
    forget: (key) =>
      Effect.sync(() => {
        kept.delete(key)
        asked.delete(key)
      })
  }
}

interface PendingRead<A, E> {
  readonly answer: Deferred.Deferred<A, E>
  readonly askedAt: number
  /** The longest that any of those who wait for it may use it. */
  ttlMillis: number
}
