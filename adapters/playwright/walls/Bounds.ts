/**
 * Limits that end a session at once, during any operation: its pages passed a limit, or went where they may not.
 */
import { Effect } from "effect"
import type { CDPSession } from "playwright-core"
import { type PageLimits, unresponsive } from "../../../core/agent/Limits.ts"
import type { PageFailure } from "../../../core/browser/PageFailure.ts"

/** What is bounded: a page, by the line to it and by whether it is on its way to another document. */
export interface Bounded {
  readonly devTools: () => Promise<CDPSession>
  readonly isDeparting: () => boolean
}

export interface Bounds {
  /** How bounds were passed; `null` while they were not. */
  readonly passed: () => PageFailure | null
  /** Fails as bounds are passed, also when the page answers nothing for too long. */
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

/**
 * Fails when the page answers nothing for too long. Not asked at first: most of what is tried is over by then. While a
 * document loads, the browser holds back what it is asked about the page: that has the time of a navigation in addition.
 */
const answering = (limits: PageLimits, { devTools, isDeparting }: Bounded): Effect.Effect<never, PageFailure> =>
  Effect.suspend(() => {
    const quarter = limits.unresponsiveMillis / 4
    let wasDeparting = false
    let answeredAt = performance.now()
    const ask = Effect.tryPromise(async () => (await devTools()).send("Runtime.evaluate", { expression: "0" })).pipe(
      // The current action reports a page that is gone.
      Effect.ignore,
      Effect.andThen(
        Effect.sync(() => {
          answeredAt = performance.now()
        })
      ),
      Effect.timeoutOrElse({
        duration: 3 * quarter,
        orElse: () => {
          const isLoading = wasDeparting || isDeparting()
          const silentMillis = performance.now() - answeredAt
          return isLoading && silentMillis < limits.navigationMillis + limits.unresponsiveMillis
            ? Effect.void
            : Effect.fail(unresponsive(limits))
        }
      })
    )
    const round = Effect.suspend(() => {
      wasDeparting = isDeparting()
      return ask
    })
    return Effect.forever(Effect.andThen(Effect.sleep(quarter), round))
  })
