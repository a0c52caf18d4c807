/** Runs an operation on a page, and maps its errors to `PageFailure`. */
import { Effect } from "effect"
import { defaultPageLimits } from "../../../core/agent/Limits.ts"
import { type NavigationCause, PageFailure } from "../../../core/browser/PageFailure.ts"
import type { Bounded, Bounds } from "../walls/Bounds.ts"

/** Default timeout of a navigation, in milliseconds. */
export const { navigationMillis } = defaultPageLimits

/** Raised within an attempt for a failure of a known kind. */
export class Refused extends Error {
  readonly kind: PageFailure["kind"]
  /** The number of equally similar options, if none was chosen for that reason. */
  readonly alike: number

  constructor(kind: PageFailure["kind"], reason: string, alike = 0) {
    super(reason)
    this.kind = kind
    this.alike = alike
  }
}

/** Runs an operation for a selector. `isGone` is `true` if the page has closed. */
export type Attempt = <A>(selector: string | null, act: () => Promise<A>) => Effect.Effect<A, PageFailure>

export const attempting =
  (isGone: () => boolean): Attempt =>
  (selector, act) =>
    Effect.tryPromise({ try: act, catch: (error) => toFailure(error, selector, isGone()) })

/** Attempts that fail as soon as the session exceeds `bounds`. */
export const attemptingWithin =
  (bounds: Bounds, tab: Bounded & { readonly isGone: () => boolean }): Attempt =>
  (selector, act) =>
    Effect.suspend(() => {
      const passed = bounds.passed()
      if (passed !== null) return Effect.fail(passed)
      return attempting(tab.isGone)(selector, act).pipe(
        Effect.raceFirst(bounds.passing(tab)),
        Effect.mapError((failure) => (failure.kind === "crash" ? (bounds.passed() ?? failure) : failure))
      )
    })

/** The errors of Chromium's network, and of Playwright, about the load of a document. An address follows them. */
const causes: ReadonlyArray<readonly [cause: NavigationCause, said: RegExp]> = [
  ["auth", /^net::ERR_INVALID_AUTH_CREDENTIALS/],
  ["unresolved", /^net::ERR_(NAME_NOT_RESOLVED|NAME_RESOLUTION_FAILED)/],
  ["untrusted", /^net::ERR_(CERT_|SSL_|BAD_SSL_)/],
  [
    "unreachable",
    /^net::ERR_(CONNECTION_|EMPTY_RESPONSE|TIMED_OUT|INTERNET_DISCONNECTED|NETWORK_|ADDRESS_UNREACHABLE|HTTP2_|QUIC_|TUNNEL_CONNECTION_FAILED|SOCKET_)/
  ],
  ["aborted", /^net::ERR_ABORTED|^Navigating frame was detached/],
  ["unloadable", /^net::/],
  ["replaced", /^Navigation to .* is interrupted by another navigation|^Execution context was destroyed/]
]

/** Whether Playwright gave up waiting. By its name, so that Playwright is not loaded for this. */
export const isTimeout = (error: unknown): error is Error => error instanceof Error && error.name === "TimeoutError"

/** The cause of a failed navigation, if the error is one. */
const navigationOf = (error: unknown, firstLine: string): PageFailure | null => {
  if (isTimeout(error)) {
    const allowed = /Timeout (\d+)ms/.exec(firstLine)?.[1] ?? String(navigationMillis)
    return new PageFailure({ kind: "timeout", reason: `it did not load within ${allowed} ms` })
  }
  const kind = causes.find(([, said]) => said.test(firstLine))?.[0]
  if (kind === undefined) return null
  return new PageFailure({ kind, reason: kind === "auth" ? notLetIn : firstLine })
}

export const notLetIn = "the site asks for a name and a password by HTTP authentication, which was not given"

const toFailure = (error: unknown, selector: string | null, gone: boolean): PageFailure => {
  const text = error instanceof Error ? error.message : String(error)
  const of = selector === null ? {} : { selector }
  const firstLine = (text.split("\n")[0] ?? "").replace(/^[\w.]+: /, "")
  const lost = new PageFailure({ kind: "crash", reason: "the page or its browser went away", ...of })
  if (gone) return lost
  if (error instanceof PageFailure) return error
  if (error instanceof Refused) {
    const { alike, kind } = error
    return new PageFailure({ kind, reason: text, ...of, ...(alike > 1 ? { alike } : {}) })
  }
  if (isLost(firstLine)) return lost
  const navigation = selector === null ? navigationOf(error, firstLine) : null
  if (navigation !== null) return navigation
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
  if (selector !== null && (isTimeout(error) || text.includes("strict mode violation"))) {
    return new PageFailure({ kind: "mismatch", reason: coverIn(text) ?? firstLine, ...of })
  }
  if (selector === null) return new PageFailure({ kind: "unloadable", reason: firstLine })
  return new PageFailure({ kind: "unusable", reason: firstLine, ...of })
}

/** Whether an error says that its page or browser is gone. Not where a selector or an address follows, which may say so as well. */
const isLost = (firstLine: string): boolean =>
  /Target (page|crashed|closed)|has been closed|crashed/i.test(firstLine) &&
  !/^net::|^Navigation to |strict mode violation/.test(firstLine)

/** What the log of an action says at last that lies over the element; `null` where nothing does. */
const coverIn = (log: string): string | null => {
  const end = log.lastIndexOf(intercepts)
  const line = log.slice(log.lastIndexOf("\n", end) + 1, Math.max(end, 0))
  const cover = line.slice(Math.max(line.indexOf("<"), 0))
  return cover.startsWith("<") ? `${cover.slice(0, mostCover)} ${liesOver}` : null
}

const intercepts = " intercepts pointer events"

const mostCover = 200

/** How a reason ends that names what lies over the element. */
export const liesOver = "lies over it"

/** Whether the log of an action shows that it had started on the element, so that it may have taken effect. */
export const hasBegun = (log: string): boolean => {
  const performing = log.lastIndexOf(" performing ")
  // The obstacle was noticed before the page received the event.
  return performing >= 0 && !/intercepts pointer events|retrying/.test(log.slice(performing))
}

/** Whether the log of an action of the pointer shows that the page has received all of it. */
export const hasActed = (log: string): boolean =>
  hasBegun(log) && / action done/.test(log.slice(log.lastIndexOf(" performing ")))
