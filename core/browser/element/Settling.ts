/**
 * Reading a page once what the last act began is over.
 */
import type { Effect } from "effect"
import type { PageFailure } from "../PageFailure.ts"

/** How a read waits for a page. */
export interface Settling<A> {
  /** Maximum time, in milliseconds. */
  readonly waitMillis: number
  /**
   * How much of what is wanted was found: `all`; `none`, where the page may still bring it; or a `shell`, such as rows
   * without any text, which is never the final state of a page.
   */
  readonly isThere: (found: A) => "all" | "none" | "shell"
}

/** What was read, and whether the page may still have been about to bring more. */
export interface Settled<A> {
  readonly found: A
  /** Whether it ended while the page was loading, or without any sign that it has loaded what was not found. */
  readonly unsure: boolean
  /** How many rows the one list of the page says that it has, by `aria-rowcount` or `aria-setsize`; `null` for none. */
  readonly declared: number | null
}

export interface Settles {
  /**
   * Reads, and repeats the read until nothing is on its way that the page began: requests since the last act and what
   * they start, timers of up to two seconds that the last act set, changes that follow. A page where nothing is on its
   * way is read once. Streams, beacons, media, requests that ask the same again and again, and those that have never
   * ended are not waited for. Fails as `goto` does where an act has led to a page with an error status.
   */
  readonly settled: <A>(read: Effect.Effect<A, PageFailure>, how: Settling<A>) => Effect.Effect<Settled<A>, PageFailure>
  /**
   * Waits, within a time in milliseconds, until no timer is pending that an act on an open tab set, of up to two seconds,
   * and the requests since then have ended: what is saved a moment after it was typed is sent. Takes no time after a read
   * of the settled page. Fails as `settled` does.
   */
  readonly over: (waitMillis: number) => Effect.Effect<void, PageFailure>
}
