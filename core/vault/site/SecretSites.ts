/**
 * On which documents the secrets of a credential may be used.
 *
 * A secret is used on the site of its credential alone: at the origin that its domain names, which is one of https where
 * it names a host alone, and by https, at the usual
 * port, on every host of the same registrable domain, as `login.example.com` for `app.example.com`. Suffixes under
 * which strangers register, such as `co.uk` and `github.io`, part sites from each other. An address, and a name without
 * a public suffix, is a separate site. An Owner may name further origins in the `allowed_origins` of the credential.
 */
import { getDomain } from "tldts"
import type { VaultEntry } from "../VaultEntry.ts"
import * as Domain from "./Domain.ts"

/** The part of a credential that limits where its secrets are used. */
export interface Home {
  readonly domain: string
  readonly fields: Pick<VaultEntry["fields"], "allowed_origins">
}

/** Returns whether the secrets of a credential may be used on a document, or in a request, with this address. */
export const permits = ({ domain, fields }: Home, address: string): boolean => {
  if (URL.parse(address) === null) return false
  const { hostname, origin, port, protocol } = new URL(address)
  if (protocol !== "https:" && protocol !== "http:") return false
  if (Domain.originsOf(domain).includes(origin) || fields.allowed_origins?.includes(origin) === true) return true
  const site = siteOf(Domain.hostnameOf(domain) ?? "")
  return protocol === "https:" && port === "" && site !== null && siteOf(hostname) === site
}

/** Whether the secrets of a credential may be sent without encryption, as an address of it begins with `http://`. */
export const permitsPlainHttp = ({ domain, fields }: Home): boolean =>
  [...Domain.originsOf(domain), ...(fields.allowed_origins ?? [])].some((origin) => origin.startsWith("http:"))

/** The registrable domains of the origins that `permits` allows: a credential expects its mails from them. */
export const sitesOf = ({ domain, fields }: Home): ReadonlyArray<string> =>
  [Domain.hostnameOf(domain), ...(fields.allowed_origins ?? []).map(Domain.hostnameOf)].flatMap(
    (hostname) => siteOf(hostname ?? "") ?? []
  )

/** The registrable domain of a host; `null` where it has none. */
export const siteOf = (hostname: string): string | null => getDomain(hostname, { allowPrivateDomains: true })

/** Why the secrets of a credential may not be used at an address. It names the origin only: what follows may be secret. */
export const refusal = ({ domain }: Pick<Home, "domain">, address: string): string =>
  `secrets of the credential for ${domain} are used on its own site only, and this is ${originOf(address)}; an Owner may name further origins in the allowed_origins of the credential${plainHttp(domain, address)}`

/** A credential that names a host alone was once used by http as well. */
const plainHttp = (domain: string, address: string): string =>
  URL.parse(address)?.protocol === "http:" &&
  !domain.includes("://") &&
  Domain.hostOf(address) === Domain.hostOf(domain)
    ? `, such as http://${Domain.hostOf(domain)}: a host alone means https`
    : ""

const originOf = (address: string): string => {
  if (URL.parse(address) === null) return "an address of another site"
  const { origin, protocol } = new URL(address)
  return origin === "null" ? `a document with ${protocol}` : origin
}

/** An origin as browsers write it, such as `https://login.example.com`; `null` for anything else. */
export const readOrigin = (written: string): string | null => {
  if (URL.parse(written) === null) return null
  const url = new URL(written)
  const isOrigin = /^https?:$/.test(url.protocol) && Domain.hostOf(url.origin) !== null
  return isOrigin && (written === url.origin || written === `${url.origin}/`) ? url.origin : null
}
