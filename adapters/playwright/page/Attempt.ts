/**
 * Tries something on a page, and says in the words of the agent how it failed.
 */
import { Effect } from "effect"
import { type CDPSession, errors } from "playwright-core"
import { defaultPageLimits } from "../../../core/agent/Limits.ts"
import { PageFailure } from "../../../core/browser/PageFailure.ts"
import type { Bounds } from "../walls/Bounds.ts"

/** How long an address may take to load where nothing else is said, in milliseconds. */
export const { navigationMillis } = defaultPageLimits

/** Raised in an attempt that fails in a way that is known already. */
export class Refused extends Error {
  readonly kind: PageFailure["kind"]
  /** How many options fitted equally well, where none was chosen for that. */
  readonly alike: number

  constructor(kind: PageFailure["kind"], reason: string, alike = 0) {
    super(reason)
    this.kind = kind
    this.alike = alike
  }
}

/** Tries something, with the selector that it is about. `isGone` tells whether the page went away. */
export type Attempt = <A>(selector: string | null, act: () => Promise<A>) => Effect.Effect<A, PageFailure>

export const attempting =
  (isGone: () => boolean): Attempt =>
  (selector, act) =>
    Effect.tryPromise({ try: act, catch: (error) => toFailure(error, selector, isGone()) })

/** Attempts that end as soon as `bounds` of the session are passed, also those that begin later. */
export const attemptingWithin =
  (bounds: Bounds, isGone: () => boolean, devTools: () => Promise<CDPSession>): Attempt =>
  (selector, act) =>
    Effect.suspend(() => {
      const passed = bounds.passed()
      if (passed !== null) return Effect.fail(passed)
      return attempting(isGone)(selector, act).pipe(
        Effect.raceFirst(bounds.passing(devTools)),
        Effect.mapError((failure) => (failure.kind === "crash" ? (bounds.passed() ?? failure) : failure))
      )
    })

const toFailure = (error: unknown, selector: string | null, gone: boolean): PageFailure => {
  const text = error instanceof Error ? error.message : String(error)
  const of = selector === null ? {} : { selector }
  const firstLine = (text.split("\n")[0] ?? "").replace(/^[\w.]+: /, "")
  if (gone || /Target (page|crashed|closed)|has been closed|crashed/i.test(text)) {
    return new PageFailure({ kind: "crash", reason: "the page or its browser went away", ...of })
  }
  if (error instanceof Refused) {
    const { alike, kind } = error
    return new PageFailure({ kind, reason: text, ...of, ...(alike > 1 ? { alike } : {}) })
  }
  if (
    /not a valid (XPath|selector)|Failed to execute 'evaluate'|Unexpected token|Unknown engine|while parsing/i.test(
      text
    )
  ) {
    return new PageFailure({ kind: "selector", reason: `it cannot be read as a selector: ${firstLine}`, ...of })
  }
  if (selector !== null && hasBegun(text)) {
    return new PageFailure({ kind: "unusable", reason: `${firstLine}, after it had begun`, ...of, acted: true })
  }
  if (selector !== null && (error instanceof errors.TimeoutError || text.includes("strict mode violation"))) {
    return new PageFailure({ kind: "mismatch", reason: firstLine, ...of })
  }
  if (selector === null) {
    const allowed = /Timeout (\d+)ms/.exec(firstLine)?.[1] ?? String(navigationMillis)
    const reason = error instanceof errors.TimeoutError ? `it did not load within ${allowed} ms` : firstLine
    return new PageFailure({ kind: "navigation", reason })
  }
  return new PageFailure({ kind: "unusable", reason: firstLine, ...of })
}

/** Whether the log of an action says that it was already being done to the element, and so may have taken effect. */
export const hasBegun = (log: string): boolean => {
  const performing = log.lastIndexOf(" performing ")
  // What was in the way of it was noticed before the page had it.
  return performing >= 0 && !/intercepts pointer events|retrying/.test(log.slice(performing))
}
