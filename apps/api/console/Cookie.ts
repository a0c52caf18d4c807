/**
 * The cookie of a console session. It is `SameSite=Strict`, so browsers send it only with requests of pages of this
 * site, and requests from other sites or ports are refused.
 */
import { Option, Redacted } from "effect"

interface Sent {
  readonly method: string
  readonly headers: Readonly<Record<string, string | undefined>>
}

/** The port is in the name, because browsers send cookies of a host to all of its ports. */
const nameFor = (host: string | undefined): string => `sluice_session_${/:(\d+)$/.exec(host ?? "")?.[1] ?? "default"}`

/** The secret of the session that a request presents; `null` when it has none, or came from the page of another origin. */
export const secretOf = (request: Sent, publicUrl: Option.Option<string>): Redacted.Redacted<string> | null => {
  const { headers } = request
  const name = nameFor(headers.host)
  const [, secret] =
    (headers.cookie ?? "")
      .split(";")
      .map((pair) => pair.trim().split("=", 2))
      .find(([key]) => key === name) ?? []
  return secret !== undefined && isOurs(request, publicUrl) ? Redacted.make(secret) : null
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

/** The header that keeps a session in the browser for so many seconds; 0 removes it. */
export const header = (
  secret: string,
  seconds: number,
  { host, publicUrl }: { readonly host: string | undefined; readonly publicUrl: Option.Option<string> }
): string => {
  const secure = Option.exists(publicUrl, (url) => url.startsWith("https:")) ? "; Secure" : ""
  return `${nameFor(host)}=${secret}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`
}
