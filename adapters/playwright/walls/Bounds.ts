/**
 * Limits that end a session at once, during any operation: its pages passed a limit, or went where they may not.
 */
import { Effect } from "effect"
import type { CDPSession } from "playwright-core"
import { type PageLimits, unresponsive } from "../../../core/agent/Limits.ts"
import type { PageFailure } from "../../../core/browser/PageFailure.ts"

/** What is bounded: a page, by the line to it and by whether it waits for another document. */
export interface Bounded {
  readonly devTools: () => Promise<CDPSession>
  readonly isAwaited: () => boolean
}

export interface Bounds {
  /** How bounds were passed; `null` while they were not. */
  readonly passed: () => PageFailure | null
  /** Fails as bounds are passed, also when the page answers nothing for too long while it waits for no document. */
  readonly passing: (page: Bounded) => Effect.Effect<never, PageFailure>
  /** Says that they were passed. The first that is said counts. */
  readonly pass: (failure: PageFailure) => void
}

/** No bounds. */
export const unbounded: Bounds = { passed: () => null, passing: () => Effect.never, pass: () => undefined }

/** The bounds of one session. */
export const make = (limits: PageLimits): Bounds => {
  let first: PageFailure | null = null
  const waiting = new Set<(failure: PageFailure) => void>()
  const exceeded = Effect.callback<never, PageFailure>((resume) => {
    const tell = (failure: PageFailure) => resume(Effect.fail(failure))
    waiting.add(tell)
    return Effect.sync(() => void waiting.delete(tell))
  })
  return {
    passed: () => first,
    pass: (failure) => {
      first ??= failure
      for (const tell of waiting) tell(first)
    },
    passing: (page) => Effect.raceFirst(exceeded, answering(limits, page))
  }
}

/** Fails when the page answers nothing for too long. Not asked at first: most of what is tried is over by then. */
const answering = (limits: PageLimits, { devTools, isAwaited }: Bounded): Effect.Effect<never, PageFailure> => {
  const quarter = limits.unresponsiveMillis / 4
  const ask = Effect.suspend(() => {
    const wasAwaited = isAwaited()
    return Effect.tryPromise(async () => (await devTools()).send("Runtime.evaluate", { expression: "0" })).pipe(
      // The current action reports a page that is gone.
      Effect.ignore,
      Effect.timeoutOrElse({
        duration: 3 * quarter,
        orElse: () => (wasAwaited || isAwaited() ? Effect.void : Effect.fail(unresponsive(limits)))
      })
    )
  })
  return Effect.forever(Effect.andThen(Effect.sleep(quarter), ask))
}
