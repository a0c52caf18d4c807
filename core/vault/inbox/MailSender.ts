/** Writes the verdict about the sender of a mail, which `MailVerdict` reads. */
import { siteOf } from "../site/SecretSites.ts"

/** The most signing domains of one mail that are kept. */
const mostDomains = 5

/** The result of one check: its word, and the domains that it has passed for. */
interface Check {
  readonly result: string
  readonly domains: ReadonlyArray<string>
}

/** A verdict as one line. What is no domain name is left out, so that a mail cannot write a domain of its choice there. */
export const verdict = ({ dkim, spf }: { readonly spf?: Check; readonly dkim?: Check }): string =>
  [...written("spf", "smtp.mailfrom", spf), ...written("dkim", "header.d", dkim)].join(" ")

const written = (method: string, property: string, check: Check | undefined): ReadonlyArray<string> => {
  if (check === undefined) return []
  const result = /^[a-z_]{1,20}$/.test(check.result) ? check.result : "none"
  const names = new Set(check.domains.map((domain) => domain.toLowerCase()).filter(isName))
  const sites = new Set([...names].map((name) => siteOf(name) ?? name))
  const domains = result === "pass" ? [...sites].slice(0, mostDomains) : []
  return [`${method}=${result}`, ...domains.map((domain) => `${property}=${domain}`)]
}

const isName = (domain: string): boolean => domain.length <= 253 && /^[a-z0-9_-]+(\.[a-z0-9_-]+)+$/.test(domain)
