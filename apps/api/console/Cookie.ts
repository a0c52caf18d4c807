/**
 * The secret of a console session, in two halves. The cookie is `SameSite=Strict`, so browsers send it only with requests
 * of pages of this site, but to every port of the host. So the page keeps the other half, which it sends in a header: no
 * other origin has it.
 */
import { Option, Redacted } from "effect"

interface Sent {
  readonly method: string
  readonly headers: Readonly<Record<string, string | undefined>>
}

/** The header of the half of the secret that the page keeps. */
export const pageHeader = "x-sluice-session"

/**
 * The port is in the name, because browsers send cookies of a host to all of its ports. With https, no other host and no page
 * without encryption can set a cookie of this name.
 */
const nameFor = (host: string | undefined, publicUrl: Option.Option<string>): string =>
  `${isSecure(publicUrl) ? "__Host-" : ""}sluice_session_${/:(\d+)$/.exec(host ?? "")?.[1] ?? "default"}`

const isSecure = (publicUrl: Option.Option<string>): boolean =>
  Option.exists(publicUrl, (url) => url.startsWith("https:"))

/** The secret of the session that a request presents; `null` when it has none, or came from the page of another origin. */
export const secretOf = (request: Sent, publicUrl: Option.Option<string>): Redacted.Redacted<string> | null => {
  const { headers } = request
  const name = nameFor(headers.host, publicUrl)
  const [, half] =
    (headers.cookie ?? "")
      .split(";")
      .map((pair) => pair.trim().split("=", 2))
      .find(([key]) => key === name) ?? []
  const page = headers[pageHeader] ?? ""
  return half !== undefined && page !== "" && isOurs(request, publicUrl) ? Redacted.make(`${half}${page}`) : null
}

/**
 * Whether a page of this service made a request. A writing request must have the `Origin` of this service. A reading
 * one may omit it, but must not have another site in `Sec-Fetch-Site`.
 */
export const isOurs = ({ headers, method }: Sent, publicUrl: Option.Option<string>): boolean => {
  const site = headers["sec-fetch-site"]
  if (site !== undefined && site !== "same-origin" && site !== "none") return false
  if (method === "GET" || method === "HEAD") return true
  const { origin = "" } = headers
  const hosts = [headers.host, ...Option.toArray(publicUrl).map(hostOf)]
  return origin !== "" && hosts.includes(hostOf(origin))
}

const hostOf = (url: string): string | null => URL.parse(url)?.host ?? null

interface Place {
  readonly host: string | undefined
  readonly publicUrl: Option.Option<string>
}

/** The two halves of a new session's secret: one for the page, and one in the header that has the browser keep it. */
export const opening = (secret: Redacted.Redacted<string>, seconds: number, place: Place) => {
  const whole = Redacted.value(secret)
  const middle = Math.ceil(whole.length / 2)
  return { page: whole.slice(middle), setCookie: header(whole.slice(0, middle), seconds, place) }
}

/** The header that removes the cookie. */
export const closing = (place: Place): string => header("", 0, place)

const header = (half: string, seconds: number, { host, publicUrl }: Place): string =>
  `${nameFor(host, publicUrl)}=${half}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isSecure(publicUrl) ? "; Secure" : ""}`
