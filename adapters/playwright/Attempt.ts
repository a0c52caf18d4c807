/**
 * Tries something on a page, and says in the words of the agent how it failed.
 */
import { Effect } from "effect"
import { errors } from "playwright-core"
import { PageFailure } from "../../core/agent/Browser.ts"

/** How long an address may take to load, in milliseconds. */
export const navigationMillis = 30_000

/** Raised in an attempt that fails in a way that is known already. */
export class Refused extends Error {
  readonly kind: PageFailure["kind"]
  constructor(kind: PageFailure["kind"], reason: string) {
    super(reason)
    this.kind = kind
  }
}

/** Tries something, with the selector that it is about. `isGone` tells whether the page went away. */
export type Attempt = <A>(selector: string | null, act: () => Promise<A>) => Effect.Effect<A, PageFailure>

export const attempting =
  (isGone: () => boolean): Attempt =>
  (selector, act) =>
    Effect.tryPromise({ try: act, catch: (error) => toFailure(error, selector, isGone()) })

const toFailure = (error: unknown, selector: string | null, gone: boolean): PageFailure => {
  const text = error instanceof Error ? error.message : String(error)
  const of = selector === null ? {} : { selector }
  const firstLine = (text.split("\n")[0] ?? "").replace(/^[\w.]+: /, "")
  if (gone || /Target (page|crashed|closed)|has been closed|crashed/i.test(text)) {
    return new PageFailure({ kind: "crash", reason: "the page or its browser went away", ...of })
  }
  if (error instanceof Refused) return new PageFailure({ kind: error.kind, reason: text, ...of })
  if (
    /not a valid (XPath|selector)|Failed to execute 'evaluate'|Unexpected token|Unknown engine|while parsing/i.test(
      text
    )
  ) {
    return new PageFailure({ kind: "selector", reason: `it cannot be read as a selector: ${firstLine}`, ...of })
  }
  if (selector !== null && (error instanceof errors.TimeoutError || text.includes("strict mode violation"))) {
    return new PageFailure({ kind: "mismatch", reason: firstLine, ...of })
  }
  if (selector === null) {
    const reason = error instanceof errors.TimeoutError ? `it did not load within ${navigationMillis} ms` : firstLine
    return new PageFailure({ kind: "navigation", reason })
  }
  return new PageFailure({ kind: "unusable", reason: firstLine, ...of })
}
