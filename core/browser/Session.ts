/**
 * The initial and the final state of a browser session.
 */
import { Redacted } from "effect"
import { type BrowserLocation, nowhere } from "../vault/BrowserLocation.ts"
import type { Proxy } from "../vault/Proxies.ts"
import type { AllowedSites } from "../workflow/AllowedSites.ts"

export interface Cookie {
  readonly name: string
  readonly value: string
  /** With a leading dot for a host and its subdomains, without one for that host alone. */
  readonly domain: string
  readonly path: string
  /** In seconds since the epoch; `null` for a cookie that ends with the session. */
  readonly expires: number | null
  readonly httpOnly: boolean
  readonly secure: boolean
  /** `null` where the site sets none. */
  readonly sameSite: "Strict" | "Lax" | "None" | null
}

/** Values by key, by origin. */
export type Storage = Readonly<Record<string, Readonly<Record<string, string>>>>

/** The stored state of a browser for its sites. */
export interface StoredState {
  readonly cookies: ReadonlyArray<Cookie>
  readonly localStorage: Storage
  readonly sessionStorage: Storage
}

/** Headers that are sent with each request to the given origins, and to no other. */
export interface SiteHeaders {
  readonly origins: ReadonlyArray<string>
  readonly headers: ReadonlyArray<{ readonly name: string; readonly value: string }>
}

export interface Session extends StoredState {
  /** The user agent; `null` for that of the browser. */
  readonly userAgent: string | null
  readonly headers: ReadonlyArray<SiteHeaders>
  readonly place: BrowserLocation
  /** The proxy of every request. */
  readonly proxy: Proxy | null
  /** The sites that its pages may visit; empty for every site. */
  readonly allowedSites: AllowedSites
}

/** An empty session. */
export const empty: Session = {
  cookies: [],
  localStorage: {},
  sessionStorage: {},
  userAgent: null,
  headers: [],
  place: nowhere,
  proxy: null,
  allowedSites: []
}

/** Shorter texts occur in too many places to be treated as secrets. */
const shortestSecret = 8

/**
 * The secrets in a session: headers, the password of the proxy, and HttpOnly cookies as a whole; elsewhere only values
 * that look like a token, because pages show the rest, such as the name of a theme.
 */
export const secrets = ({ cookies, headers, localStorage, proxy, sessionStorage }: Session) => {
  const stored = [localStorage, sessionStorage].flatMap((storage) =>
    Object.values(storage).flatMap(Object.values<string>)
  )
  const values = [
    ...headers.flatMap((header) => header.headers.map(({ value }) => value)),
    ...(proxy === null ? [] : [Redacted.value(proxy.password)]),
    ...cookies.filter(({ httpOnly }) => httpOnly).map(({ value }) => value),
    ...[...cookies.map(({ value }) => value), ...stored].flatMap(tokensIn)
  ]
  return [...new Set(values)].filter((value) => value.length >= shortestSecret).map((value) => Redacted.make(value))
}

const tokensIn = (text: string): ReadonlyArray<string> =>
  (text.match(/[\w.~+/=%-]{16,}/g) ?? []).filter((run) => /\d/.test(run) && /[a-z]/i.test(run))
