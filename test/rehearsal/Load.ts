/** Submissions at a steady rate, whether or not earlier ones are answered. */
import { Clock, Effect, Fiber } from "effect"

/** So many seconds of submissions may wait for their answers. */
export const mostSecondsWaiting = 10

export interface Seen {
  accepted: number
  readonly failures: Array<string>
  /** The longest time that an answer took, in milliseconds. */
  slowest: number
}

/**
 * Sends `rate` submissions a second until `end`, which waits for the answers. A submission answers what was wrong with it,
 * or `null`.
 *
 * While too many wait for their answers, none is sent, and that counts as one failure: a service that is slower than the
 * rate would answer everything later and later, so that a run that has succeeded seems not to.
 */
export const start = Effect.fnUntraced(function* (rate: number, submit: Effect.Effect<string | null>) {
  const seen: Seen = { accepted: 0, failures: [], slowest: 0 }
  const most = rate * mostSecondsWaiting
  const pending = new Set<Fiber.Fiber<void>>()
  let wasTooSlow = false
  const one = Effect.gen(function* () {
    const sent = yield* Clock.currentTimeMillis
    const wrong = yield* submit
    if (wrong === null) seen.accepted++
    else seen.failures.push(wrong)
    seen.slowest = Math.max(seen.slowest, (yield* Clock.currentTimeMillis) - sent)
  })
  const tick = Effect.gen(function* () {
    if (pending.size >= most) {
      if (!wasTooSlow) {
        seen.failures.push(
          `${most} submissions wait for answers: the service hangs, or ${rate} a second are too many here`
        )
      }
      wasTooSlow = true
      return
    }
    const fiber = yield* Effect.forkDetach(one)
    pending.add(fiber)
    fiber.addObserver(() => void pending.delete(fiber))
  })
  const ticking = yield* Effect.forkScoped(Effect.forever(Effect.andThen(tick, Effect.sleep(1_000 / rate))))
  const end = Effect.gen(function* () {
    yield* Fiber.interrupt(ticking)
    yield* Effect.forEach([...pending], Fiber.await, { discard: true })
    return seen
  })
  yield* Effect.addFinalizer(() => end)
  return { seen, end }
})
