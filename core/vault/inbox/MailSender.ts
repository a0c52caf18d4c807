/**
 * Who vouches for a received mail: the domains that its SPF or DKIM has passed for. The verdict is kept with each code as one
 * line in the words of RFC 8601, such as `spf=pass smtp.mailfrom=example.com dkim=pass header.d=example.com`; a domain stands
 * there only where the check passed.
 */
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
  const domains = result === "pass" ? [...names].slice(0, mostDomains) : []
  return [`${method}=${result}`, ...domains.map((domain) => `${property}=${domain}`)]
}

const isName = (domain: string): boolean => domain.length <= 253 && /^[a-z0-9_-]+(\.[a-z0-9_-]+)+$/.test(domain)

/** A verdict; absent where a message came another way than as a mail that was checked. */
type Verdict = string | undefined

/** The registrable domains that vouch for a mail. */
export const sitesOf = (verdict: Verdict): ReadonlyArray<string> => [
  ...new Set(
    Array.from(
      (verdict ?? "").matchAll(/ (?:smtp\.mailfrom|header\.d)=(\S+)/g),
      ([, domain = ""]) => siteOf(domain) ?? domain
    )
  )
]

/** Neither SPF nor DKIM has passed: the sender may be another than the mail says. */
const isUnproven = (verdict: Verdict): boolean => verdict !== undefined && !verdict.includes("=pass")

/**
 * How little is known in favour of a mail: 0 where one of the `expected` registrable domains vouches for it, 1 where another
 * does or it came another way, 2 where none does.
 */
export const rank = (verdict: Verdict, expected: ReadonlyArray<string>): 0 | 1 | 2 => {
  if (isUnproven(verdict)) return 2
  return sitesOf(verdict).some((site) => expected.includes(site)) ? 0 : 1
}

/** Whether one mail has at least the rank of another, whichever domains are expected. */
export const isAsGood = (one: Verdict, other: Verdict): boolean => {
  const sites = sitesOf(one)
  return isUnproven(other) || (!isUnproven(one) && sitesOf(other).every((site) => sites.includes(site)))
}
