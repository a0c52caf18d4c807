/**
 * The sites that a workflow may visit: hosts such as `example.com` or `localhost:3000`, or `*.example.com` for every
 * host below one. Without any, every site may be visited.
 *
 * `permits` checks each document before it is loaded (opened addresses, redirects, new tabs, frames, submitted forms)
 * and each address that is fetched for a workflow outside of its pages. Other
 * resources of a page, such as images, styles and scripts, are not checked: sites keep these at other hosts.
 */
import type { Problem } from "./Workflow.ts"

export type AllowedSites = ReadonlyArray<string>

/** The maximum number of sites of a workflow. */
const maxSites = 200

interface Site {
  readonly host: string
  /** `true` for the subdomains of the host without the host itself. */
  readonly below: boolean
  /** `null` for every port. */
  readonly port: string | null
}

const parse = (written: string): Site | null => {
  const [, star, host = "", port = null] =
    /^(\*\.)?(\[[\da-f:.]+\]|[^\s:/?#@*[\]\\%]+)(?::(\d{1,5}))?$/i.exec(written) ?? []
  if (host === "" || URL.parse(`http://${host}/`) === null) return null
  if (port !== null && (Number(port) < 1 || Number(port) > 65_535)) return null
  const normal = hostOf(new URL(`http://${host}/`))
  const below = star !== undefined
  // An IP address has no subdomains.
  if (normal === "" || (below && (normal.startsWith("[") || /^[\d.]+$/.test(normal)))) return null
  return { host: normal, below, port: port === null ? null : String(Number(port)) }
}

const hostOf = ({ hostname }: URL): string => hostname.replace(/\.$/, "").toLowerCase()

const portOf = ({ port, protocol }: URL): string =>
  port !== "" ? port : protocol === "https:" || protocol === "wss:" ? "443" : "80"

/** The problems of a list of sites, each at its path. */
export const problems = (sites: unknown): ReadonlyArray<Problem> => {
  if (!Array.isArray(sites)) return []
  const unreadable = sites.flatMap((site: unknown, index) =>
    typeof site !== "string" || parse(site) !== null
      ? []
      : [
          {
            path: `allowed_sites[${index}]`,
            message: "Expected a host such as example.com, *.example.com or example.com:8443"
          }
        ]
  )
  return sites.length <= maxSites
    ? unreadable
    : [...unreadable, { path: "allowed_sites", message: `Expected at most ${maxSites} sites, got ${sites.length}` }]
}

/**
 * Returns whether an address may be visited. Empty pages are always allowed, a `blob:` address if its origin is. Of the
 * schemes, only http, https, ws and wss are allowed.
 */
export const permits = (sites: AllowedSites, address: string): boolean => {
  if (sites.length === 0) return true
  if (URL.parse(address) === null) return false
  const url = new URL(address)
  if (url.protocol === "about:") return url.pathname === "blank" || url.pathname === "srcdoc"
  if (url.protocol === "blob:") return permits(sites, url.pathname)
  if (!/^(https?|wss?):$/.test(url.protocol)) return false
  const host = hostOf(url)
  return sites.some((written) => {
    const site = parse(written)
    if (site === null || (site.port !== null && site.port !== portOf(url))) return false
    return site.below ? host.endsWith(`.${site.host}`) : host === site.host
  })
}

/** The message that refuses an address. It names the host, never the path or the query. */
export const refusal = (sites: AllowedSites, address: string): string => {
  const named = sites.length > 5 ? `${sites.slice(0, 5).join(", ")} and ${sites.length - 5} more` : sites.join(", ")
  return `${siteOf(address)} is not among the sites that the workflow may visit; its allowed_sites are ${named}`
}

/** The host of an address. The path and the query may contain secrets and are left out. */
const siteOf = (address: string): string => {
  const url = URL.parse(address)
  if (url === null) return "an address that cannot be read"
  return url.host === "" ? `an address with ${url.protocol}` : url.host
}
