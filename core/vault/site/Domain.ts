/**
 * The sites that credentials belong to, as people write them: a URL such as `https://app.example.com`, or a host name
 * with or without a port.
 */

/**
 * The host that a domain names, in lower case, with its port where one is given that its scheme does not imply: what two
 * domains have in common when they mean the same site. `null` for anything that is no http or https URL and no host.
 */
export const hostOf = (domain: string): string | null => {
  const written = /^[a-z][a-z0-9+.-]*:\/\//i.test(domain) ? domain : `http://${domain}`
  if (/[\s\\]/.test(written) || URL.parse(written) === null) return null
  const { host, hostname, password, protocol, username } = new URL(written)
  if (protocol !== "http:" && protocol !== "https:") return null
  if (username !== "" || password !== "") return null
  return isHost(hostname) ? host : null
}

/** Returns whether two domains mean the same site: written alike, or of one host. */
export const matches = (one: string, other: string): boolean => {
  if (one === other) return true
  const host = hostOf(one)
  return host !== null && host === hostOf(other)
}

/** Names the site of a domain where neither dots nor colons may stand: `app-example-com`, `localhost-3000`. */
export const siteIdentifier = (domain: string): string => (hostOf(domain) ?? domain).replace(/[.:]/g, "-")

/** A name of labels, or an address. Texts that a URL cannot contain have failed before. */
const isHost = (hostname: string): boolean =>
  /^\[[0-9a-f:.]+\]$/.test(hostname) ||
  (hostname.length <= 253 &&
    /^([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/.test(hostname))

/**
 * The origins of a site: the one of its URL, or that of https where only a host is named, and of http as well where the
 * host is this machine; none for no site.
 */
export const originsOf = (domain: string): ReadonlyArray<string> => {
  if (hostOf(domain) === null) return []
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(domain)) return [new URL(domain).origin]
  const secure = new URL(`https://${domain}`)
  return isLoopback(secure.hostname) ? [secure.origin, new URL(`http://${domain}`).origin] : [secure.origin]
}

/** What is sent to this machine passes no network. */
const isLoopback = (hostname: string): boolean =>
  /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)

/** The name of the host of a domain, without a port: what cookies go by. */
export const hostnameOf = (domain: string): string | null => {
  const [origin] = originsOf(domain)
  return origin === undefined ? null : new URL(origin).hostname
}

/** Returns whether one host lies below another, or is it: `app.example.com` is within `example.com`. */
export const isWithin = (hostname: string, above: string): boolean =>
  hostname === above || (hostname.endsWith(`.${above}`) && !isAddress(hostname))

/** Distinguishes an IP address from a name. */
export const isAddress = (hostname: string): boolean => /^[\d.]+$/.test(hostname) || hostname.startsWith("[")
